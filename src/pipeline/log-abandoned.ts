import type { Walk } from "./walk.ts";

/** Logs that nobody waits for the response any more. */
export const logAbandoned = ({ request, logger }: Pick<Walk, "request" | "logger">): void => {
  logger.debug("The client left before the response", { method: request.method });
};
