import type { Walk } from "./walk.ts";

/** Logs that nobody waits for the response any more. */
export const logAbandoned = ({ request, logger }: Pick<Walk, "request" | "logger">): void => {
  logger.debug("The client has left before the answer", { method: request.method });
};
