import type { Logger } from "../logger/logger.ts";

/** Disposes of a context, and only logs a failure, which must not hide the outcome of the request. */
export const disposeOf = async <Returned>(
  context: Returned,
  dispose: (context: Returned) => unknown,
  logger: Logger,
): Promise<void> => {
  try {
    await dispose(context);
  } catch (error) {
    logger.error("The context could not be disposed of", { error });
  }
};
