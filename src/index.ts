// Starting
export { createConfig } from "./front/server/config/config.ts";
export { createServer } from "./front/server/create-server.ts";
export { attachRouting } from "./front/server/attach-routing.ts";

// Declaring
export { EventStreamFactory } from "./define/endpoint/event-stream-factory.ts";
export {
  arrayEndpointsFactory,
  defaultEndpointsFactory,
  EndpointsFactory,
  problemEndpointsFactory,
} from "./define/endpoint/endpoints-factory.ts";
export { Middleware } from "./define/endpoint/middleware.ts";
export { getRawBody } from "./define/endpoint/raw-body.ts";
export { ServeStatic } from "./define/routing/static-files.ts";
export { ez } from "./basics/schemas/ez.ts";

// Responding
export { ResultHandler } from "./define/results/result-handler.ts";
export { defaultResultHandler } from "./define/results/default-result-handler.ts";
export { problemResultHandler } from "./define/results/problem-result-handler.ts";
export { arrayResultHandler } from "./define/results/array-result-handler.ts";
export { ensureHttpError, getMessageFromError, toPublicMessage } from "./wire/reply/http-error.ts";

// Errors
export { ApiError } from "./define/endpoint/error-factories.ts";
export {
  ConfigError,
  DefinitionError,
  RequestError,
  RoutingError,
  ServerFault,
} from "./basics/errors.ts";
export { InputValidationError, OutputValidationError } from "./basics/schemas/issues.ts";

// Types: configuration
export type {
  AppConfig,
  CommonConfig,
  AccessedReply,
  CompressionOptions,
  HookArguments,
  ServerConfig,
} from "./front/server/config/config.ts";
export type { UploadOptions } from "./serve/request/uploads.ts";
export type { UploadLimits } from "./define/endpoint/body-limits.ts";
export type { DocsOptions } from "./describe/docs-page/docs-options.ts";
export type { CookieOptions } from "./serve/request/cookies.ts";
export type { ShutdownOptions } from "./front/server/connection/shutdown.ts";
export type { CorsArguments, CorsFunction } from "./serve/request/cors.ts";
export type { RunningServer } from "./front/server/start-server.ts";
export type { AttachedRouting } from "./front/server/attach-routing.ts";
export type { InputSource, InputSources } from "./define/endpoint/input-sources.ts";
export type { Logger, LoggerOverrides } from "./basics/logger/logger.ts";
export type { ConsoleLoggerOptions, LogLevel } from "./basics/logger/console-logger.ts";

// Types: declarations
export type { Method } from "./basics/http/method.ts";
export type { Request, Response } from "./basics/http/express-objects.ts";
export type { AnyEndpoint } from "./define/endpoint/endpoint.ts";
export type { ErrorDeclaration, ErrorDeclarations } from "./define/endpoint/declared-errors.ts";
export type { EventStream } from "./define/endpoint/event-stream.ts";
export type { EmitOptions } from "./wire/reply/event-writer.ts";
export type { EventStreamOptions } from "./define/endpoint/event-stream-factory.ts";
export type {
  AnyMiddleware,
  AroundNext,
  ExpressHandler,
  ExpressMiddlewareOptions,
  MiddlewareDefinition,
} from "./define/endpoint/middleware.ts";
export type { HandlerArguments } from "./define/endpoint/handler-arguments.ts";
export type { Security } from "./define/endpoint/security.ts";
export type { Routing } from "./define/routing/routing.ts";
export type { ServeStaticOptions } from "./define/routing/static-files.ts";

// Types: results
export type { ApiResponse, ResponseDeclaration } from "./define/results/api-response.ts";
export type {
  DefaultResultHandler,
  ErrorEnvelope,
  ErrorEnvelopeWithData,
  InputIssue,
  SuccessEnvelope,
} from "./define/results/default-result-handler.ts";
export type { ProblemDetails } from "./define/results/problem-result-handler.ts";
export type { LoggedFault, LogFaults } from "./define/results/log-fault.ts";
export type { HttpError } from "./wire/reply/http-error.ts";
export type { Result, ResultError } from "./define/results/result.ts";
export type { AnyResultHandler } from "./define/results/result-handler.ts";

// Types: schemas
export type { CursorCodec, CursorOptions } from "./basics/schemas/cursor.ts";
export type { ContentOptions, FileContent, StreamContent } from "./basics/schemas/content.ts";
export type { PaginatedOptions } from "./basics/schemas/paginated.ts";
export type { FileUpload, RawContent } from "./basics/schemas/bodies.ts";
export type { RequestErrorCode, ServerFaultCode } from "./basics/errors.ts";

// oxlint-disable-next-line unicorn/require-module-specifiers -- a compiler that writes declarations only finds names in files that it has read
export type {} from "./types.ts";
