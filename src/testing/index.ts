// these modules are loaded eagerly, so that a test with a fake clock need not wait for a module
import "./run-endpoint-test.ts";
import "./run-middleware-test.ts";
import "./run-test-server.ts";

export { testEndpoint } from "./test-endpoint.ts";
export { testMiddleware } from "./test-middleware.ts";
export { testServer } from "./test-server.ts";
export type { TestMiddlewareOptions, TestMiddlewareResult } from "./test-middleware.ts";
export type { TestServer } from "./run-test-server.ts";
export type { RequestProps, TestEndpointOptions, TestOptions, TestResult } from "./test-options.ts";
export type { LoggerMock, Logs, ResponseMock, ResponseMockMethods } from "./mocks.ts";
