import { z } from "zod";
import { isEndpoint, type AnyEndpoint } from "../../define/endpoint/endpoint.ts";
import { toEndpointSources } from "../../define/endpoint/input-sources.ts";
import { Middleware } from "../../define/endpoint/middleware.ts";
import { getRawBody, keepRawBody } from "../../define/endpoint/raw-body.ts";
import { RequestError } from "../../basics/errors.ts";
import { toAllowed } from "../../basics/http/method.ts";
import { anyObject, anything } from "../../basics/messages/option-checks.ts";
import { planEndpoint } from "../../serve/pipeline/endpoint-plan.ts";
import { runNativePreflight } from "../server/dispatch.ts";
import { sendPreflight, setCorsHeaders } from "../../serve/request/cors.ts";
import { readTopLevel } from "../../basics/schemas/top-level-keys.ts";
import { toBytes } from "./apply-request-props.ts";
import { runInMemory } from "./run-in-memory.ts";
import {
  assertTestOptions,
  refuseTest,
  type TestEndpointOptions,
  type TestResult,
} from "./test-options.ts";

const where = "testEndpoint";

/**
 * Runs an endpoint without a server, but with the same stages, from its middlewares to the bytes of the response.
 *
 * The body is given in its parsed form. CORS headers are set if `configProps.cors` requests them. With `ctx`, the
 * middlewares do not run, and the handler receives that context.
 *
 * @throws {@link DefinitionError} when an option is invalid or the endpoint lacks the method, ConfigError when
 * `configProps` is invalid. Errors of the endpoint become error responses.
 * @example
 * const { responseMock, loggerMock } = await testEndpoint({
 *   endpoint: getUser,
 *   requestProps: { method: "GET", params: { id: "1" } },
 * });
 * expect(responseMock._getStatusCode()).toBe(200);
 * expect(loggerMock._getLogs().error).toEqual([]);
 */
export const testEndpoint = async <LoggerProps extends object = object>(
  options: TestEndpointOptions<LoggerProps>,
): Promise<TestResult<LoggerProps>> => {
  if (isEndpoint(options))
    refuseTest(where, "got an endpoint; pass it as an option, testEndpoint({ endpoint }).");
  assertTestOptions(where, options, { endpoint: anything, ctx: anyObject });
  const { endpoint: given, ctx } = options;
  if (!isEndpoint(given))
    return refuseTest(where, "`endpoint` must be an endpoint, made with a factory's `build`.");
  const endpoint = ctx ? withContext(given, ctx) : given;
  return runInMemory(where, options, endpoint, async (scene) => {
    const { config, prepared, state, method } = scene;
    const { request, response } = state;
    const sources = toEndpointSources(endpoint.inputSources, config.inputSources, method);
    const plan = planEndpoint(endpoint, sources, config);
    if (scene.isPreflight) {
      const declared = endpoint.methods ?? ["get"];
      if (options.configProps?.cors === false) {
        if (await runNativePreflight(plan, state)) return;
        const allowed = toAllowed(declared, false);
        throw new RequestError("SLP_METHOD_NOT_ALLOWED", { headers: { Allow: allowed } });
      }
      if (typeof config.cors === "function")
        await setCorsHeaders(config.cors, state, endpoint, declared);
      sendPreflight(response, config.cors, declared);
      return;
    }
    if (endpoint.keepsRawBody && getRawBody(request) === undefined)
      keepRawBody(request, toBytes(request.body));
    await prepared.dispatcher.serve(plan, state);
  });
};

/**
 * Returns an endpoint whose handler receives a context in place of that of its middlewares. What is no middleware to
 * users stays: the endpoint's options, such as `ifMatch`, the mappings of `onError`, and the errors and the security that are declared.
 */
const withContext = (endpoint: AnyEndpoint, ctx: object): AnyEndpoint => {
  const names = endpoint.middlewares.flatMap(({ inputSchema }) =>
    inputSchema ? [...readTopLevel(inputSchema).fields.keys()] : [],
  );
  const input = z.object(Object.fromEntries(names.map((name) => [name, z.unknown().optional()])));
  const giving = new Middleware({ input, handler: () => ctx });
  const others = endpoint.middlewares.map((one) =>
    one.option !== undefined || one.mapError
      ? one
      : new Middleware({ errors: one.errors, security: one.security, handler: () => undefined }),
  );
  return { ...endpoint, middlewares: [giving, ...others] };
};
