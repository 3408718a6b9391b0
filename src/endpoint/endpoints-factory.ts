import type { ExpressRequest, Request, Response } from "../http/express-objects.ts";
import { DefinitionError } from "../errors.ts";
import type { Method } from "../http/method.ts";
import {
  defaultResultHandler,
  type DefaultResultHandler,
} from "../results/default-result-handler.ts";
import { isResultHandler } from "../results/result-handler.ts";
import type { AcceptedBy, AnyResultHandler } from "../results/result-handler.ts";
import type {
  AnySchema,
  EmptyObject,
  InputSchema,
  NoInput,
  NoOutput,
  OutputSchema,
  SchemaInput,
  SchemaOutput,
  ZodSchema,
} from "../schemas/schema.ts";
import { assertInputOptions } from "./check-input-options.ts";
import { aBoolean, aFunction, assertKeys, assertOptions } from "./check-definition.ts";
import { assertSchema, assertTimeout, toMethods } from "./check-definition.ts";
import { toDescription } from "./describe-endpoint.ts";
import { disposeOf, type ContextOptions } from "./dispose-context.ts";
import { toVoidOutput, type VoidOutput } from "./void-output.ts";
import { Endpoint } from "./endpoint.ts";
import { assertStatusCode, toErrorDeclarations } from "./declared-errors.ts";
import type { ErrorDeclarations } from "./declared-errors.ts";
import {
  definitionKeys,
  type DefinitionBase,
  type EndpointDefinition,
  type VoidEndpointDefinition,
} from "./endpoint-definition.ts";
import {
  ExpressMiddleware,
  useChecks,
  type ExpressHandler,
  type ExpressMiddlewareOptions,
} from "./express-middleware.ts";
import type {
  ContextOf,
  HandlerArguments,
  InputAndContext,
  MaybePromise,
  Spread,
} from "./handler-arguments.ts";
import {
  isMiddleware,
  Middleware,
  type AnyMiddleware,
  type AroundDefinition,
  type MiddlewareDefinition,
  type MiddlewareReturn,
  type Passed,
} from "./middleware.ts";

/**
 * Builds endpoints that share middlewares and a result handler.
 *
 * A factory is immutable: `addMiddleware`, `addContext` and `use` return a new one.
 */
export class EndpointsFactory<
  MiddlewareInput = unknown,
  MiddlewareOutput = EmptyObject,
  Context = EmptyObject,
  Handler extends AnyResultHandler = DefaultResultHandler,
  Errors = EmptyObject,
