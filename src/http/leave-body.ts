import type { IncomingMessage, ServerResponse } from "node:http";
import { drain } from "./drain.ts";
import { closeAfterReply } from "./lingering-close.ts";

/** The maximum number of bytes of an unwanted body that are read to keep the connection open. */
const maxLeft = 65_536;

/**
 * Gets rid of the rest of a body when the response begins, because its bytes precede the next request on the
 * connection. The rest is read and discarded once the response has been sent. If the request was rejected, this is only
 * done for a short body; otherwise, the connection is closed after the response, which says so. The same happens if a
 * stream utility has destroyed the request, whose body can then no longer be read.
 */
export const leaveBody = (
  request: IncomingMessage,
  response: ServerResponse,
  isRefused: boolean,
): void => {
  if (!mayHaveBody(request)) return;
  const { expect, "content-length": length, "transfer-encoding": coding } = request.headers;
  const isEndInSight = coding === undefined && Number(length) <= maxLeft;
  if (request.destroyed || (isRefused && !isEndInSight)) {
    closeAfterReply(request, response, 0);
  } else if (isRefused && expect === undefined) {
    drain(request);
  } else {
    const drainLeft = (): void => {
      if (!request.complete && !request.destroyed) drain(request);
    };
    if (response.writableFinished) drainLeft();
    else response.once("finish", drainLeft);
  }
};

const mayHaveBody = ({ complete, headers }: IncomingMessage): boolean =>
  !complete &&
  (headers["content-length"] !== undefined || headers["transfer-encoding"] !== undefined);

/**
 * Makes an error that other code sends itself leave the body unread.
 *
 * @returns a function that ends this
 */
export const watchRefusal = (
  request: IncomingMessage,
  response: ServerResponse,
): (() => void) | undefined => {
  if (!mayHaveBody(request)) return undefined;
  const isOwn = Object.hasOwn(response, "writeHead");
  const { writeHead } = response as { readonly writeHead: unknown };
  const watching = (...head: unknown[]): ServerResponse => {
    if (Number(head[0]) >= 400) leaveBody(request, response, true);
    return Reflect.apply(writeHead as () => ServerResponse, response, head);
  };
  response.writeHead = watching;
  return () => {
    if (response.writeHead !== watching) return;
    if (isOwn) Object.assign(response, { writeHead });
    else Reflect.deleteProperty(response, "writeHead");
  };
};
