// Starting
export { createConfig } from "./server/config/config.ts";
export type { Listen } from "./server/connection/listen.ts";
export { createServer } from "./server/create-server.ts";
export { attachRouting } from "./server/attach-routing.ts";

// Declaring
export { defaultEndpointsFactory, EndpointsFactory } from "./endpoint/endpoints-factory.ts";
export { EventStreamFactory } from "./endpoint/event-stream-factory.ts";
export { arrayEndpointsFactory, problemEndpointsFactory } from "./endpoint/ready-made-factories.ts";
export { Middleware } from "./endpoint/middleware.ts";
export { Endpoint } from "./endpoint/endpoint.ts";
export { getRawBody } from "./endpoint/raw-body.ts";
export { ServeStatic } from "./routing/static-files.ts";
export { ez } from "./schemas/ez.ts";

// Responding
export { ResultHandler } from "./results/result-handler.ts";
export { defaultResultHandler } from "./results/default-result-handler.ts";
export { problemResultHandler } from "./results/problem-result-handler.ts";
export { arrayResultHandler } from "./results/array-result-handler.ts";
export { ensureHttpError, getMessageFromError, toPublicMessage } from "./results/http-error.ts";

// Testing
export { testEndpoint } from "./testing/test-endpoint.ts";
export { testMiddleware } from "./testing/test-middleware.ts";
export { testServer } from "./testing/test-server.ts";

// Errors
export { ConfigError, DefinitionError, RequestError, RoutingError, ServerFault } from "./errors.ts";
export { InputValidationError, OutputValidationError } from "./schemas/validation-errors.ts";

// Types: configuration
export type {
  AppConfig,
  CommonConfig,
  AccessedReply,
  CompressionOptions,
  HookArguments,
  ServerConfig,
} from "./server/config/config.ts";
export type { UploadOptions } from "./server/body/uploads.ts";
export type { UploadLimits } from "./endpoint/upload-limits.ts";
export type { DocsOptions } from "./docs/docs-options.ts";
export type { CookieOptions } from "./server/head/cookies.ts";
export type { ShutdownOptions } from "./server/connection/shutdown.ts";
export type { CorsArguments, CorsFunction, CorsOption } from "./server/head/cors.ts";
export type { RunningServer } from "./server/start-server.ts";
export type { AttachedRouting } from "./server/attach-routing.ts";
export type { EndpointSources, InputSource, InputSources } from "./endpoint/input-sources.ts";
export type {
  Logger,
  LoggerOverrides,
  LogMethod,
  ParentLogger,
  Severity,
} from "./logger/logger.ts";
export type { ConsoleLoggerOptions, LogLevel } from "./logger/console-logger.ts";

// Types: declarations
export type { Method } from "./http/method.ts";
export type { Request, Response } from "./http/express-objects.ts";
export type {
  AnyEndpoint,
  EndpointDescription,
  EndpointParts,
  MarkedEndpoint,
} from "./endpoint/endpoint.ts";
export type { VoidOutput } from "./endpoint/void-output.ts";
export type {
  DefinitionBase,
  EndpointDefinition,
  HandlerReturn,
  VoidEndpointDefinition,
  VoidHandlerReturn,
} from "./endpoint/endpoint-definition.ts";
export type { ErrorDeclaration, ErrorDeclarations } from "./endpoint/declared-errors.ts";
export type { EmitOptions, EventStream } from "./endpoint/event-stream.ts";
export type {
  EventStreamOptions,
  StreamDefinition,
  StreamEndpoint,
} from "./endpoint/event-stream-factory.ts";
export type {
  AnyMiddleware,
  AroundDefinition,
  AroundNext,
  MiddlewareDefinition,
  MiddlewareReturn,
  Passed,
} from "./endpoint/middleware.ts";
export type { ExpressHandler, ExpressMiddlewareOptions } from "./endpoint/express-middleware.ts";
export type {
  ContextOf,
  HandlerArguments,
  InputAndContext,
  MaybePromise,
  SentResponse,
  Spread,
} from "./endpoint/handler-arguments.ts";
export type { OAuthFlow, Security } from "./endpoint/security.ts";
export type { CheckRouting, Routing } from "./routing/routing.ts";
export type { GuardFactory, ServeStaticOptions } from "./routing/static-files.ts";

// Types: results
export type {
  ApiResponse,
  ErrorDataPlaceholder,
  ItemsPlaceholder,
  OutputPlaceholder,
  ResponseBody,
  ResponseDeclaration,
} from "./results/api-response.ts";
export type {
  DefaultResultHandler,
  ErrorEnvelope,
  ErrorEnvelopeWithData,
  InputIssue,
  SuccessEnvelope,
} from "./results/default-result-handler.ts";
export type {
  EventSchemas,
  EventStreamResponse,
  EventStreamResultHandler,
  StreamedEvent,
  StreamedEventSchema,
} from "./results/event-stream-result-handler.ts";
export type { ArrayResultHandler } from "./results/array-result-handler.ts";
export type { ProblemDetails, ProblemResultHandler } from "./results/problem-result-handler.ts";
export type { LoggedFault, LogFaults } from "./results/log-fault.ts";
export type { HttpError } from "./results/http-error.ts";
export type {
  AcceptedBy,
  AcceptedOutput,
  AnyResultHandler,
  ErrorDataPlaceholderSchema,
  OutputPlaceholderSchema,
  Result,
  ResultError,
  ResultHandlerDefinition,
} from "./results/result-handler.ts";

// Types: testing
export type { TestMiddlewareOptions, TestMiddlewareResult } from "./testing/test-middleware.ts";
export type { TestServer } from "./testing/run-test-server.ts";
export type {
  RequestProps,
  TestEndpointOptions,
  TestOptions,
  TestResult,
} from "./testing/test-options.ts";
export type { LoggerMock, Logs, ResponseMock, ResponseMockMethods } from "./testing/mocks.ts";

// Types: schemas
export type {
  Cursor,
  CursorCodec,
  CursorOptions,
  CursorValue,
  SignedCursor,
} from "./schemas/cursor.ts";
export type {
  ContentOptions,
  FileContent,
  FileSchema,
  StreamContent,
  StreamSchema,
} from "./schemas/content.ts";
export type { DateIn, DateOut, IsoInput } from "./schemas/dates.ts";
export type { Encoded } from "./schemas/encode.ts";
export type {
  CursorInput,
  CursorOutput,
  CursorText,
  OffsetInput,
  OffsetOutput,
  Paginated,
  PaginatedOptions,
  PaginationStyle,
} from "./schemas/paginated.ts";
export type { PlainInteger } from "./schemas/plain-integer.ts";
export type { Raw, RawContent, RawMeta } from "./schemas/raw.ts";
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
  SchemaMeta,
  SchemaOutput,
} from "./schemas/schema.ts";
export type {
  ConfigErrorCode,
  DefinitionErrorCode,
  RequestErrorCode,
  RoutingErrorCode,
  ServerFaultCode,
} from "./errors.ts";
