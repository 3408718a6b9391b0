import type { Method } from "../../basics/http/method.ts";
import type { AnyResultHandler } from "../results/result-handler.ts";
import type { AnySchema, EmptyObject, NoInput, ZodSchema } from "../../basics/schemas/schema.ts";
import type { BodyLimit, UploadLimits } from "./body-limits.ts";
import { reportBuilt } from "./build-hook.ts";
import { aDeprecation, deprecate, type Deprecation } from "./deprecation.ts";
import { checkDefinition } from "../../basics/messages/option-checks.ts";
import type { ErrorDeclarations } from "./declared-errors.ts";
import type { HandlerArguments } from "./handler-arguments.ts";
import type { EndpointSources } from "./input-sources.ts";
import { toErrorMapper, type AnyErrorMapping } from "./error-mapping.ts";
import type { AnyMiddleware } from "./middleware.ts";
import type { Security } from "./security.ts";

/** The property that marks an endpoint, even one made by another copy of this package in the same process. */
export const endpointMark: unique symbol = Symbol.for("sallyport/endpoint");

/** The parts that make up an endpoint. */
// extends no `Pick`, which the compiler would resolve again for each endpoint
export interface EndpointParts {
  readonly bodyLimit?: BodyLimit | undefined;
  readonly description?: string | undefined;
  readonly inputSources?: EndpointSources | undefined;
  readonly operationId?: string | ((method: Method) => string) | undefined;
  readonly shortDescription?: string | undefined;
  readonly statusCode?: number | undefined;
  readonly timeout?: number | undefined;
  readonly tags: readonly string[];
  readonly scopes: readonly string[];
  /** Who may call the endpoint: those who satisfy its `security`, or everybody; undefined if nobody has decided. */
  readonly access: "protected" | "public" | undefined;
  /** How clients authenticate, if the handler checks it; besides what the middlewares declare. */
  readonly security: Security | undefined;
  readonly isDeprecated: boolean;
  /** The declared methods; undefined for the method of the key in the routing map, or GET if the key has none. */
  readonly methods: readonly Method[] | undefined;
  /** The endpoint's own input schema, without those of its middlewares. */
  readonly inputSchema: ZodSchema | undefined;
  readonly outputSchema: ZodSchema | undefined;
  /** The schema of the request's header fields, without those of the middlewares. */
  readonly headersSchema: ZodSchema | undefined;
  readonly responseHeadersSchema: ZodSchema | undefined;
  /** The middlewares of the factory, then those of the endpoint's options. */
  readonly middlewares: readonly AnyMiddleware[];
  readonly resultHandler: AnyResultHandler;
  /** The errors that the handler throws, without those of its middlewares; undefined if none are declared. */
  readonly errors: ErrorDeclarations | undefined;
  /** Whether the handler's return value is ignored and `{}` is sent. */
  readonly isVoid: boolean;
  /** Whether the raw bytes of the body are kept as `request.rawBody`. */
  readonly keepsRawBody: boolean;
  /** Whether the endpoint accepts forms in place of JSON; undefined to use the configured value. */
  readonly takesForms: boolean | undefined;
  /** The endpoint's own upload limits; undefined to use the configured ones. */
  readonly uploadLimits: UploadLimits | undefined;
  readonly handle: (args: HandlerArguments<never, never>) => unknown;
}

/** An object with the mark of an endpoint, which is all that the compiler looks for when it checks a routing map. */
export interface MarkedEndpoint {
  readonly [endpointMark]: true;
}

/** An endpoint of any type. */
export interface AnyEndpoint extends MarkedEndpoint, EndpointParts {}

const MarkedParts = class {
  readonly [endpointMark] = true;
  constructor(parts: EndpointParts) {
    Object.assign(this, parts);
  }
} as new (parts: EndpointParts) => AnyEndpoint;

/** A declared endpoint, built with a factory's `build`; it carries the types that clients need. */
export class Endpoint<
  M extends Method,
  Input extends AnySchema,
  Output extends AnySchema,
  MiddlewareInput,
  Handler,
  Status extends number = number,
  Errors = EmptyObject,
  MiddlewareErrors = EmptyObject,
  Headers extends AnySchema = NoInput,
  ResponseHeaders extends AnySchema = NoInput,
> extends MarkedParts {
  /** Type information only. */
  declare readonly "~types": {
    readonly method: M;
    readonly input: Input;
    readonly output: Output;
    readonly middlewareInput: MiddlewareInput;
    readonly resultHandler: Handler;
    readonly statusCode: Status;
    readonly errors: Errors;
    readonly middlewareErrors: MiddlewareErrors;
    readonly headers: Headers;
    readonly responseHeaders: ResponseHeaders;
  };

  constructor(parts: EndpointParts) {
    super(parts);
    reportBuilt(this);
  }

  /**
   * Returns a copy that is deprecated; the endpoint itself does not change.
   *
   * @throws DefinitionError when a date is missing or invalid.
   */
  deprecated(deprecation: true | Deprecation = true): this {
    checkDefinition("deprecated", { deprecated: deprecation }, { deprecated: aDeprecation });
    const changes = deprecate(this.middlewares, deprecation);
    return new Endpoint({ ...(this as EndpointParts), ...changes }) as this;
  }

  /**
   * Returns a routing map that serves this endpoint at its own path and the given entries beneath it.
   *
   * @example
   * { users: listUsers.nest({ ":id": getUser }) } // GET /users and GET /users/:id
   */
  nest<Nested extends object>(routing: Nested): Omit<Nested, ""> & Record<"", this> {
    return { ...routing, "": this };
  }
}

export const isEndpoint = (value: unknown): value is AnyEndpoint =>
  typeof value === "object" && value !== null && endpointMark in value;

const mappers = new WeakMap<AnyErrorMapping, AnyMiddleware>();

/** Returns an endpoint with the configuration's `onError`, which comes after the mappings of its factory. */
export const withMapping = <E extends AnyEndpoint>(
  endpoint: E,
  mapping: AnyErrorMapping | undefined,
): E => {
  if (!mapping) return endpoint;
  const mapper = mappers.get(mapping) ?? toErrorMapper("onError", mapping);
  mappers.set(mapping, mapper);
  return { ...endpoint, middlewares: [mapper, ...endpoint.middlewares] };
};
