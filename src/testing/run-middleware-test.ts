import { toMergeOrder } from "../endpoint/input-sources.ts";
import { isMiddleware, type AnyMiddleware } from "../endpoint/middleware.ts";
import { DefinitionError } from "../errors.ts";
import { combineInput } from "../pipeline/combine-input.ts";
import { planMiddleware } from "../pipeline/endpoint-plan.ts";
import { runMiddlewares } from "../pipeline/run-middlewares.ts";
import { sendError } from "../pipeline/send-result.ts";
import { currentWalk, Walk, type WalkingRequest } from "../pipeline/walk.ts";
import { defaultResultHandler } from "../results/default-result-handler.ts";
import { listFileLists } from "../schemas/upload.ts";
import { runInMemory, type Scene } from "./run-in-memory.ts";
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
    const walk = toWalk(scene, ctx as object | undefined);
    let returned: unknown;
    const spy = Object.create(middleware, {
      handle: { value: async (args: never) => (returned = await middleware.handle(args)) },
    }) as AnyMiddleware;
    try {
      const lists = middleware.inputSchema ? listFileLists(middleware.inputSchema) : [];
      walk.combined = combineInput(scene.request, toMergeOrder(scene.sources), lists);
      await runMiddlewares([planMiddleware(spy)], walk);
      output = returned;
    } catch (error) {
      await sendError(walk, error);
    }
  });
  return { ...result, output };
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
