import type { TestEndpointOptions, TestResult } from "./test-options.ts";

/**
 * Runs an endpoint without a server: the same walk as behind a socket, from its middlewares to the bytes of the response.
 *
 * The body is given as it is once parsed; CORS headers are set where `configProps.cors` asks for them.
 *
 * @returns the request and the response as the handler has seen them, what the client has received, and the log
 * @throws {@link DefinitionError} when an option is wrong or the endpoint does not answer the method, ConfigError
 * when `configProps` are wrong; never what the endpoint throws, which is answered.
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
