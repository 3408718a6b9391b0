import type { Response } from "express";
import { clearRepresentation, cutOff } from "../exchange/node-response.ts";
import { toStatusText } from "../../basics/http/status.ts";

/** Responds with 500 in plain text, or cuts off a response that has begun. Never throws. */
export const sendLastResort = (response: Response): void => {
  try {
    if (response.headersSent) {
      if (!response.writableEnded) cutOff(response);
      return;
    }
    if (response.destroyed || response.closed) return;
    const text = toStatusText(500);
    clearRepresentation(response);
    response.statusCode = 500;
    response.setHeader("Content-Type", "text/plain; charset=utf-8");
    response.setHeader("Content-Length", text.length);
    response.setHeader("Cache-Control", "no-store");
    response.setHeader("X-Content-Type-Options", "nosniff");
    response.end(response.req.method === "HEAD" ? undefined : text);
  } catch {
    // a method of the response was replaced, or a value that Node rejects was set
    response.destroy();
  }
};
