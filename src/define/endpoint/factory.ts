import type { ExpressRequest, Request, Response } from "../../basics/http/express-objects.ts";
import { DefinitionError } from "../../basics/errors.ts";
import type { Method } from "../../basics/http/method.ts";
import {
  aBoolean,
  aFunction,
  checkDefinition,
  checkOptions,
  type Checks,
} from "../../basics/messages/option-checks.ts";
import { findExchange } from "../../wire/exchange/exchange.ts";
import type { AnyResultHandler } from "../results/result-handler.ts";
import type {
  EmptyObject,
  Fields,
  InputSchema,
  NoInput,
  SchemaInput,
  SchemaOutput,
  ZodSchema,
} from "../../basics/schemas/schema.ts";
import { checkNoGenerator, toMethods } from "./check-definition.ts";
import type { EndpointParts } from "./endpoint.ts";
import {
  toErrorDeclarations,
  type ErrorDeclarations,
  type JoinedErrors,
} from "./declared-errors.ts";
import { deprecate } from "./deprecation.ts";
import { listConditions } from "./list-conditions.ts";
import type { DefinitionBase } from "./endpoint-definition.ts";
import { toErrorMapper, type ErrorMapping } from "./error-mapping.ts";
import { aPublicAccess } from "./security.ts";
import type { ContextOf, HandlerArguments, MaybePromise, Spread } from "./handler-arguments.ts";
import {
  isMiddleware,
  Middleware,
  type AnyMiddleware,
  type AroundDefinition,
  type ExpressHandler,
  type ExpressMiddlewareOptions,
  type MiddlewareDefinition,
  type MiddlewareReturn,
  type Passed,
} from "./middleware.ts";

interface ContextOptions<Returned> {
  /** Releases what the context holds, such as a connection, once everything that uses the context has ended. */
  readonly dispose?: ((context: Returned) => unknown) | undefined;
  /**
   * Whether the context is only created once the body has been read and the endpoint's own input is valid.
   *
   * @default false
   */
  readonly afterValidation?: boolean | undefined;
}

/**
 * A kind of factory: `factory` is the type of a factory whose type arguments are the other members, which it names
 * `this["context"]` and so on. TypeScript 5.9 recurses endlessly if `factory` is in both parts of {@link NextFactory}.
 */
export interface FactoryKind {
  readonly factory: unknown;
  readonly middlewareInput: unknown;
  readonly middlewareOutput: unknown;
  readonly context: unknown;
  readonly errors: unknown;
}

/** The factory to which a middleware has added context. */
type NextFactory<
  Kind extends FactoryKind,
  MiddlewareInput,
  MiddlewareOutput,
  Context,
  Returned,
  Errors,
> = (Kind & {
  readonly middlewareInput: MiddlewareInput;
  readonly middlewareOutput: MiddlewareOutput;
  readonly context: Spread<Context, ContextOf<Returned>>;
  readonly errors: Errors;
})["factory"];

/** The part that all factories share: the middlewares of their endpoints. */
export abstract class Factory<
  Kind extends FactoryKind,
  MiddlewareInput,
  MiddlewareOutput,
  Context,
  Errors,
