import type { ContextOf } from "../endpoint/handler-arguments.ts";
import type { Middleware, MiddlewareReturn } from "../endpoint/middleware.ts";
import type { EmptyObject, InputSchema } from "../schemas/schema.ts";
import type { TestOptions, TestResult } from "./test-options.ts";

/** Options for {@link testMiddleware}. */
export interface TestMiddlewareOptions<
  Context = EmptyObject,
  Returned extends MiddlewareReturn = MiddlewareReturn,
  Input extends InputSchema = InputSchema,
  LoggerProps extends object = object,
> extends TestOptions<LoggerProps> {
  /** The middleware under test. */
  readonly middleware: Middleware<Context, Returned, Input>;
  /** The context that earlier middlewares have returned. */
  readonly ctx?: Context | undefined;
}

/** The result of a middleware test. */
export interface TestMiddlewareResult<
  Output,
  LoggerProps extends object = object,
> extends TestResult<LoggerProps> {
  /** The value that the middleware returned; `{}` if it threw. */
  readonly output: Output;
}

/**
 * Runs one middleware without a server.
 *
 * `configProps.errorHandler`, or the default result handler, sends the errors that the middleware throws.
 *
 * @throws {@link DefinitionError} when an option is invalid, ConfigError when `configProps` is invalid. Errors of the
 * middleware become error responses.
 * @example
 * const { output, responseMock } = await testMiddleware({
 *   middleware: auth,
 *   requestProps: { method: "POST", headers: { authorization: "Bearer abc" } },
 * });
 * expect(output).toEqual({ user: { id: "1" } });
 */
export const testMiddleware = async <
  Context = EmptyObject,
  Returned extends MiddlewareReturn = MiddlewareReturn,
  Input extends InputSchema = InputSchema,
  LoggerProps extends object = object,
>(
  options: TestMiddlewareOptions<Context, Returned, Input, LoggerProps>,
): Promise<TestMiddlewareResult<ContextOf<Returned>, LoggerProps>> => {
  const { runMiddlewareTest } = await import("./run-middleware-test.ts");
  const result = await runMiddlewareTest(options);
  return { ...result, output: result.output as ContextOf<Returned> };
};
