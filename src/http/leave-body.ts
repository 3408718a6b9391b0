import type { IncomingMessage, ServerResponse } from "node:http";
import { drain } from "./drain.ts";
import { closeAfterReply, endLingering, isClosing } from "./lingering-close.ts";

/** The maximum number of bytes of an unwanted body that are read to keep the connection open. */
const maxLeft = 65_536;

/**
 * Gets rid of the rest of a body when the response begins, because its bytes precede the next request on the
 * connection. The rest is read and discarded once the response has been sent. If the request was rejected, only a
 * little of its body is read; if there is more, the connection is closed after the response.
 */
export const leaveBody = (
  request: IncomingMessage,
  response: ServerResponse,
  isRefused: boolean,
): void => {
  if (request.complete) return;
  const { expect, "content-length": length } = request.headers;
  if (isRefused && Number(length) > maxLeft) {
    closeAfterReply(request, response, 0);
  } else if (isRefused && expect === undefined) {
    let left = maxLeft;
    request.on("data", (piece: Buffer) => {
      left -= piece.length;
      if (left < 0) endLater(request, response);
    });
    drain(request);
  } else {
    const drainLeft = (): void => {
      if (!request.complete && !request.destroyed) drain(request);
    };
    if (response.writableFinished) drainLeft();
    else response.once("finish", drainLeft);
  }
};

const endLater = (request: IncomingMessage, response: ServerResponse): void => {
  closeAfterReply(request, response, 0);
  if (isClosing(request.socket)) return;
  request.pause();
  const end = (): void => endLingering(request);
  if (response.writableFinished) end();
  else response.once("finish", end);
};
