import type { IncomingMessage } from "node:http";
import { isPushed } from "../../http/node-internals.ts";
import { loadNodeHttp } from "../../lazy/node-modules.ts";

/** Takes the body of a request as it is parsed, instead of the stream of the request. */
export interface BodySink {
  take(piece: Buffer): void;
  /** The body is complete. */
  end(): void;
  /** The client has left, or the connection was closed. */
  leave(): void;
}

/** Where a request has its sink; undefined where the stream takes the body. */
export const bodySink: unique symbol = Symbol.for("sallyport/body-sink");

/** A request that can have a sink. */
export type SinkableRequest = IncomingMessage & { [bodySink]: BodySink | undefined };

/** The methods of every stream, to compare with. */
const { on, emit } = Object.getPrototypeOf(loadNodeHttp().IncomingMessage.prototype) as {
  readonly on: unknown;
  readonly emit: unknown;
};

/** Tells whether nobody has begun to read a request, nor watches it by replacing its methods, as tracing tools do. */
export const isUnread = (request: IncomingMessage): boolean =>
  request.readableFlowing === null &&
  request.listenerCount("data") === 0 &&
  request.readableEncoding === null &&
  request.on === on &&
  request.emit === emit;

/** Tells whether a sink will get the whole body: nobody reads it, and none of it has come so far. */
export const isSinkable = (request: IncomingMessage): request is SinkableRequest =>
  // that a body comes by `push`, which a sink waits for, is known by now
  (request as { readonly [isPushed]?: boolean })[isPushed] === true &&
  isUnread(request) &&
  request.readableLength === 0 &&
  !request.complete &&
  // it is asked for when the stream is read
  request.headers.expect === undefined;
