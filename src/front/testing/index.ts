export { testEndpoint } from "./test-endpoint.ts";
export { testMiddleware } from "./test-middleware.ts";
export { testServer } from "./test-server.ts";
export type { TestMiddlewareOptions, TestMiddlewareResult } from "./test-middleware.ts";
export type { TestServer } from "./test-server.ts";
export type { RequestProps, TestEndpointOptions, TestOptions, TestResult } from "./test-options.ts";
export type { JsonData, LoggerMock, Logs, ResponseMock, ResponseMockMethods } from "./mocks.ts";