> {
  protected readonly resultHandler: AnyResultHandler;
  protected readonly middlewares: readonly AnyMiddleware[];
  protected readonly isStreaming: boolean = false;
  protected readonly access: "public" | undefined;

  constructor(
    resultHandler: AnyResultHandler,
    middlewares: readonly AnyMiddleware[] = [],
    access?: "public",
  ) {
    this.resultHandler = resultHandler;
    this.middlewares = middlewares;
    this.access = access;
  }

  /**
   * Returns a factory whose endpoints also run the given middleware, after those that this factory already has.
   *
   * @param middleware a `Middleware`, or the definition of one
   * @throws {@link DefinitionError} when the argument is neither.
   */
  addMiddleware<
    Returned extends MiddlewareReturn,
    Input extends InputSchema = NoInput,
    Thrown extends ErrorDeclarations = EmptyObject,
    Headers extends InputSchema = NoInput,
  >(
    middleware:
      | Middleware<Context, Returned, Input, Thrown, Headers>
      | MiddlewareDefinition<Context, Returned, Input, Thrown, Headers>
      | AroundDefinition<Context, Returned, Input, Thrown, Headers>,
  ): NextFactory<
    Kind,
    MiddlewareInput & Fields<SchemaInput<Input>>,
    Spread<MiddlewareOutput, Fields<SchemaOutput<Input>>>,
    Context,
    Returned,
    JoinedErrors<Errors, Thrown>
  > {
    return this.add(isMiddleware(middleware) ? middleware : new Middleware(middleware));
  }

  /**
   * Returns a factory whose endpoints also run a middleware written for Express.
   *
   * The middleware runs before the body is read, unless an earlier middleware needs the body or `body` is set. It sees
   * preflight requests only if `cors` is false; otherwise sallyport responds to them itself.
   *
   * @example
   * factory.use(auth({ audience }), {
   *   provider: (request) => ({ auth: request.auth }),
   *   transformer: (error) => createHttpError(401, error.message),
   * });
   */
  use<
    Req extends ExpressRequest = Request,
    Res extends Response = Response,
    Returned extends MiddlewareReturn = EmptyObject,
  >(
    middleware: ExpressHandler<Req, Res>,
    options: ExpressMiddlewareOptions<Req, Res, Returned> = {},
    ...more: readonly never[]
  ): NextFactory<Kind, MiddlewareInput, MiddlewareOutput, Context, Returned, Errors> {
    if (typeof middleware !== "function")
      throw new DefinitionError(
        "SLP_DEFINITION_HANDLER",
        "use: the first argument must be a middleware written for Express, (request, response, next) => ...; pass a `Middleware` to `addMiddleware`.",
      );
    if (middleware.length > 3)
      throw new DefinitionError(
        "SLP_DEFINITION_HANDLER",
        "use: got a function with four parameters, which is an Express error handler. The result handler sends errors; add error handlers to the app in `afterRouting`.",
      );
    if (typeof options === "function" || more.length > 0)
      throw new DefinitionError(
        "SLP_DEFINITION_VALUE",
        "use: takes one middleware and its options. For several, chain the calls: factory.use(first).use(second).",
      );
    checkOptions("use", options, { provider: aFunction, transformer: aFunction, body: aBoolean });
    const { body, provider, transformer } = options;
    return this.add(
      Object.assign(new Middleware({ body, handler: () => undefined }), {
        name: middleware.name,
        native: { run: middleware, provider, transformer },
      }),
    );
  }

  /**
   * Returns a factory whose endpoints have more context: what the given function returns for each request.
   *
   * @param getContext receives the context so far
   * @param options `dispose` runs before the response is sent, and always after the handler has ended; its errors are
   * logged. `afterValidation` is that of {@link Middleware}.
   * @example
   * factory.addContext(async () => ({ db: await pool.connect() }), { dispose: ({ db }) => db.release() });
   */
  addContext<Returned extends MiddlewareReturn>(
    getContext: (
      ctx: Context,
      args: Omit<HandlerArguments<EmptyObject, Context>, "input" | "ctx">,
    ) => MaybePromise<Returned>,
    options: ContextOptions<Returned> = {},
  ): NextFactory<Kind, MiddlewareInput, MiddlewareOutput, Context, Returned, Errors> {
    if (typeof getContext !== "function")
      throw new DefinitionError(
        "SLP_DEFINITION_HANDLER",
        "addContext: the argument must be a function that returns an object.",
      );
    checkOptions("addContext", options, { dispose: aFunction, afterValidation: aBoolean });
    const { dispose, afterValidation } = options;
    const give = (args: HandlerArguments<EmptyObject, Context>): MaybePromise<Returned> =>
      getContext(args.ctx, args);
    if (!dispose)
      return this.add(new Middleware<Context, Returned>({ afterValidation, handler: give }));
    const middleware = new Middleware<Context, Returned>({
      afterValidation,
      around: async (args, next) => {
        const context = await give(args);
        try {
          // the request ends here, as it does without `dispose`
          if ((findExchange(args.response)?.phase ?? "open") !== "open")
            return undefined as unknown as Passed<Returned>;
          return (await next(context as object)) as unknown as Passed<Returned>;
        } finally {
          try {
            await dispose(context);
          } catch (error) {
            // a failure must not hide the outcome of the request
            args.logger.error("The context could not be disposed of", { error });
          }
        }
      },
    });
    return this.add(Object.assign(middleware, { undoesNothing: true }));
  }

  /**
   * Returns a factory whose endpoints convert what is thrown in them, such as a database's unique violation, before the
   * result handler sends it. Of several mappings, the last one comes first. Rejections of the framework, such as invalid
   * input, are passed to them, too.
   *
   * @throws {@link DefinitionError} when the handler is not a function or a declaration is invalid.
   * @example
   * factory.onError({
   *   errors: { taken: { status: 409, description: "The name is taken" } },
   *   handler: ({ error, errors }) =>
   *     "code" in error && error.code === "23505" ? errors.taken({ cause: error }) : undefined,
   * });
   */
  onError<Thrown extends ErrorDeclarations = EmptyObject>(
    mapping: ErrorMapping<Errors, Thrown>,
  ): NextFactory<
    Kind,
    MiddlewareInput,
    MiddlewareOutput,
    Context,
    EmptyObject,
    JoinedErrors<Errors, Thrown>
  > {
    const before = this.middlewares.map(({ errors }) => errors);
    return this.add(toErrorMapper("onError", mapping, before));
  }

  /**
   * Returns a factory whose endpoints are public, for documents and for `access: "explicit"` of the configuration, unless
   * a middleware or the endpoint declares `security`.
   *
   * @throws {@link DefinitionError} when the argument is not "public".
   * @example
   * const publicFactory = defaultEndpointsFactory.withAccess("public");
   */
  withAccess(
    access: "public",
  ): NextFactory<Kind, MiddlewareInput, MiddlewareOutput, Context, EmptyObject, Errors> {
    checkDefinition("withAccess", { access }, { access: aPublicAccess });
    return this.derive({ access });
  }

  protected derive(changes: object): unknown {
    const copy = Object.create(Object.getPrototypeOf(this) as object) as object;
    return Object.assign(copy, this, changes);
  }

  /** Checks a definition, whose handler must do what `does` says, and returns the parts of its endpoint. */
  protected toParts(
    where: string,
    definition: DefinitionBase<Method, InputSchema> & {
      readonly handler?: unknown;
      readonly output?: unknown;
    },
    checks: Checks,
    does = "handles the request",
  ): EndpointParts {
    if (typeof definition?.handler !== "function")
      throw new DefinitionError(
        "SLP_DEFINITION_HANDLER",
        `${where}: \`handler\` must be a function that ${does}.`,
      );
    checkDefinition(where, definition, checks);
    checkNoGenerator(where, "handler", definition.handler, definition.output as ZodSchema);
    const inputSchema = definition.input as ZodSchema | undefined;
    const outputSchema = definition.output as ZodSchema | undefined;
    const inputs = [...this.middlewares, { inputSchema }].flatMap((one) => one.inputSchema ?? []);
    const bodies = { inputs, output: outputSchema, isEventStream: this.isStreaming };
    for (const { checkEndpoint } of this.middlewares) checkEndpoint?.(where, bodies);
    const { shortDescription, description, operationId, security, access } = definition;
    const isProtected = security !== undefined || this.middlewares.some((one) => one.security);
    if (access && isProtected)
      throw new DefinitionError(
        "SLP_DEFINITION_VALUE",
        `${where}: \`access\` is "public", but ${security ? "the endpoint" : "a middleware of the factory"} declares \`security\`. Remove one of them; for clients that may authenticate but need not, leave \`security\` out.`,
      );
    return {
      methods: toMethods(where, definition.method),
      inputSchema,
      headersSchema: definition.headers as ZodSchema | undefined,
      outputSchema,
      responseHeadersSchema: definition.responseHeaders as ZodSchema | undefined,
      resultHandler: this.resultHandler,
      statusCode: definition.statusCode,
      errors: toErrorDeclarations(where, definition.errors),
      isVoid: false,
      keepsRawBody: definition.keepRawBody ?? false,
      timeout: definition.timeout,
      inputSources: definition.inputSources,
      bodyLimit: definition.bodyLimit,
      takesForms: definition.forms,
      uploadLimits: definition.upload?.limits,
      handle: definition.handler as EndpointParts["handle"],
      ...{ shortDescription, description, operationId },
      tags: [definition.tag ?? []].flat(),
      scopes: [definition.scope ?? []].flat(),
      access: isProtected ? "protected" : (access ?? this.access),
      security,
      ...deprecate(
        [...this.middlewares, ...listConditions(where, definition)],
        definition.deprecated,
      ),
    };
  }

  private add(middleware: AnyMiddleware): Kind["factory"] {
    return this.derive({ middlewares: [...this.middlewares, middleware] });
  }
}
