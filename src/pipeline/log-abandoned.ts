import type { Walk } from "./walk.ts";

/** Says that nobody waits for the answer any more. */
export const logAbandoned = ({ request, logger }: Pick<Walk, "request" | "logger">): void => {
  logger.debug("The client has left before the answer", { method: request.method });
};
