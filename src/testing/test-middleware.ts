import { EndpointsFactory } from "../endpoint/endpoints-factory.ts";
import { toEndpointSources } from "../endpoint/input-sources.ts";
import type { ContextOf } from "../endpoint/handler-arguments.ts";
import {
  isMiddleware,
  type AnyMiddleware,
  type Middleware,
  type MiddlewareReturn,
} from "../endpoint/middleware.ts";
import { DefinitionError } from "../errors.ts";
import { planEndpoint } from "../pipeline/endpoint-plan.ts";
import { runMiddlewares } from "../pipeline/run-middlewares.ts";
import { sendError } from "../pipeline/send-result.ts";
import { currentWalk, Walk, type WalkingRequest } from "../pipeline/walk.ts";
import { defaultResultHandler } from "../results/default-result-handler.ts";
import type { EmptyObject, InputSchema } from "../schemas/schema.ts";
import { runInMemory, type Scene } from "./run-in-memory.ts";
import { assertTestOptions, type TestOptions, type TestResult } from "./test-options.ts";

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
  assertTestOptions("testMiddleware", options, ["middleware", "ctx"]);
  const { middleware, ctx } = options;
  if (!isMiddleware(middleware))
    throw new DefinitionError(
      "SLP_TEST_OPTIONS",
      "testMiddleware: `middleware` must be a middleware, made with `new Middleware({ ... })`.",
    );
  let output: unknown = {};
  const result = await runInMemory("testMiddleware", options, undefined, async (scene) => {
    const walk = toWalk(scene, ctx as object | undefined);
    let returned: unknown;
    const spy = toSpy(middleware, (given) => (returned = given));
    try {
      const endpoint = new EndpointsFactory(walk.resultHandler)
        .addMiddleware(spy as Middleware)
        .buildVoid({ handler: () => undefined });
      const sources = toEndpointSources(undefined, scene.config.inputSources, scene.method);
      const plan = planEndpoint(endpoint, sources);
      await runMiddlewares(plan, walk, () => Promise.resolve());
      output = returned;
    } catch (error) {
      await sendError(walk, error);
    }
  });
  return { ...result, output: output as ContextOf<Returned> };
};

/** Wraps a middleware to record what it adds to the context. */
const toSpy = (middleware: AnyMiddleware, tell: (given: unknown) => void): AnyMiddleware => {
  const { span } = middleware;
  const handle: AnyMiddleware["handle"] = async (args) => {
    const returned: unknown = await middleware.handle(args);
    tell(returned);
    return returned;
  };
  const telling: AnyMiddleware["span"] =
    span &&
    ((args, rest) => {
      const run: typeof rest.run = (context) => {
        tell(context);
        return rest.run(context);
      };
      return span.call(middleware, args, { ...rest, run });
    });
  return Object.create(middleware, {
    handle: { value: handle },
    span: { value: telling },
  }) as AnyMiddleware;
};

const toWalk = ({ config, prepared, request, response }: Scene, ctx: object = {}): Walk => {
  const walk = new Walk(
    request,
    response,
    prepared.getLogger(request),
    config.errorHandler ?? defaultResultHandler,
    Object.assign(Object.create(null) as Walk["ctx"], ctx),
  );
  (request as WalkingRequest)[currentWalk] = walk;
  return walk;
};
