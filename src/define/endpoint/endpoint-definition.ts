import type { Method } from "../../basics/http/method.ts";
import {
  aBoolean,
  anything,
  aFunction,
  aPositiveTimeout,
  aString,
  be,
  group,
  isFunction,
  isObject,
  oneOf,
  type Checks,
} from "../../basics/messages/option-checks.ts";
import type { AcceptedOutput } from "../results/result.ts";
import type { FileContent, StreamContent } from "../../basics/schemas/content.ts";
import type {
  EmptyObject,
  InputSchema,
  NoInput,
  NoOutput,
  OtherKind,
  OutputSchema,
  SchemaInput,
  SchemaOutput,
} from "../../basics/schemas/schema.ts";
import { aBodyLimit, someUploadLimits, type BodyLimit, type UploadLimits } from "./body-limits.ts";
import { aHeaderSchema, anObjectSchema } from "./check-definition.ts";
import type { IfMatch, WeakVersion, WriteConditions } from "./conditions.ts";
import { aDeprecation, type Deprecation } from "./deprecation.ts";
import { aSuccessStatus, type ErrorDeclarations, type ErrorFaults } from "./declared-errors.ts";
import type { ArgumentsBox, MaybePromise, SentResponse } from "./handler-arguments.ts";
import { endpointSources, type EndpointSources } from "./input-sources.ts";
import { aPublicAccess, aSecurity, type Security } from "./security.ts";

/** The methods of a definition whose type arguments are given without one; inferred, they are never `never`. */
type Unnamed<M> = [M] extends [never] ? Method | readonly Method[] : never;

/** The options that all endpoints share. */
export interface DefinitionBase<
  M extends Method,
  Input extends InputSchema,
  Status extends number = number,
  Errors extends ErrorDeclarations = ErrorDeclarations,
  Headers extends InputSchema = InputSchema,
  ResponseHeaders extends InputSchema = InputSchema,
> {
  /**
   * The method or methods that the endpoint serves. A `build` with explicit type arguments cannot infer them; name them
   * too, as in `build<typeof input, typeof output, "post">`, or clients take them for the default.
   *
   * @default the method of the key in the routing map, or "get" if the key has none
   */
  readonly method?: M | readonly M[] | Unnamed<M> | undefined;
  /**
   * Schema of the combined input.
   *
   * @default the input is `{}`
   */
  readonly input?: Input | undefined;
  /**
   * Schema of the request's header fields that the handler receives as `headers`, with names in lower case. They are
   * parsed before the body is read, and never become part of the input.
   *
   * @default `headers` is `{}`
   */
  readonly headers?: Headers | undefined;
  /**
   * Schema of the header fields that the handler sets on successful responses, with names in lower case, for documents
   * and clients. In development, a response that lacks a required one causes a warning.
   */
  readonly responseHeaders?: ResponseHeaders | undefined;
  /**
   * The status of a successful response, 200 to 299, unless the handler sets another one. 204 and 205 are sent without
   * a body.
   *
   * @default the status that the result handler sends, usually 200
   */
  readonly statusCode?: Status | undefined;
  /**
   * The statuses of the errors that the handler throws, each with a description or a declaration. The `data` of an error
   * is sent only if a schema is declared for it. Once `errors` is set, undeclared statuses cause a warning in
   * development.
   *
   * @example
   * errors: { 404: "User not found", 409: { description: "Taken", schema: z.object({ field: z.string() }) } }
   */
  readonly errors?: (Errors & ErrorFaults<Errors>) | undefined;
  /** A one-line summary for generated documents. */
  readonly shortDescription?: string | undefined;
  /** A longer description for generated documents. */
  readonly description?: string | undefined;
  /** One or more labels that group endpoints in generated documents. */
  readonly tag?: string | readonly string[] | undefined;
  /** The OAuth 2 scopes that the endpoint requires, for generated documents. */
  readonly scope?: string | readonly string[] | undefined;
  /**
   * Says that everybody may call the endpoint, for documents and for `access: "explicit"` of the configuration. It is
   * rejected if a middleware declares `security`.
   *
   * @default undecided, or what `withAccess` of the factory says
   */
  readonly access?: "public" | undefined;
  /** How clients authenticate if the handler itself checks it, for documents; otherwise, a middleware declares it. */
  readonly security?: Security | undefined;
  /** The id of the operation in generated documents. */
  readonly operationId?: string | ((method: Method) => string) | undefined;
  /**
   * Whether documents and clients show the endpoint as deprecated: `true`, or an object with the dates that responses
   * then carry in `Deprecation` and `Sunset`.
   *
   * @default false
   * @example
   * deprecated: { since: "2026-01-31", sunset: "2026-12-31", replacement: "/v2/users" }
   */
  readonly deprecated?: boolean | Deprecation | undefined;
  /**
   * Whether to keep the raw bytes of a JSON or form body as `request.rawBody`, for example to verify a signature.
   *
   * @default false
   */
  readonly keepRawBody?: boolean | undefined;
  /**
   * The time limit in milliseconds, from the first middleware to the validated output, except reading the body. When it
   * expires, the client receives a 503 and `signal` is aborted.
   *
   * @default the configuration's `requestTimeout`; none for an event stream
   */
  readonly timeout?: number | undefined;
  /**
   * The parts of a request that feed the input: one array for all methods, or arrays by method. Later sources override
   * earlier ones; path parameters override all of them.
   *
   * @default the configuration's `inputSources`
   */
  readonly inputSources?: EndpointSources | undefined;
  /**
   * The limits of a body that is not an upload: the maximum number of bytes after decompression, or
   * `{ bytes, values }`, where `values` is the maximum number of values in JSON. Larger bodies are rejected with a 413.
   *
   * @default the configuration's `bodyLimit`
   */
  readonly bodyLimit?: BodyLimit | undefined;
  /**
   * Whether the endpoint accepts forms without files in place of JSON; otherwise, they are rejected with a 415. An input
   * declared with `ez.form()`, `ez.upload()` or `ez.raw()` contradicts `false`.
   *
   * @default the configuration's `forms`; true if the input is declared with `ez.form()` or `ez.upload()`
   */
  readonly forms?: boolean | undefined;
  /**
   * Upload limits for this endpoint. Omitted limits come from the configuration.
   *
   * @default the configuration's `upload.limits`
   */
  readonly upload?: { readonly limits: UploadLimits } | undefined;
}

