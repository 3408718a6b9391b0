import type { ServerResponse } from "node:http";

/** The default of the option `responseIdleTimeout`, in milliseconds. */
export const defaultResponseIdleTimeout = 30_000;

/** Options for dropping clients that do not read their responses. */
export interface StalledReaderOptions {
  /** How long a client may read nothing, in milliseconds; 0 for no limit. */
  readonly timeout: number;
  readonly report: (response: ServerResponse) => void;
}

/** The responses whose clients are watched. */
const watched = new WeakSet<ServerResponse>();

/**
 * Drops the connection of a response whose client reads nothing for too long; called after each write. As long as the
 * kernel accepts everything that is written, no timer is started.
 */
export const dropStalledReader = (
  response: ServerResponse,
  { timeout, report }: StalledReaderOptions,
): void => {
  const { socket } = response;
  // an adapter's socket may have no `writableLength`
  if (!socket?.writableLength || timeout === 0 || watched.has(response)) return;
  // the application may have set its own timeout, and an adapter's socket may have no `setTimeout`
  if (socket.timeout || !("setTimeout" in socket)) return;
  watched.add(response);
  // Node's timeout also restarts when the client has read a part of a write
  socket.setTimeout(timeout);
  // this must run before Node sets the timeout of the idle connection
  response.prependOnceListener("finish", () => {
    if (socket.timeout === timeout) socket.setTimeout(0);
  });
  response.on("timeout", () => {
    // the timeout also expires if the handler pauses after the client has read everything
    if (socket.writableLength === 0) return;
    report(response);
    socket.destroy();
  });
};
