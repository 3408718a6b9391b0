import type { TestEndpointOptions, TestResult } from "./test-options.ts";

/**
 * Runs an endpoint without a server, but with the same stages, from its middlewares to the bytes of the response.
 *
 * The body is given in its parsed form. CORS headers are set if `configProps.cors` requests them.
 *
 * @returns the request and the response as the handler saw them, what the client received, and the log
 * @throws {@link DefinitionError} when an option is invalid or the endpoint lacks the method, ConfigError when
 * `configProps` is invalid. Errors of the endpoint become error responses.
 * @example
 * const { responseMock, loggerMock } = await testEndpoint({
 *   endpoint: getUser,
 *   requestProps: { method: "GET", params: { id: "1" } },
 * });
 * expect(responseMock._getStatusCode()).toBe(200);
 * expect(responseMock._getJSONData()).toEqual({ status: "success", data: { name: "Ada" } });
 * expect(loggerMock._getLogs().error).toEqual([]);
 */
export const testEndpoint = async <LoggerProps extends object = object>(
  options: TestEndpointOptions<LoggerProps>,
): Promise<TestResult<LoggerProps>> => {
  const { runEndpointTest } = await import("./run-endpoint-test.ts");
  return runEndpointTest(options);
};
