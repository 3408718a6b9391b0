import type { ServerResponse } from "node:http";

/** The default of the option `responseIdleTimeout`, in milliseconds. */
export const defaultResponseIdleTimeout = 30_000;

/** What to do with clients that do not read their responses. */
export interface StalledReaderOptions {
  /** How long a client may read nothing, in milliseconds; 0 for no limit. */
  readonly timeout: number;
  readonly report: (response: ServerResponse) => void;
}

/** The responses whose client is watched. */
const watched = new WeakSet<ServerResponse>();

/**
 * Drops the connection of a response whose client reads nothing for too long; called after each write. While the kernel
 * accepts everything that is written, this does nothing and starts no timer.
 */
export const dropStalledReader = (
  response: ServerResponse,
  { timeout, report }: StalledReaderOptions,
): void => {
  const { socket } = response;
  // an adapter's socket may have no length
  if (!socket?.writableLength || timeout === 0 || watched.has(response)) return;
  // the application has set its own timeout, or an adapter's socket has none
  if (socket.timeout || !("setTimeout" in socket)) return;
  watched.add(response);
  // Node counts a part of a write that the client has read as progress, too
  socket.setTimeout(timeout);
  // before Node sets the timeout of the idle connection
  response.prependOnceListener("finish", () => {
    if (socket.timeout === timeout) socket.setTimeout(0);
  });
  response.on("timeout", () => {
    // it may also be the handler that pauses
    if (socket.writableLength === 0) return;
    report(response);
    socket.destroy();
  });
};