> {
  readonly #resultHandler: AnyResultHandler;
  #middlewares: readonly AnyMiddleware[] = [];
  /** Type information only. */
  declare readonly "~types": {
    readonly middlewareInput: MiddlewareInput;
    readonly middlewareOutput: MiddlewareOutput;
    readonly context: Context;
    readonly resultHandler: Handler;
    readonly errors: Errors;
  };

  /** @throws {@link DefinitionError} when the argument is not a result handler. */
  constructor(resultHandler: Handler) {
    if (!isResultHandler(resultHandler))
      throw new DefinitionError(
        "SLP_DEFINITION_VALUE",
        "new EndpointsFactory: the argument must be a result handler; make one with `new ResultHandler({ positive, negative, handler })`.",
      );
    this.#resultHandler = resultHandler;
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
  >(
    middleware:
      | Middleware<Context, Returned, Input, Thrown>
      | MiddlewareDefinition<Context, Returned, Input, Thrown>
      | AroundDefinition<Context, Returned, Input, Thrown>,
  ): EndpointsFactory<
    MiddlewareInput & SchemaInput<Input>,
    Spread<MiddlewareOutput, SchemaOutput<Input>>,
    Spread<Context, ContextOf<Returned>>,
    Handler,
    Errors & Thrown
  > {
    return this.#derive(isMiddleware(middleware) ? middleware : new Middleware(middleware));
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
    options?: ExpressMiddlewareOptions<Req, Res, Returned>,
    ...more: readonly never[]
  ): EndpointsFactory<
    MiddlewareInput,
    MiddlewareOutput,
    Spread<Context, ContextOf<Returned>>,
    Handler,
    Errors
  > {
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
    assertOptions("use", options, useChecks);
    return this.#derive(new ExpressMiddleware(middleware, options));
  }

  /** Alias of {@link EndpointsFactory.use}. */
  addExpressMiddleware<
    Req extends ExpressRequest = Request,
    Res extends Response = Response,
    Returned extends MiddlewareReturn = EmptyObject,
  >(
    middleware: ExpressHandler<Req, Res>,
    options?: ExpressMiddlewareOptions<Req, Res, Returned>,
  ): EndpointsFactory<
    MiddlewareInput,
    MiddlewareOutput,
    Spread<Context, ContextOf<Returned>>,
    Handler,
    Errors
  > {
    return this.use(middleware, options);
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
  ): EndpointsFactory<
    MiddlewareInput,
    MiddlewareOutput,
    Spread<Context, ContextOf<Returned>>,
    Handler,
    Errors
  > {
    if (typeof getContext !== "function")
      throw new DefinitionError(
        "SLP_DEFINITION_HANDLER",
        "addContext: the argument must be a function that returns an object.",
      );
    assertOptions("addContext", options, { dispose: aFunction, afterValidation: aBoolean });
    const { dispose, afterValidation } = options;
    const give = (args: HandlerArguments<EmptyObject, Context>): MaybePromise<Returned> =>
      getContext(args.ctx, args);
    if (!dispose)
      return this.#derive(new Middleware<Context, Returned>({ afterValidation, handler: give }));
    return this.#derive(
      new Middleware<Context, Returned>({
        afterValidation,
        around: async (args, next) => {
          const context = await give(args);
          try {
            return (await next(context as object)) as unknown as Passed<Returned>;
          } finally {
            await disposeOf(context, dispose, args.logger);
          }
        },
      }),
    );
  }

  /**
   * Builds an endpoint.
   *
   * @throws {@link DefinitionError} when the method, a schema or the handler is invalid.
   * @example
   * const getUser = defaultEndpointsFactory.build({
   *   input: z.object({ id: z.string() }),
   *   output: z.object({ name: z.string() }),
   *   handler: async ({ input }) => users.find(input.id),
   * });
   */
  build<
    Input extends InputSchema = NoInput,
    Output extends OutputSchema = NoOutput,
    M extends Method = never,
    Arguments extends InputAndContext = {
      readonly input: Spread<MiddlewareOutput, SchemaOutput<Input>>;
      readonly ctx: Context;
    },
    Status extends number = number,
    Thrown extends ErrorDeclarations = EmptyObject,
  >(
    definition: EndpointDefinition<
      M,
      Input,
      Output,
      Arguments,
      AcceptedBy<Handler>,
      Status,
      Thrown
    >,
  ): Endpoint<M, Input, Output, MiddlewareInput, Handler, Status, Thrown, Errors> {
    const endpoint = this.#build<M, Input, Output, Status, Thrown>(
      definition,
      definition?.output as ZodSchema | undefined,
      false,
    );
    assertSchema("build", "output", definition.output);
    return endpoint;
  }

  /**
   * Builds an endpoint that responds with `{}`, whatever its handler returns.
   *
   * @throws {@link DefinitionError} when the method, the input schema or the handler is invalid.
   */
  buildVoid<
    Input extends InputSchema = NoInput,
    M extends Method = never,
    Status extends number = number,
    Thrown extends ErrorDeclarations = EmptyObject,
  >(
    definition: VoidEndpointDefinition<
      M,
      Input,
      MiddlewareOutput,
      Context,
      AcceptedBy<Handler>,
      Status,
      Thrown
    >,
  ): Endpoint<M, Input, VoidOutput, MiddlewareInput, Handler, Status, Thrown, Errors> {
    return this.#build(definition, toVoidOutput(), true);
  }

  #build<
    M extends Method,
    Input extends InputSchema,
    Output extends AnySchema,
    Status extends number,
    Thrown extends ErrorDeclarations,
  >(
    definition: DefinitionBase<M, Input, Status, Thrown> & { readonly handler: unknown },
    outputSchema: ZodSchema | undefined,
    isVoid: boolean,
  ): Endpoint<M, Input, Output, MiddlewareInput, Handler, Status, Thrown, Errors> {
    const where = isVoid ? "buildVoid" : "build";
    if (typeof definition?.handler !== "function")
      throw new DefinitionError(
        "SLP_DEFINITION_HANDLER",
        `${where}: \`handler\` must be a function that handles the request.`,
      );
    assertKeys(where, definition, isVoid ? definitionKeys : [...definitionKeys, "output"]);
    assertSchema(where, "input", definition.input);
    assertTimeout(where, definition.timeout);
    assertInputOptions(where, definition);
    assertStatusCode(where, definition.statusCode);
    return new Endpoint({
      methods: toMethods(where, definition.method),
      inputSchema: definition.input as ZodSchema | undefined,
      outputSchema,
      middlewares: this.#middlewares,
      resultHandler: this.#resultHandler,
      statusCode: definition.statusCode,
      errors: toErrorDeclarations(where, definition.errors),
      isVoid,
      keepsRawBody: definition.keepRawBody ?? false,
      timeout: definition.timeout,
      inputSources: definition.inputSources,
      bodyLimit: definition.bodyLimit,
      takesForms: definition.forms,
      uploadLimits: definition.upload?.limits,
      handle: definition.handler as Endpoint<M, Input, Output, unknown, unknown>["handle"],
      ...toDescription(where, definition),
    });
  }

  #derive<Input, Output, Ctx, Thrown>(
    middleware: AnyMiddleware,
  ): EndpointsFactory<Input, Output, Ctx, Handler, Thrown> {
    const derived = new EndpointsFactory<Input, Output, Ctx, Handler, Thrown>(
      this.#resultHandler as Handler,
    );
    derived.#middlewares = [...this.#middlewares, middleware];
    return derived;
  }
}

/** Builds endpoints that respond with the default envelopes. */
export const defaultEndpointsFactory: EndpointsFactory = new EndpointsFactory(defaultResultHandler);
