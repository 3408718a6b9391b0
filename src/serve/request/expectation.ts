import type { IncomingMessage, ServerResponse } from "node:http";
import { beforeHead } from "../../wire/exchange/replace-methods.ts";
import { closeAfterReply, isClosing } from "../../wire/reply/close-after-reply.ts";

/**
 * Prepares a request with `Expect: 100-continue`: the permission to send the body is granted when the body is first
 * read. If the response begins before that, the connection ends with it, because the body may follow or not.
 *
 * @see RFC 9110, section 10.1.1
 */
export const expectBody = (request: IncomingMessage, response: ServerResponse): void => {
  let isAsked = false;
  const onNewListener = (event: string | symbol): void => {
    if ((event !== "data" && event !== "readable") || isClosing(request.socket)) return;
    request.off("newListener", onNewListener);
    isAsked = true;
    // this is sent even if the body has arrived in the meantime, because Node would otherwise end the connection
    if (!response.headersSent) response.writeContinue();
  };
  request.on("newListener", onNewListener);
  beforeHead(response, () => {
    if (!isAsked) closeAfterReply(request, response);
  });
};
