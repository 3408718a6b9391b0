import type { Server } from "node:http";
import type { Logger } from "../logger/logger.ts";
import type { Listen } from "./config.ts";

/** A server with where it is to listen. */
export interface Listener {
  readonly name: "http" | "https";
  readonly server: Server;
  readonly at: Listen;
}

/**
 * Makes servers listen, all of them or none.
 *
 * @throws Node's error, its message extended by the option and the fix, when one of them cannot.
 */
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
  for (const { name, server } of listeners) logger.info(`Listening on ${toUrl(name, server)}`);
};

const bind = ({ name, server, at }: Listener): Promise<void> =>
  new Promise((resolve, reject) => {
    const onError = (error: NodeJS.ErrnoException): void => {
      error.message += `. The option \`${name}.listen\` is ${JSON.stringify(at)}${toFix(error.code)}.`;
      reject(error);
    };
    server.once("error", onError);
    server.listen(at, () => {
      server.off("error", onError);
      resolve();
    });
  });

const fixes: Readonly<Record<string, string>> = {
  EADDRINUSE: ": stop the process that uses it, or choose another one",
  EACCES: ": choose a port above 1023, or run with the right to use it",
  EADDRNOTAVAIL: ": this machine does not have that address",
};

const toFix = (code: string | undefined): string => (code && fixes[code]) ?? "";

const toUrl = (name: string, server: Server): string => {
  const address = server.address();
  if (typeof address === "string" || address === null) return String(address);
  const host = ["::", "0.0.0.0"].includes(address.address) ? "localhost" : address.address;
  return `${name}://${host.includes(":") ? `[${host}]` : host}:${address.port}`;
};
