// The types that the declarations of an application refer to, but that nobody writes by hand.

export type { Listen } from "./front/server/connection/listener.ts";

export type { Endpoint } from "./define/endpoint/endpoint.ts";

// Configuration
export type { HealthCheck, HealthOptions } from "./parts/health/health-options.ts";
export type { CorsOption } from "./serve/request/cors.ts";
export type { LifecycleArguments, Resource } from "./front/server/config/resource.ts";
export type { EndpointSources } from "./define/endpoint/input-sources.ts";
export type { LogMethod, ParentLogger, Severity } from "./basics/logger/logger.ts";

// Declarations
export type {
  IfMatch,
  MatchingHeaders,
  SentHeaders,
  WriteConditions,
} from "./define/endpoint/conditions.ts";
export type { Deprecation } from "./define/endpoint/deprecation.ts";
export type { EndpointParts, MarkedEndpoint } from "./define/endpoint/endpoint.ts";
export type { VoidOutput } from "./define/endpoint/endpoints-factory.ts";
export type {
  DefinitionBase,
  EndpointDefinition,
  HandlerReturn,
  VoidEndpointDefinition,
  VoidHandlerReturn,
} from "./define/endpoint/endpoint-definition.ts";
export type {
  ChannelDefinition,
  FollowedChannel,
  NoChannel,
  StreamDefinition,
} from "./define/endpoint/channel-definition.ts";
export type {
  DataErrorFactory,
  ErrorFactories,
  ErrorParts,
  PlainErrorFactory,
  StatusErrors,
  ThrowableErrors,
} from "./define/endpoint/error-factories.ts";
export type {
  AnyErrorMapping,
  ErrorMapping,
  ThrownArguments,
} from "./define/endpoint/error-mapping.ts";
export type {
  AnyErrors,
  ErrorFaults,
  JoinedErrors,
  OwnErrorDeclaration,
} from "./define/endpoint/declared-errors.ts";
export type { StreamEndpoint } from "./define/endpoint/event-stream-factory.ts";
export type { AroundDefinition, MiddlewareReturn, Passed } from "./define/endpoint/middleware.ts";
export type {
  ArgumentsBox,
  ArgumentsOf,
  ContextOf,
  InputAndContext,
  MaybePromise,
  SentResponse,
  Spread,
} from "./define/endpoint/handler-arguments.ts";
export type { OAuthFlow } from "./define/endpoint/security.ts";
export type { CheckRouting } from "./define/routing/routing.ts";
export type { GuardFactory } from "./define/routing/static-files.ts";

// Results
export type {
  ErrorDataPlaceholder,
  ItemsPlaceholder,
  OutputPlaceholder,
  ResponseBody,
  Widened,
} from "./define/results/api-response.ts";
export type {
  EventSchemas,
  EventStreamResponse,
  EventStreamResultHandler,
  StreamedEvent,
  StreamedEventSchema,
} from "./define/results/event-stream-result-handler.ts";
export type { Reply } from "./wire/reply/send-reply.ts";
export type { ArrayResultHandler } from "./define/results/array-result-handler.ts";
export type { InvalidPart, ProblemResultHandler } from "./define/results/problem-result-handler.ts";
export type { AcceptedOutput } from "./define/results/result.ts";
export type {
  AcceptedBy,
  ErrorDataPlaceholderSchema,
  DeclaredReply,
  DeclaredResponses,
  OutputPlaceholderSchema,
  ResultHandlerDefinition,
} from "./define/results/result-handler.ts";

// Schemas
export type { Cursor, CursorValue, SignedCursor } from "./basics/schemas/cursor.ts";
export type {
  BodyStream,
  BufferSchema,
  FileSchema,
  MediaTyped,
  StreamSchema,
} from "./basics/schemas/content.ts";
export type { DateIn, DateOut, IsoInput } from "./basics/schemas/dates.ts";
export type { Encoded } from "./basics/schemas/encode.ts";
export type {
  CursorInput,
  CursorOutput,
  CursorText,
  OffsetInput,
  OffsetOutput,
  Paginated,
  PaginationStyle,
  PlainInteger,
} from "./basics/schemas/paginated.ts";
export type { Raw, RawMeta, Upload, UploadMeta } from "./basics/schemas/bodies.ts";
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
} from "./basics/schemas/schema.ts";
export type { ConfigErrorCode, DefinitionErrorCode, RoutingErrorCode } from "./basics/errors.ts";
