import type { Walk } from "./walk.ts";

/** Logs that the client disconnected before the response was sent. */
export const logAbandoned = ({ request, logger }: Pick<Walk, "request" | "logger">): void => {
  logger.debug("The client disconnected before the response was sent", { method: request.method });
};
