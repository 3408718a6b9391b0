import type { IncomingMessage } from "node:http";

/** The state of a stream, as far as its end is concerned. */
interface StreamState {
  ended: boolean;
  endEmitted: boolean;
  destroyed: boolean;
  closed: boolean;
  closeEmitted: boolean;
}

/**
 * Ends a request without a body, or whose body has been read, if nobody listens: it immediately gets the state that it
 * would have later. Node would read such a request to its end in several turns, which takes a twentieth of a request's
 * time.
 *
 * @returns whether it was ended
 */
export const endQuietly = (request: IncomingMessage): boolean => {
  if (request.destroyed) return request.readableEnded;
  const isUnheard =
    request.complete &&
    request.readableLength === 0 &&
    request.readableFlowing === null &&
    request.listenerCount("end") === 0 &&
    request.listenerCount("close") === 0;
  if (!isUnheard) return false;
  const state = (request as unknown as { readonly _readableState: StreamState })._readableState;
  state.ended = true;
  state.endEmitted = true;
  if (!request.readableEnded) return false;
  state.destroyed = true;
  state.closed = true;
  state.closeEmitted = true;
  return true;
};
