import type { IncomingMessage } from "node:http";
import { isPushed } from "../../http/node-internals.ts";
import { loadNodeHttp } from "../../lazy/node-modules.ts";

/** Receives the body of a request directly from the parser, instead of the request's stream. */
export interface BodySink {
  take(piece: Buffer): void;
  /** The body is complete. */
  end(): void;
  /** The client has left, or the connection was closed. */
  leave(): void;
}

/** The property of a request with its sink; undefined if the stream receives the body. */
export const bodySink: unique symbol = Symbol.for("sallyport/body-sink");

/** A request that can have a sink. */
export type SinkableRequest = IncomingMessage & { [bodySink]: BodySink | undefined };

/** The methods that every stream has, for comparison. */
const { on, emit } = Object.getPrototypeOf(loadNodeHttp().IncomingMessage.prototype) as {
  readonly on: unknown;
  readonly emit: unknown;
};

/** Checks that nothing has begun to read a request, or watches it by replacing its methods, as tracing tools do. */
export const isUnread = (request: IncomingMessage): boolean =>
  request.readableFlowing === null &&
  request.listenerCount("data") === 0 &&
  request.readableEncoding === null &&
  request.on === on &&
  request.emit === emit;

/** Checks whether a sink will receive the whole body: nothing reads it, and none of it has arrived yet. */
export const isSinkable = (request: IncomingMessage): request is SinkableRequest =>
  // a request of another server or an adapter inherits the flag below, but its body may arrive in another way
  bodySink in request &&
  // by now it is known that bodies come through `push`, which a sink needs
  (request as { readonly [isPushed]?: boolean })[isPushed] === true &&
  isUnread(request) &&
  request.readableLength === 0 &&
  !request.complete &&
  // the client is asked for the body when the stream is read
  request.headers.expect === undefined;
