import type { Request } from "../../basics/http/express-objects.ts";
import type { Logger } from "../../basics/logger/logger.ts";
import { DefinitionError } from "../../basics/errors.ts";
import { ensureError } from "../../wire/reply/http-error.ts";
import { anything, checkDefinition } from "../../basics/messages/option-checks.ts";
import {
  toErrorDeclarations,
  type ErrorDeclarations,
  type ErrorFaults,
} from "./declared-errors.ts";
import {
  createErrorFactories,
  readDeclaration,
  type ErrorFactories,
  type ThrowableErrors,
} from "./error-factories.ts";
import type { MaybePromise } from "./handler-arguments.ts";
import { middlewareMark, type AnyMiddleware } from "./middleware.ts";

/** The argument of a handler of `onError`. */
export interface ThrownArguments<Errors> {
  /** What was thrown. A value that is no Error is the `cause` of one. */
  readonly error: Error;
  /** Creates the declared errors, by status or name. */
  readonly errors: ErrorFactories<Errors>;
  readonly request: Request;
  readonly logger: Logger;
}

// oxlint-disable-next-line typescript/no-invalid-void-type -- a handler without a return statement
type Mapped = MaybePromise<Error | null | undefined | void>;

/** Converts errors that endpoints throw, such as those of a database, to errors that clients understand. */
export interface ErrorMapping<Before, Thrown extends ErrorDeclarations> {
  /** The errors that the handler creates, declared for every endpoint concerned. */
  readonly errors?: (Thrown & ErrorFaults<Thrown>) | undefined;
  /** Returns the error to send in place of the one that was thrown, or nothing to send the latter. */
  // a method, so that a configuration of a wider type is accepted
  handler(this: void, args: ThrownArguments<ThrowableErrors<Before, Thrown>>): Mapped;
}

/** An {@link ErrorMapping} of any type. */
export interface AnyErrorMapping {
  readonly errors?: ErrorDeclarations | undefined;
  readonly handler: (this: void, args: never) => Mapped;
}

/**
 * Returns the middleware that holds a mapping; it never runs, but errors are passed to its `mapError`.
 *
 * @param before the declarations that the handler may use in addition to its own
 */
export const toErrorMapper = (
  where: string,
  definition: AnyErrorMapping,
  before: readonly (ErrorDeclarations | undefined)[] = [],
): AnyMiddleware => {
  if (typeof definition?.handler !== "function")
    throw new DefinitionError(
      "SLP_DEFINITION_HANDLER",
      `${where}: \`handler\` must be a function that returns the error to send, or nothing.`,
    );
  checkDefinition(where, definition, { errors: anything, handler: anything });
  const errors = toErrorDeclarations(where, definition.errors);
  const factories = createErrorFactories(...before, errors);
  const handler = definition.handler as (args: object) => unknown;
  return {
    [middlewareMark]: true,
    errors,
    mapError: (args: object) => handler({ ...args, errors: factories }),
    handle: () => undefined,
  };
};

/** Passes an error to the mappings of an endpoint, the last one of its factory first; returns what is to be sent. */
export const mapError = async (
  mappers: readonly NonNullable<AnyMiddleware["mapError"]>[],
  thrown: Error,
  { request, logger }: { readonly request: Request; readonly logger: Logger },
): Promise<Error> => {
  let error = thrown;
  for (const map of mappers.toReversed())
    try {
      const mapped = await map({ error, request, logger } as never);
      if (mapped !== undefined && mapped !== null) error = ensureError(mapped);
    } catch (failure) {
      const next = ensureError(failure);
      // the failure is logged where it is sent, and would hide what was thrown first
      if (!readDeclaration(next))
        logger.error("`onError` has failed to convert an error", { error });
      error = next;
    }
  return error;
};
