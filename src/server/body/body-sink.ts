import type { IncomingMessage } from "node:http";
import { isPushed } from "../../http/node-internals.ts";
import { loadNodeHttp } from "../../lazy/node-modules.ts";

/** A receiver that gets a request's body directly from the parser, instead of from the request's stream. */
export interface BodySink {
  take(piece: Buffer): void;
  /** Called when the body is complete. */
  end(): void;
  /** Called when the client has left or the connection was closed. */
  leave(): void;
}

/** The property of a request that holds its sink; undefined if the stream receives the body. */
export const bodySink: unique symbol = Symbol.for("sallyport/body-sink");

/** A request that can have a sink. */
export type SinkableRequest = IncomingMessage & { [bodySink]: BodySink | undefined };

/** The original methods of streams, for comparison. */
const { on, emit } = Object.getPrototypeOf(loadNodeHttp().IncomingMessage.prototype) as {
  readonly on: unknown;
  readonly emit: unknown;
};

/** Checks whether nothing has begun to read a request, and no tracing tool has replaced its methods to watch it. */
export const isUnread = (request: IncomingMessage): boolean =>
  request.readableFlowing === null &&
  request.listenerCount("data") === 0 &&
  request.readableEncoding === null &&
  request.on === on &&
  request.emit === emit;

/** Checks whether a sink will receive the whole body: nothing reads the body yet, and none of it has arrived. */
export const isSinkable = (request: IncomingMessage): request is SinkableRequest =>
  // requests of other servers and adapters inherit `isPushed` but lack `bodySink`; their bodies may arrive in another way
  bodySink in request &&
  // a sink needs bodies that arrive through `push`, as an earlier request must have shown
  (request as { readonly [isPushed]?: boolean })[isPushed] === true &&
  isUnread(request) &&
  request.readableLength === 0 &&
  !request.complete &&
  // a client that sends `Expect` is only asked for the body when the stream is read
  request.headers.expect === undefined;
