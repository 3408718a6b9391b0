import type { IncomingMessage, ServerResponse } from "node:http";
import { closeAfterReply, isClosing } from "../../http/lingering-close.ts";

/** A listener that returns a promise if it is asynchronous. */
export type RunningListener = (request: IncomingMessage, response: ServerResponse) => unknown;

/**
 * Creates a listener for clients that send `Expect: 100-continue` and wait for permission to send their body. The
 * permission is granted when the body is first read. If the response begins before that, the client may or may not send
 * the body, so the connection ends with the response.
 *
 * @see RFC 9110, section 10.1.1
 */
export const toExpectingListener =
  (listener: RunningListener): RunningListener =>
  (request, response) => {
    let isAsked = false;
    const onNewListener = (event: string | symbol): void => {
      if ((event !== "data" && event !== "readable") || isClosing(request.socket)) return;
      request.off("newListener", onNewListener);
      isAsked = true;
      // this is sent even if the body has arrived in the meantime, because Node would otherwise end the connection
      if (!response.headersSent) response.writeContinue();
    };
    request.on("newListener", onNewListener);
    const writeHead = response.writeHead.bind(response) as (...head: unknown[]) => ServerResponse;
    response.writeHead = (...head: unknown[]) => {
      if (!isAsked) closeAfterReply(request, response);
      return writeHead(...head);
    };
    return listener(request, response);
  };
