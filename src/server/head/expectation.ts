import type { RequestListener, ServerResponse } from "node:http";
import { closeAfterReply, isClosing } from "../../http/lingering-close.ts";

/**
 * Serves clients that wait to be asked for their body (`Expect: 100-continue`): it is asked for when someone begins to
 * read it, and not before.
 *
 * Where the reply begins and nobody has asked, the client may send the body or not, so the connection ends with the reply.
 *
 * @see RFC 9110, section 10.1.1
 */
export const toExpectingListener =
  (listener: RequestListener): RequestListener =>
  (request, response) => {
    let isAsked = false;
    const onNewListener = (event: string | symbol): void => {
      if ((event !== "data" && event !== "readable") || isClosing(request.socket)) return;
      request.off("newListener", onNewListener);
      isAsked = true;
      // also where the body has arrived meanwhile: without it Node would end the connection
      if (!response.headersSent) response.writeContinue();
    };
    request.on("newListener", onNewListener);
    const writeHead = response.writeHead.bind(response) as (...head: unknown[]) => ServerResponse;
    response.writeHead = (...head: unknown[]) => {
      if (!isAsked) closeAfterReply(request, response);
      return writeHead(...head);
    };
    listener(request, response);
  };
