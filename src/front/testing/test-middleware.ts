import { EndpointsFactory } from "../../define/endpoint/endpoints-factory.ts";
import { toEndpointSources } from "../../define/endpoint/input-sources.ts";
import type { ContextOf } from "../../define/endpoint/handler-arguments.ts";
import {
  isMiddleware,
  type Middleware,
  type MiddlewareReturn,
} from "../../define/endpoint/middleware.ts";
import { sent, type Outcome } from "../../define/endpoint/outcome.ts";
import { anything, anyObject } from "../../basics/messages/option-checks.ts";
import {
  planEndpoint,
  type EndpointPlan,
  type MiddlewareStep,
} from "../../serve/pipeline/endpoint-plan.ts";
import { runMiddlewares } from "../../serve/pipeline/run-middlewares.ts";
import { answerError } from "../../serve/pipeline/answer-error.ts";
import { EndpointRun } from "../../serve/pipeline/endpoint-run.ts";
import type { EmptyObject, InputSchema } from "../../basics/schemas/schema.ts";
import { runInMemory } from "./run-in-memory.ts";
import {
  assertTestOptions,
  refuseTest,
  type TestOptions,
  type TestResult,
} from "./test-options.ts";

/** Options for {@link testMiddleware}. */
export type TestMiddlewareOptions<
  Context = EmptyObject,
  Returned extends MiddlewareReturn = MiddlewareReturn,
  Input extends InputSchema = InputSchema,
  LoggerProps extends object = object,
> = TestOptions<LoggerProps> & {
  /** The middleware under test. */
  readonly middleware: Middleware<Context, Returned, Input>;
} & ContextOption<Context>;

/** The context that earlier middlewares have returned; required if the middleware needs any. */
type ContextOption<Context> = {} extends Context
  ? { readonly ctx?: NoInfer<Context> | undefined }
  : { readonly ctx: NoInfer<Context> };

/** The result of a middleware test. */
export interface TestMiddlewareResult<
  Output,
  LoggerProps extends object = object,
> extends TestResult<LoggerProps> {
  /** The value that the middleware returned; `{}` if it threw. */
  readonly output: Output;
}

const where = "testMiddleware";

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
  assertTestOptions(where, options, { middleware: anything, ctx: anyObject });
  const { middleware, ctx } = options as { readonly middleware: unknown; readonly ctx?: object };
  if (!isMiddleware(middleware))
    return refuseTest(
      where,
      "`middleware` must be a middleware, made with `new Middleware({ ... })`.",
    );
  let output: unknown = {};
  const result = await runInMemory(where, options, undefined, async (scene) => {
    const { state } = scene;
    let returned: unknown;
    let plan: EndpointPlan | undefined;
    try {
      const endpoint = new EndpointsFactory(state.errorHandler)
        .addMiddleware(middleware as Middleware)
        .buildVoid({ handler: () => undefined });
      const sources = toEndpointSources(undefined, scene.config.inputSources, scene.method);
      plan = planEndpoint(endpoint, sources);
      const middlewares = plan.middlewares.map((step) =>
        toSpy(step, (given) => (returned = given)),
      );
      const run = new EndpointRun({ ...plan, middlewares });
      state.enter(run);
      Object.assign(run.ctx, ctx);
      await runMiddlewares(run, state, () => Promise.resolve(sent));
      output = returned;
    } catch (error) {
      await answerError(state, error, { plan });
    }
  });
  return { ...result, output: output as ContextOf<Returned> };
};

const toSpy = (step: MiddlewareStep, tell: (given: unknown) => unknown): MiddlewareStep => {
  const { handle, around } = step;
  return {
    ...step,
    handle: async (args) => {
      const returned: unknown = await handle(args);
      tell(returned);
      return returned;
    },
    around:
      around &&
      ((args, state, { run, fail }) => {
        const runAndTell = (context: unknown): Promise<Outcome> => {
          tell(context);
          return run(context);
        };
        return around(args, state, { run: runAndTell, fail });
      }),
  };
};
