// Starting
export { createConfig } from "./server/config.ts";
export { createServer } from "./server/create-server.ts";
export { attachRouting } from "./server/attach-routing.ts";

// Declaring
export { defaultEndpointsFactory, EndpointsFactory } from "./endpoint/endpoints-factory.ts";
export { Middleware } from "./endpoint/middleware.ts";
export { Endpoint } from "./endpoint/endpoint.ts";
export { ServeStatic } from "./routing/static-files.ts";
export { ez } from "./schemas/ez.ts";

// Answering
export { ResultHandler } from "./results/result-handler.ts";
export { defaultResultHandler } from "./results/default-result-handler.ts";
export { ensureHttpError, getMessageFromError, toPublicMessage } from "./results/http-error.ts";

// Errors
export {
  ConfigError,
  DefinitionError,
  InputValidationError,
  OutputValidationError,
  RequestError,
  RoutingError,
  ServerFault,
} from "./errors.ts";

// Types: configuration
export type {
  AppConfig,
  CommonConfig,
  CompressionOptions,
  HookArguments,
  Listen,
  ServerConfig,
} from "./server/config.ts";
export type { UploadLimits, UploadOptions } from "./server/uploads.ts";
export type { CookieOptions } from "./server/cookies.ts";
export type { ShutdownOptions } from "./server/shutdown.ts";
export type { CorsArguments, CorsFunction, CorsOption } from "./server/cors.ts";
export type { RunningServer } from "./server/create-server.ts";
export type { AttachedRouting } from "./server/attach-routing.ts";
export type { InputSource, InputSources } from "./endpoint/input-sources.ts";
export type { Logger, LoggerOverrides, LogMethod, Severity } from "./logger/logger.ts";
export type { ConsoleLoggerOptions, LogLevel } from "./logger/console-logger.ts";

// Types: declarations
export type { Method } from "./http/method.ts";
export type {
  AnyEndpoint,
  EndpointDescription,
  EndpointParts,
  MarkedEndpoint,
} from "./endpoint/endpoint.ts";
export type { VoidOutput } from "./endpoint/endpoints-factory.ts";
export type {
  DefinitionBase,
  EndpointDefinition,
  VoidEndpointDefinition,
} from "./endpoint/endpoint-definition.ts";
export type {
  AnyMiddleware,
  MiddlewareDefinition,
  MiddlewareReturn,
} from "./endpoint/middleware.ts";
export type { ExpressHandler, ExpressMiddlewareOptions } from "./endpoint/express-middleware.ts";
export type {
  ContextOf,
  HandlerArguments,
  MaybePromise,
  Spread,
} from "./endpoint/handler-arguments.ts";
export type { OAuthFlow, Security } from "./endpoint/security.ts";
export type { CheckRouting, Routing } from "./routing/routing.ts";
export type { GuardFactory, ServeStaticOptions } from "./routing/static-files.ts";

// Types: results
export type {
  ApiResponse,
  OutputPlaceholder,
  ResponseBody,
  ResponseDeclaration,
} from "./results/api-response.ts";
export type {
  DefaultResultHandler,
  ErrorEnvelope,
  InputIssue,
  SuccessEnvelope,
} from "./results/default-result-handler.ts";
export type { HttpError } from "./results/http-error.ts";
export type {
  AnyResultHandler,
  OutputPlaceholderSchema,
  Result,
  ResultError,
  ResultHandlerDefinition,
} from "./results/result-handler.ts";

// Types: schemas
export type { DateIn, DateMeta, DateOut } from "./schemas/dates.ts";
export type { Raw } from "./schemas/raw.ts";
export type { FileUpload, Upload } from "./schemas/upload.ts";
export type {
  AnySchema,
  EmptyObject,
  InputSchema,
  NoInput,
  NoOutput,
  ObjectLike,
  OtherKind,
  OutputSchema,
  ReturnedObject,
  SchemaInput,
  SchemaOutput,
} from "./schemas/schema.ts";
export type {
  ConfigErrorCode,
  DefinitionErrorCode,
  RequestErrorCode,
  RoutingErrorCode,
  ServerFaultCode,
} from "./errors.ts";
