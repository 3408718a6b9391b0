export {
  AbortedError,
  ClientError,
  EventSizeError,
  NetworkError,
  PageError,
  RedirectError,
  ReplyError,
  TimeoutError,
  UnexpectedBodyError,
  UnsendableInputError,
} from "./client-errors.ts";
export type { CallError, CallRoute, ReplyErrorOf, ReplyIssue } from "./client-errors.ts";
export type {
  Attempt,
  CallOptions,
  ClientOptions,
  Fetch,
  HeaderFields,
  HeaderSource,
  RetryOptions,
  RouteDeprecation,
  SharedOptions,
  SourceName,
  SubscribeOptions,
  UploadProgress,
} from "./call-options.ts";
export type { Pages } from "./client.ts";
export type {
  ErrorReply,
  ErrorStatus,
  SuccessReply,
  SuccessStatus,
  UnexpectedReply,
} from "./reply-types.ts";
export type { HasMore } from "./pages.ts";
export type { ErrorOf, InputOf, OutputOf } from "./route-parts.ts";

// the inferred client alone
export { Client, createClient } from "./inferred-client.ts";
export type { GeneratedClient, GeneratedRoutes, MissingInput, PartOf } from "./generated-client.ts";
export type {
  ForgottenClient,
  FrozenRouting,
  InferredClient,
  ReplyAt,
  RoutesOf,
} from "./inferred-client.ts";
export type { FrameworkErrorCode } from "../../basics/errors.ts";
export type { EndpointTypes, TypesAt } from "./route-at.ts";
export type { BodyAt, DataErrorsAt, OtherStatus } from "./error-types.ts";
export type { EventAt, InputAt, ItemOf, PageAt, SuccessAt } from "./wire-types.ts";
