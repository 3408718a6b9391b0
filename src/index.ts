// Starting
export { createConfig } from "./server/config/config.ts";
export { createServer } from "./server/create-server.ts";
export { attachRouting } from "./server/attach-routing.ts";

// Declaring
export { EventStreamFactory } from "./endpoint/event-stream-factory.ts";
export {
  arrayEndpointsFactory,
  defaultEndpointsFactory,
  EndpointsFactory,
  problemEndpointsFactory,
} from "./endpoint/endpoints-factory.ts";
export { Middleware } from "./endpoint/middleware.ts";
export { getRawBody } from "./endpoint/raw-body.ts";
export { ServeStatic } from "./routing/static-files.ts";
export { ez } from "./schemas/ez.ts";

// Responding
export { ResultHandler } from "./results/result-handler.ts";
export { defaultResultHandler } from "./results/default-result-handler.ts";
export { problemResultHandler } from "./results/problem-result-handler.ts";
export { arrayResultHandler } from "./results/array-result-handler.ts";
export { ensureHttpError, getMessageFromError, toPublicMessage } from "./reply/http-error.ts";

// Errors
export { ApiError } from "./endpoint/error-factories.ts";
export { ConfigError, DefinitionError, RequestError, RoutingError, ServerFault } from "./errors.ts";
export { InputValidationError, OutputValidationError } from "./schemas/issues.ts";

// Types: configuration
export type {
  AppConfig,
  CommonConfig,
  AccessedReply,
  CompressionOptions,
  HookArguments,
  ServerConfig,
} from "./server/config/config.ts";
export type { UploadOptions } from "./request/uploads.ts";
export type { UploadLimits } from "./endpoint/body-limits.ts";
export type { DocsOptions } from "./docs-page/docs-options.ts";
export type { CookieOptions } from "./request/cookies.ts";
export type { ShutdownOptions } from "./server/connection/shutdown.ts";
export type { CorsArguments, CorsFunction } from "./request/cors.ts";
export type { RunningServer } from "./server/start-server.ts";
export type { AttachedRouting } from "./server/attach-routing.ts";
export type { InputSource, InputSources } from "./endpoint/input-sources.ts";
export type { Logger, LoggerOverrides } from "./logger/logger.ts";
export type { ConsoleLoggerOptions, LogLevel } from "./logger/console-logger.ts";

// Types: declarations
export type { Method } from "./http/method.ts";
export type { Request, Response } from "./http/express-objects.ts";
export type { AnyEndpoint } from "./endpoint/endpoint.ts";
export type { ErrorDeclaration, ErrorDeclarations } from "./endpoint/declared-errors.ts";
export type { EventStream } from "./endpoint/event-stream.ts";
export type { EmitOptions } from "./reply/event-writer.ts";
export type { EventStreamOptions } from "./endpoint/event-stream-factory.ts";
export type {
  AnyMiddleware,
  AroundNext,
  ExpressHandler,
  ExpressMiddlewareOptions,
  MiddlewareDefinition,
} from "./endpoint/middleware.ts";
export type { HandlerArguments } from "./endpoint/handler-arguments.ts";
export type { Security } from "./endpoint/security.ts";
export type { Routing } from "./routing/routing.ts";
export type { ServeStaticOptions } from "./routing/static-files.ts";

// Types: results
export type { ApiResponse, ResponseDeclaration } from "./results/api-response.ts";
export type {
  DefaultResultHandler,
  ErrorEnvelope,
  ErrorEnvelopeWithData,
  InputIssue,
  SuccessEnvelope,
} from "./results/default-result-handler.ts";
export type { ProblemDetails } from "./results/problem-result-handler.ts";
export type { LoggedFault, LogFaults } from "./results/log-fault.ts";
export type { HttpError } from "./reply/http-error.ts";
export type { Result, ResultError } from "./results/result.ts";
export type { AnyResultHandler } from "./results/result-handler.ts";

// Types: schemas
export type { CursorCodec, CursorOptions } from "./schemas/cursor.ts";
export type { ContentOptions, FileContent, StreamContent } from "./schemas/content.ts";
export type { PaginatedOptions } from "./schemas/paginated.ts";
export type { FileUpload, RawContent } from "./schemas/bodies.ts";
export type { RequestErrorCode, ServerFaultCode } from "./errors.ts";

// oxlint-disable-next-line unicorn/require-module-specifiers -- a compiler that writes declarations only finds names in files that it has read
export type {} from "./types.ts";
