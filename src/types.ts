// The types that the declarations of an application refer to, but that nobody writes by hand.

export type { Listen } from "./server/connection/listener.ts";

export type { Endpoint } from "./endpoint/endpoint.ts";

// Configuration
export type { HealthCheck, HealthOptions } from "./health/health-options.ts";
export type { CorsOption } from "./request/cors.ts";
export type { LifecycleArguments, Resource } from "./server/config/resource.ts";
export type { EndpointSources } from "./endpoint/input-sources.ts";
export type { LogMethod, ParentLogger, Severity } from "./logger/logger.ts";

// Declarations
export type {
  IfMatch,
  MatchingHeaders,
  SentHeaders,
  WriteConditions,
} from "./endpoint/conditions.ts";
export type { Deprecation } from "./endpoint/deprecation.ts";
export type { EndpointParts, MarkedEndpoint } from "./endpoint/endpoint.ts";
export type { VoidOutput } from "./endpoint/endpoints-factory.ts";
export type {
  DefinitionBase,
  EndpointDefinition,
  HandlerReturn,
  VoidEndpointDefinition,
  VoidHandlerReturn,
} from "./endpoint/endpoint-definition.ts";
export type {
  ChannelDefinition,
  FollowedChannel,
  NoChannel,
  StreamDefinition,
} from "./endpoint/channel-definition.ts";
export type {
  DataErrorFactory,
  ErrorFactories,
  ErrorParts,
  PlainErrorFactory,
  StatusErrors,
  ThrowableErrors,
} from "./endpoint/error-factories.ts";
export type { AnyErrorMapping, ErrorMapping, ThrownArguments } from "./endpoint/error-mapping.ts";
export type {
  AnyErrors,
  ErrorFaults,
  JoinedErrors,
  OwnErrorDeclaration,
} from "./endpoint/declared-errors.ts";
export type { StreamEndpoint } from "./endpoint/event-stream-factory.ts";
export type { AroundDefinition, MiddlewareReturn, Passed } from "./endpoint/middleware.ts";
export type {
  ArgumentsBox,
  ArgumentsOf,
  ContextOf,
  InputAndContext,
  MaybePromise,
  SentResponse,
  Spread,
} from "./endpoint/handler-arguments.ts";
export type { OAuthFlow } from "./endpoint/security.ts";
export type { CheckRouting } from "./routing/routing.ts";
export type { GuardFactory } from "./routing/static-files.ts";

// Results
export type {
  ErrorDataPlaceholder,
  ItemsPlaceholder,
  OutputPlaceholder,
  ResponseBody,
  Widened,
} from "./results/api-response.ts";
export type {
  EventSchemas,
  EventStreamResponse,
  EventStreamResultHandler,
  StreamedEvent,
  StreamedEventSchema,
} from "./results/event-stream-result-handler.ts";
export type { Reply } from "./reply/send-reply.ts";
export type { ArrayResultHandler } from "./results/array-result-handler.ts";
export type { InvalidPart, ProblemResultHandler } from "./results/problem-result-handler.ts";
export type { AcceptedOutput } from "./results/result.ts";
export type {
  AcceptedBy,
  ErrorDataPlaceholderSchema,
  DeclaredReply,
  DeclaredResponses,
  OutputPlaceholderSchema,
  ResultHandlerDefinition,
} from "./results/result-handler.ts";

// Schemas
export type { Cursor, CursorValue, SignedCursor } from "./schemas/cursor.ts";
export type {
  BodyStream,
  BufferSchema,
  FileSchema,
  MediaTyped,
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
  PaginationStyle,
  PlainInteger,
} from "./schemas/paginated.ts";
export type { Raw, RawMeta, Upload, UploadMeta } from "./schemas/bodies.ts";
export type {
  AnySchema,
  EmptyObject,
  Fields,
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
export type { ConfigErrorCode, DefinitionErrorCode, RoutingErrorCode } from "./errors.ts";