/** The outputs that bypass the result handler: those of `ez.stream()`, `ez.file()` and `ez.buffer()`. */
type SentAsItIs<Output extends OutputSchema> = Output["_zod"]["def"]["type"] extends "custom"
  ? StreamContent | FileContent | Uint8Array | string
  : never;

/** What a handler may return, or an explanatory message if the result handler does not accept the output. */
export type HandlerReturn<Output extends OutputSchema, Accepted> = AcceptedOutput extends Accepted
  ? MaybePromise<SchemaInput<Output> | SentResponse>
  : NoOutput extends Output
    ? MaybePromise<Accepted | SentResponse>
    : SchemaOutput<Output> extends Accepted | SentAsItIs<Output>
      ? MaybePromise<SchemaInput<Output> | SentResponse>
      : "The result handler of this factory does not accept this `output`";

/** What a `buildVoid` handler may return, or an explanatory message if the result handler does not accept `{}`. */
export type VoidHandlerReturn<Accepted> = EmptyObject extends Accepted
  ? unknown
  : "The result handler of this factory does not accept `{}`: use `build`";

/** The argument of a factory's `build`. */
export interface EndpointDefinition<
  M extends Method,
  Input extends InputSchema,
  Output extends OutputSchema,
  Box extends ArgumentsBox,
  Accepted = AcceptedOutput,
  Status extends number = number,
  Errors extends ErrorDeclarations = ErrorDeclarations,
  Headers extends InputSchema = InputSchema,
  ResponseHeaders extends InputSchema = InputSchema,
  Match extends IfMatch = IfMatch,
>
  extends
    DefinitionBase<M, Input, Status, Errors, Headers, ResponseHeaders>,
    WriteConditions<Box, Match> {
  /**
   * Schema of the handler's return value; the parsed value is sent.
   *
   * @default the returned object is sent as is; `undefined` becomes `{}`
   */
  readonly output?: Output | undefined;
  /**
   * Returns the version of what is sent: a string that becomes a strong `ETag`, or a date that becomes `Last-Modified`,
   * in whole seconds. A GET whose client has this version gets a 304. With `ifMatch: "required"`, it must be a string,
   * because clients send the tag back in `If-Match`.
   */
  readonly version?:
    | ((args: {
        readonly output: SchemaOutput<Output>;
        readonly ctx: Box["args"]["ctx"];
      }) => MaybePromise<string | WeakVersion<Match>>)
    | undefined;
  /** Returns an object that fits `output`, or the response if the handler has sent it itself, or throws an error. */
  // a conditional type, so that the compiler reads `output` before the handler, and literals need no `as const`
  readonly handler: Output["_zod"]["def"]["type"] extends OtherKind
    ? (
        this: void,
        args: Box["args"],
      ) => "`output` must be an object schema; wrap an array in one, as in z.object({ items: z.array(...) })"
    : (this: void, args: Box["args"]) => HandlerReturn<Output, Accepted>;
}

/** The argument of a factory's `buildVoid`. */
export interface VoidEndpointDefinition<
  M extends Method,
  Input extends InputSchema,
  Box extends ArgumentsBox,
  Accepted = AcceptedOutput,
  Status extends number = number,
  Errors extends ErrorDeclarations = ErrorDeclarations,
  Headers extends InputSchema = NoInput,
  ResponseHeaders extends InputSchema = InputSchema,
  Match extends IfMatch = IfMatch,
>
  extends
    DefinitionBase<M, Input, Status, Errors, Headers, ResponseHeaders>,
    WriteConditions<Box, Match> {
  /** Does the endpoint's work; its return value is ignored, except that an error counts as thrown. */
  readonly handler: (this: void, args: Box["args"]) => VoidHandlerReturn<Accepted>;
}

const labels = be("a string or an array of strings", (value) =>
  [value].flat().every((one) => typeof one === "string"),
);

export const definitionChecks: Checks = {
  method: anything,
  input: anObjectSchema,
  headers: aHeaderSchema,
  responseHeaders: aHeaderSchema,
  handler: anything,
  shortDescription: aString,
  description: aString,
  tag: labels,
  scope: labels,
  access: aPublicAccess,
  security: aSecurity,
  operationId: be(
    "a string, or a function that returns the id for a method",
    (value) => typeof value === "string" || isFunction(value),
  ),
  deprecated: aDeprecation,
  timeout: aPositiveTimeout,
  keepRawBody: aBoolean,
  inputSources: endpointSources,
  bodyLimit: aBodyLimit,
  upload: (value, name, wording) => {
    anObjectWithLimits(value, name, wording);
    group({ limits: someUploadLimits })(value, name, wording);
  },
  statusCode: aSuccessStatus,
  errors: anything,
  forms: aBoolean,
  ifMatch: oneOf("optional", "required"),
  current: aFunction,
};

const anObjectWithLimits = be("an object with `limits`", (value) =>
  isObject((value as { readonly limits?: unknown } | null)?.limits),
);
