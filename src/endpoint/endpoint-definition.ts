import type { Method } from "../http/method.ts";
import type { AcceptedOutput } from "../results/result-handler.ts";
import type { FileContent, StreamContent } from "../schemas/content.ts";
import type {
  EmptyObject,
  InputSchema,
  NoOutput,
  OtherKind,
  OutputSchema,
  SchemaInput,
  SchemaOutput,
} from "../schemas/schema.ts";
import type { ErrorDeclarations } from "./declared-errors.ts";
import type {
  HandlerArguments,
  InputAndContext,
  MaybePromise,
  SentResponse,
  Spread,
} from "./handler-arguments.ts";
import type { EndpointSources } from "./input-sources.ts";
import type { UploadLimits } from "./upload-limits.ts";

/** What endpoints have in common. */
export interface DefinitionBase<
  M extends Method,
  Input extends InputSchema,
  Status extends number = number,
  Errors extends ErrorDeclarations = ErrorDeclarations,
> {
  /**
   * The method or methods it answers.
   *
   * @default "get" at a plain key of the routing map, else the method of the key
   */
  readonly method?: M | readonly M[] | undefined;
  /**
   * Schema of the combined input.
   *
   * @default the input is `{}`
   */
  readonly input?: Input | undefined;
  /**
   * The status of a success, 200 to 299, unless the handler sets another one; 204 and 205 are sent without a body.
   *
   * @default 200, or what the result handler sends
   */
  readonly statusCode?: Status | undefined;
  /**
   * The statuses that the handler throws, each with a description or a declaration that may have a schema of the error's `data`.
   *
   * What `data` of the thrown error is parsed to is sent; data that is not declared is not. With `errors` set, other
   * statuses are warned of in development.
   *
   * @example
   * errors: { 404: "There is no such user", 409: { description: "Taken", schema: z.object({ field: z.string() }) } }
   */
  readonly errors?: Errors | undefined;
  /** One line for generated documents. */
  readonly shortDescription?: string | undefined;
  /** A text for generated documents. */
  readonly description?: string | undefined;
  /** One label or several that group endpoints in generated documents. */
  readonly tag?: string | readonly string[] | undefined;
  /** The OAuth 2 scopes it needs, for generated documents. */
  readonly scope?: string | readonly string[] | undefined;
  /** Its name in generated documents. */
  readonly operationId?: string | ((method: Method) => string) | undefined;
  /** Whether generated documents show it as deprecated. */
  readonly deprecated?: boolean | undefined;
  /**
   * Whether the bytes of a JSON or form body are kept as `request.rawBody`, to check a signature over them.
   *
   * @default false
   */
  readonly keepRawBody?: boolean | undefined;
  /**
   * How long everything from the first middleware to the validated output may take, in milliseconds, without the reading of
   * the body; then 503 is answered and `signal` is aborted.
   *
   * @default the configuration's `requestTimeout`, and for the handler its `handlerTimeout`
   */
  readonly timeout?: number | undefined;
  /**
   * The parts of a request that feed the input: one array for all methods, or arrays by method. A later source wins, and
   * path parameters always do.
   *
   * @default the configuration's `inputSources`
   */
  readonly inputSources?: EndpointSources | undefined;
  /**
   * The largest body that is not an upload, in bytes, counted after decompression; a larger one is answered with 413.
   *
   * @default the configuration's `bodyLimit`
   */
  readonly bodyLimit?: number | undefined;
  /**
   * Limits of its uploads; those that are left out are the configuration's.
   *
   * @default the configuration's `upload.limits`
   */
  readonly upload?: { readonly limits: UploadLimits } | undefined;
}

/** What is sent past the result handler: the values of `ez.stream()`, `ez.file()` and `ez.buffer()`. */
type SentAsItIs<Output extends OutputSchema> = Output["_zod"]["def"]["type"] extends "custom"
  ? StreamContent | FileContent | Uint8Array | string
  : never;

/** What a handler may return, or a message where the result handler does not accept the output. */
export type HandlerReturn<Output extends OutputSchema, Accepted> = AcceptedOutput extends Accepted
  ? MaybePromise<SchemaInput<Output> | SentResponse>
  : NoOutput extends Output
    ? MaybePromise<Accepted | SentResponse>
    : SchemaOutput<Output> extends Accepted | SentAsItIs<Output>
      ? MaybePromise<SchemaInput<Output> | SentResponse>
      : "The result handler of this factory does not accept this `output`";

/** What a handler of `buildVoid` may return, or a message where the result handler does not accept `{}`. */
export type VoidHandlerReturn<Accepted> = EmptyObject extends Accepted
  ? unknown
  : "The result handler of this factory does not accept `{}`: use `build`";

/** The argument of a factory's `build`. */
export interface EndpointDefinition<
  M extends Method,
  Input extends InputSchema,
  Output extends OutputSchema,
  Arguments extends InputAndContext,
  Accepted = AcceptedOutput,
  Status extends number = number,
  Errors extends ErrorDeclarations = ErrorDeclarations,
> extends DefinitionBase<M, Input, Status, Errors> {
  /**
   * Schema of what the handler returns; what it gives is sent.
   *
   * @default the returned object is passed through, nothing becomes `{}`
   */
  readonly output?: Output | undefined;
  /**
   * Returns an object that fits `output`, or the response when it has sent that itself, or throws an error.
   *
   * The conditional type makes the compiler read `output` before the handler, so that its literals need no `as const`.
   */
  readonly handler: Output["_zod"]["def"]["type"] extends OtherKind
    ? (
        args: HandlerArguments<Arguments["input"], Arguments["ctx"]>,
      ) => "`output` must be the schema of an object: wrap an array, as in z.object({ items: z.array(...) })"
    : (
        args: HandlerArguments<Arguments["input"], Arguments["ctx"]>,
      ) => HandlerReturn<Output, Accepted>;
}

/** The argument of a factory's `buildVoid`. */
export interface VoidEndpointDefinition<
  M extends Method,
  Input extends InputSchema,
  MiddlewareOutput,
  Context,
  Accepted = AcceptedOutput,
  Status extends number = number,
  Errors extends ErrorDeclarations = ErrorDeclarations,
> extends DefinitionBase<M, Input, Status, Errors> {
  /** Does its work; what it returns is ignored. */
  readonly handler: (
    args: HandlerArguments<Spread<MiddlewareOutput, SchemaOutput<Input>>, Context>,
  ) => VoidHandlerReturn<Accepted>;
}

/** The keys of a {@link DefinitionBase}, and the handler. */
export const definitionKeys: readonly string[] = [
  ...["method", "input", "handler", "shortDescription", "description", "tag", "scope"],
  ...["operationId", "deprecated", "timeout", "keepRawBody", "inputSources", "bodyLimit", "upload"],
  ...["statusCode", "errors"],
];
