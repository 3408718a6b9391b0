import { once } from "node:events";
import { createConnection } from "node:net";
import type { Logger } from "../../logger/logger.ts";
import type { Listen, Listener } from "./listener.ts";

/** Makes all servers listen, or none; an error of Node gets the option and the fix added to its message. */
export const listen = async (
  listeners: readonly Listener[],
  logger: Logger,
  isAnnounced: boolean,
): Promise<void> => {
  const outcomes = await Promise.allSettled(listeners.map(bind));
  const failure = outcomes.find((outcome) => outcome.status === "rejected");
  if (failure) {
    await Promise.all(
      listeners.map(({ server }) => new Promise((resolve) => server.close(resolve))),
    );
    throw failure.reason;
  }
  if (!isAnnounced) return;
  for (const listener of listeners) logger.info(`Listening on ${toUrl(listener)}`);
};

const bind = async ({ name, server, at }: Listener): Promise<void> => {
  try {
    await once(server.listen(at), "listening");
  } catch (error) {
    const failure = error as NodeJS.ErrnoException;
    const fix = await explain(failure, at);
    failure.message += `. The option \`${name}.listen\` is ${JSON.stringify(at)}${fix}.`;
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
const isServed = (path: string): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = createConnection(path);
    const settle = (isOpen: boolean): void => {
      socket.destroy();
      resolve(isOpen);
    };
    socket.once("connect", () => settle(true)).once("error", () => settle(false));
  });

const toUrl = ({ name, server }: Listener): string => {
  const address = server.address();
  if (typeof address === "string" || address === null) return String(address);
  const host = ["::", "0.0.0.0"].includes(address.address) ? "localhost" : address.address;
  return `${name}://${host.includes(":") ? `[${host}]` : host}:${address.port}`;
};
