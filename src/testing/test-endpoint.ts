import { isEndpoint } from "../endpoint/endpoint.ts";
import { toEndpointSources } from "../endpoint/input-sources.ts";
import { getRawBody, keepRawBody } from "../endpoint/raw-body.ts";
import { DefinitionError, RequestError } from "../errors.ts";
import { planEndpoint } from "../pipeline/endpoint-plan.ts";
import { answerPreflight, runNativePreflight, toAllowed } from "../server/dispatch.ts";
import { setCorsHeaders } from "../request/cors.ts";
import { runInMemory } from "./run-in-memory.ts";
import { assertTestOptions, type TestEndpointOptions, type TestResult } from "./test-options.ts";

/**
 * Runs an endpoint without a server, but with the same stages, from its middlewares to the bytes of the response.
 *
 * The body is given in its parsed form. CORS headers are set if `configProps.cors` requests them.
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
    throw new DefinitionError(
      "SLP_TEST_OPTIONS",
      "testEndpoint: got an endpoint; pass it as an option, testEndpoint({ endpoint }).",
    );
  assertTestOptions("testEndpoint", options, ["endpoint"]);
  const { endpoint } = options;
  if (!isEndpoint(endpoint))
    throw new DefinitionError(
      "SLP_TEST_OPTIONS",
      "testEndpoint: `endpoint` must be an endpoint, made with a factory's `build`.",
    );
  return runInMemory("testEndpoint", options, endpoint, async (scene) => {
    const { config, prepared, state, request, response, method } = scene;
    const sources = toEndpointSources(endpoint.inputSources, config.inputSources, method);
    const plan = planEndpoint(endpoint, sources, config);
    if (scene.isPreflight) {
      if (options.configProps?.cors === false) {
        if (await runNativePreflight(plan, state)) return;
        const allowed = toAllowed(endpoint.methods ?? ["get"], false);
        throw new RequestError("SLP_METHOD_NOT_ALLOWED", { headers: { Allow: allowed } });
      }
      if (typeof config.cors === "function") await setCorsHeaders(config.cors, state, endpoint);
      answerPreflight(response);
      return;
    }
    if (endpoint.keepsRawBody && getRawBody(request) === undefined)
      keepRawBody(request, toBytes(request.body));
    await prepared.dispatcher.serve(plan, state);
  });
};

/** Converts a body to the bytes that a client would have sent. */
const toBytes = (body: unknown): Buffer =>
  Buffer.isBuffer(body)
    ? body
    : Buffer.from(typeof body === "string" ? body : JSON.stringify(body));
