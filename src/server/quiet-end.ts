import type { IncomingMessage } from "node:http";

/** The state of a stream, as far as the end of one touches it. */
interface StreamState {
  endEmitted: boolean;
  destroyed: boolean;
  closed: boolean;
  closeEmitted: boolean;
}

/**
 * Ends a request whose body is read, or that has none, where nobody listens: its state is at once what it would be later.
 *
 * Node reads such a request to its end in several turns, for nobody, which takes a twentieth of the time of a request.
 *
 * @returns whether it is ended
 */
export const endQuietly = (request: IncomingMessage): boolean => {
  const isUnheard =
    request.complete &&
    request.readableLength === 0 &&
    request.readableFlowing === null &&
    !request.destroyed &&
    request.eventNames().length === 0;
  if (!isUnheard) return false;
  const state = (request as unknown as { readonly _readableState: StreamState })._readableState;
  state.endEmitted = true;
  if (!request.readableEnded) return false;
  state.destroyed = true;
  state.closed = true;
  state.closeEmitted = true;
  return true;
};
