import { EndpointsFactory } from "../endpoint/endpoints-factory.ts";
import { toEndpointSources } from "../endpoint/input-sources.ts";
import { isMiddleware, type AnyMiddleware, type Middleware } from "../endpoint/middleware.ts";
import { DefinitionError } from "../errors.ts";
import { planEndpoint } from "../pipeline/endpoint-plan.ts";
import type { RequestContext } from "../pipeline/request-state.ts";
import { runMiddlewares } from "../pipeline/run-middlewares.ts";
import { sendError } from "../pipeline/send-result.ts";
import { runInMemory } from "./run-in-memory.ts";
import { assertTestOptions, type TestOptions, type TestResult } from "./test-options.ts";

/** Runs a middleware; see `testMiddleware`. */
export const runMiddlewareTest = async <LoggerProps extends object>(
  options: TestOptions<LoggerProps> & {
    readonly middleware: AnyMiddleware;
    readonly ctx?: unknown;
  },
): Promise<TestResult<LoggerProps> & { readonly output: unknown }> => {
  assertTestOptions("testMiddleware", options, ["middleware", "ctx"]);
  const { middleware, ctx } = options;
  if (!isMiddleware(middleware))
    throw new DefinitionError(
      "SLP_TEST_OPTIONS",
      "testMiddleware: `middleware` must be a middleware, made with `new Middleware({ ... })`.",
    );
  let output: unknown = {};
  const result = await runInMemory("testMiddleware", options, undefined, async (scene) => {
    const { state } = scene;
    state.ctx = Object.assign(Object.create(null) as RequestContext, ctx);
    let returned: unknown;
    const spy = toSpy(middleware, (given) => (returned = given));
    try {
      const endpoint = new EndpointsFactory(state.resultHandler)
        .addMiddleware(spy as Middleware)
        .buildVoid({ handler: () => undefined });
      const sources = toEndpointSources(undefined, scene.config.inputSources, scene.method);
      const plan = planEndpoint(endpoint, sources);
      state.plan = plan;
      await runMiddlewares(plan, state, () => Promise.resolve());
      output = returned;
    } catch (error) {
      await sendError(state, error);
    }
  });
  return { ...result, output };
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
