import { once } from "node:events";
import type { Server } from "node:http";
import { createConnection, type ListenOptions, type Socket } from "node:net";
import { readThroughStream } from "../../../basics/http/node-internals.ts";
import { findReply } from "./serve-in-order.ts";

/**
 * How long a new connection may stay silent during a shutdown, in milliseconds. The client has opened it for a request,
 * which may be on its way; a proxy answers 502 for one that it cannot send again.
 */
const silenceGrace = 50;

/** The address of a server: a port, the path of a UNIX socket, or Node's listen options. */
export type Listen = number | string | ListenOptions;

/** A server with the address at which it is to listen, and its connections with state that Node does not track. */
export class Listener {
  readonly name: "http" | "https";
  readonly server: Server;
  readonly at: Listen;
  /** The connections, with the time at which each was opened. */
  readonly #sockets = new Map<Socket, number>();
  /** The TCP connections whose TLS handshake is not finished, by remote address. */
  readonly #handshakes = new Map<string, readonly [socket: Socket, opened: number]>();
  opened = 0;

  /** Also makes `closeIdleConnections` and `close` of the server spare responses that are still being sent. */
  constructor(name: "http" | "https", server: Server, at: Listen) {
    this.name = name;
    this.server = server;
    this.at = at;
    server.on("connection", (socket: Socket) => {
      this.opened++;
      if (name === "http") {
        this.#add(socket);
        return;
      }
      const address = toAddress(socket);
      this.#handshakes.set(address, [socket, performance.now()]);
      socket.once("close", () => this.#handshakes.delete(address));
    });
    server.on("secureConnection", (socket: Socket) => {
      this.#handshakes.delete(toAddress(socket));
      this.#add(socket);
      readThroughStream(socket);
    });
    const closeIdle = server.closeIdleConnections.bind(server);
    server.closeIdleConnections = () => this.#spareBusy(closeIdle);
    const close = server.close.bind(server);
    server.close = (callback) => {
      this.#spareBusy(() => close(callback));
      return server;
    };
  }

  /** Ends the connections that wait for a request, or have sent nothing for a while. */
  endIdle(): void {
    const latest = performance.now() - silenceGrace;
    for (const [socket, opened] of this.#sockets)
      // Bun counts no bytes
      if (opened < latest && socket.bytesRead === 0 && !findReply(socket)) socket.destroy();
    for (const [socket, opened] of this.#handshakes.values()) if (opened < latest) socket.destroy();
    this.server.closeIdleConnections();
  }

  /** Ends all connections at once, including those that have been upgraded, which Node no longer counts. */
  destroy(): void {
    for (const socket of this.#sockets.keys()) socket.destroy();
  }

  /** Spares connections with unsent bytes and, which only Node 26 counts as idle, new ones. */
  #spareBusy(closeIdle: () => void): void {
    const latest = performance.now() - silenceGrace;
    const busy: Socket[] = [];
    for (const [socket, opened] of this.#sockets) {
      const reply = findReply(socket);
      const isUnsent = reply?.writableEnded === true && reply.writableLength > 0;
      if (isUnsent || (opened >= latest && socket.bytesRead === 0)) busy.push(socket);
    }
    for (const socket of busy) socket.destroy = () => socket;
    try {
      closeIdle();
    } finally {
      for (const socket of busy) Reflect.deleteProperty(socket, "destroy");
    }
  }

  #add(socket: Socket): void {
    this.#sockets.set(socket, performance.now());
    socket.once("close", () => this.#sockets.delete(socket));
  }
}

const toAddress = ({ remoteAddress, remotePort }: Socket): string =>
  `${remoteAddress} ${remotePort}`;

/** Makes all servers listen, or none; an error of Node gets the option and the fix added to its message. */
export const listen = async (listeners: readonly Listener[]): Promise<void> => {
  const outcomes = await Promise.allSettled(listeners.map(bind));
  const failure = outcomes.find((outcome) => outcome.status === "rejected");
  if (!failure) return;
  await Promise.all(listeners.map(({ server }) => new Promise((resolve) => server.close(resolve))));
  throw failure.reason;
};

const bind = async ({ name, server, at }: Listener): Promise<void> => {
  try {
    await once(server.listen(at), "listening");
  } catch (error) {
    const failure = error as NodeJS.ErrnoException;
    const fix = await explain(failure, at);
    failure.message += `. The \`${name}.listen\` option is ${JSON.stringify(at)}${fix}.`;
    throw failure;
  }
};

const fixes: Readonly<Record<string, string>> = {
  EADDRINUSE: ": stop the process that uses it, or choose another address",
  EACCES: ": choose a port above 1023, or run with permission to use it",
  EADDRNOTAVAIL: ": this machine does not have that address",
};

const explain = async ({ code = "" }: NodeJS.ErrnoException, at: Listen): Promise<string> => {
  const path = typeof at === "object" ? at.path : at;
  if (code === "EADDRINUSE" && typeof path === "string" && !(await isServed(path)))
    return ": the socket file is stale, because no process listens on it; delete it";
  if (code === "EACCES" && typeof path === "string")
    return ": choose a directory that exists and is writable for this process";
  return fixes[code] ?? "";
};

/** Checks whether a process listens on a UNIX socket; a file left by a killed process refuses connections. */
const isServed = async (path: string): Promise<boolean> => {
  const socket = createConnection(path);
  try {
    await once(socket, "connect");
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
};

export const toUrl = ({ name, server }: Listener): string => {
  const address = server.address();
  if (typeof address === "string" || address === null) return String(address);
  const host = ["::", "0.0.0.0"].includes(address.address) ? "localhost" : address.address;
  return `${name}://${host.includes(":") ? `[${host}]` : host}:${address.port}`;
};
