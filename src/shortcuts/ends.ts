import type { IncomingMessage } from "node:http";
import { findReplyState, type ReplyState } from "../reply/reply-state.ts";

/** Node's own `emit`, for comparison; tools that watch a request replace it. */
const { emit: ownEmit } = process.getBuiltinModule("node:events").prototype as {
  readonly emit: unknown;
};

/** The part of a stream's state that concerns its end. */
interface StreamState {
  ended: boolean;
  endEmitted: boolean;
  destroyed: boolean;
  closed: boolean;
  closeEmitted: boolean;
}

/**
 * Ends a request that has no body, or whose body has been read, if it has no listeners. The request is put into its
 * final state at once. Node would read such a request to its end over several turns of the event loop, which takes 5%
 * of a request's time.
 *
 * @returns whether the request was ended
 */
export const endQuietly = (request: IncomingMessage): boolean => {
  if (request.destroyed) return request.readableEnded;
  const isUnheard =
    request.complete &&
    request.readableLength === 0 &&
    request.readableFlowing === null &&
    request.listenerCount("end") === 0 &&
    request.listenerCount("close") === 0 &&
    request.emit === ownEmit;
  if (!isUnheard) return false;
  const { _readableState: state } = request as unknown as { readonly _readableState?: StreamState };
  if (!state) return false;
  state.ended = true;
  state.endEmitted = true;
  if (!request.readableEnded) return false;
  state.destroyed = true;
  state.closed = true;
  state.closeEmitted = true;
  return true;
};

type Dump = (this: IncomingMessage) => void;

/**
 * Ends the requests of a class quietly once their response is sent, when Node calls a request's `_dump` to read the rest
 * of its body. The listeners of the response run next and may still wait for the end of the request, so a request whose
 * response has such listeners is left to Node.
 */
export const endRequests = (prototype: IncomingMessage): void => {
  const inside = prototype as unknown as { _dump?: Dump };
  const { _dump: dump } = inside;
  if (!dump) return;
  inside._dump = function () {
    let isEnded = false;
    try {
      const state = findReplyState(this);
      isEnded = state !== undefined && !isAwaited(state) && endQuietly(this);
    } catch {
      // an error that is thrown in an event would end the process
    }
    if (!isEnded) dump.call(this);
  };
};

/** Checks whether a response has listeners for its end, other than harmless ones and the one that Node adds. */
const isAwaited = ({ response, harmlessFinishes, harmlessCloses }: ReplyState): boolean =>
  response.listenerCount("finish") > 1 + harmlessFinishes ||
  response.listenerCount("close") > harmlessCloses;
