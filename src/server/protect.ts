import type { IncomingMessage, ServerResponse } from "node:http";
import type { Request, Response } from "express";
import type { Logger } from "../logger/logger.ts";
import { recover } from "../pipeline/send-result.ts";
import type { RunningListener } from "./head/expectation.ts";

/**
 * Makes sure that a defect of the framework itself neither ends the process nor leaves a client without a response:
 * whatever a listener throws is logged, and responded to with 500.
 */
export const protect = (
  listener: RunningListener,
  getLogger: (request: Request) => Logger,
): ((message: IncomingMessage, reply: ServerResponse) => void) => {
  const fail = (error: unknown, message: IncomingMessage, reply: ServerResponse): void => {
    const request = message as Request;
    recover({ request, response: reply as Response, logger: getLogger(request) }, error);
  };
  return (message, reply) => {
    try {
      const running = listener(message, reply);
      if (running instanceof Promise)
        running.catch((error: unknown) => fail(error, message, reply));
    } catch (error) {
      fail(error, message, reply);
    }
  };
};
