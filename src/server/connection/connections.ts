import type { Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { closeIdleBut, findReply, readThroughStream } from "../../http/node-internals.ts";

/** The connections of a server, beyond what Node knows of them. */
class Connections {
  readonly #sockets = new Set<Socket>();
  /** Those that have sent something over TLS. */
  readonly #heard = new WeakSet<Socket>();
  /** TCP connections whose TLS is not set up, by their address. */
  readonly #handshakes = new Map<string, Socket>();
  readonly #isTls: boolean;

  constructor(server: Server, isTls: boolean) {
    this.#isTls = isTls;
    if (isTls) {
      server.on("connection", (socket: Socket) => {
        const address = toAddress(socket);
        this.#handshakes.set(address, socket);
        socket.once("close", () => this.#handshakes.delete(address));
      });
      server.on("secureConnection", (socket: Socket) => {
        this.#handshakes.delete(toAddress(socket));
        this.#add(socket);
        readThroughStream(socket, () => this.#heard.add(socket));
      });
    } else {
      server.on("connection", (socket: Socket) => this.#add(socket));
    }
  }

  /** The replies that are ended although bytes of them still wait in this process. */
  listUnsent(): ServerResponse[] {
    return [...this.#sockets].flatMap((socket) => {
      const reply = findReply(socket);
      return reply?.finished === true && socket.writableLength > 0 ? reply : [];
    });
  }

  /** Ends those that have sent nothing at all, which Node takes for requests under way. */
  endSilent(): void {
    for (const socket of this.#handshakes.values()) socket.destroy();
    for (const socket of this.#sockets)
      if (this.#isTls ? !this.#heard.has(socket) : socket.bytesRead === 0) socket.destroy();
  }

  #add(socket: Socket): void {
    this.#sockets.add(socket);
    socket.once("close", () => this.#sockets.delete(socket));
  }
}

const toAddress = ({ remoteAddress, remotePort }: Socket): string =>
  `${remoteAddress} ${remotePort}`;

const connectionsOf = new WeakMap<Server, Connections>();

/**
 * Watches the connections of a server, and keeps replies whose client is still reading them out of `closeIdleConnections`,
 * which `close` calls as well.
 */
export const watchConnections = (server: Server, isTls: boolean): void => {
  const connections = new Connections(server, isTls);
  connectionsOf.set(server, connections);
  const closeIdle = server.closeIdleConnections.bind(server);
  server.closeIdleConnections = () => {
    closeIdleBut(connections.listUnsent(), closeIdle);
  };
};

/** Ends the connections of a server that wait for a request, also those on which none has ever come. */
export const endIdleConnections = (server: Server): void => {
  connectionsOf.get(server)?.endSilent();
  server.closeIdleConnections();
};
