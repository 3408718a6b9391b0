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

/** The options of a context. */
export interface ContextOptions<Returned> {
  /** Releases what the context holds, such as a connection, once everything that uses the context has ended. */
  readonly dispose?: ((context: Returned) => unknown) | undefined;
  /**
   * Whether the context is only created once the body has been read and the endpoint's own input is valid.
   *
   * @default false
   */
  readonly afterValidation?: boolean | undefined;
}
