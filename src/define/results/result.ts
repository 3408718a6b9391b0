import type { Request, Response } from "../../basics/http/express-objects.ts";
import type { Logger } from "../../basics/logger/logger.ts";

/** An error as a result handler receives it; HTTP errors have a status. */
export interface ResultError extends Error {
  readonly statusCode?: number | undefined;
  readonly status?: number | undefined;
  readonly expose?: boolean | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

interface ResultContext {
  /** The combined input before validation; null if the request failed before its sources were combined. */
  readonly input: Readonly<Record<string, unknown>> | null;
  /** The context returned by the middlewares that have run. */
  readonly ctx: Readonly<Record<string, unknown>>;
  readonly request: Request;
  readonly response: Response;
  readonly logger: Logger;
}

/** The outputs that a result handler accepts by default: every object. */
export type AcceptedOutput = Readonly<Record<string, unknown>>;

/**
 * The argument of a result handler's `handler`: either `output` or `error` is set, and the other is null.
 *
 * A handler that supports only certain outputs declares them, as in
 * `({ output, error }: Result<{ rows: Row[] }>) => ...`. In factories with that result handler, an endpoint with any
 * other output is then a compile error.
 */
export type Result<Output = AcceptedOutput> = ResultContext &
  (
    | {
        readonly output: Output;
        readonly error: null;
        readonly errorData?: undefined;
        readonly problem?: undefined;
      }
    | {
        readonly output: null;
        readonly error: ResultError;
        /** The `data` of the error, parsed with the schema that the endpoint or a middleware declares in `errors`. */
        readonly errorData?: unknown;
        /** The `type` and the `title` that the declaration in `errors` has, and the name of the declaration. */
        readonly problem?:
          | {
              readonly code?: string | undefined;
              readonly type?: string | undefined;
              readonly title?: string | undefined;
            }
          | undefined;
      }
  );
