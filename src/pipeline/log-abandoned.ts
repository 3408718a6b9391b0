import type { Walk } from "./walk.ts";

/** Says that nobody waits for the answer any more. */
export const logAbandoned = ({ request, logger }: Walk): void => {
  logger.debug("The client has left before the answer", { method: request.method });
};
