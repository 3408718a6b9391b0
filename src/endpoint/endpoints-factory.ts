import type { Request, Response } from "express";
import { z } from "zod";
import { DefinitionError } from "../errors.ts";
import type { Method } from "../http/method.ts";
import {
  defaultResultHandler,
  type DefaultResultHandler,
} from "../results/default-result-handler.ts";
import { isResultHandler, type AnyResultHandler } from "../results/result-handler.ts";
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
import { assertKeys, assertSchema, assertTimeout, toList, toMethods } from "./check-definition.ts";
import { Endpoint } from "./endpoint.ts";
import {
  definitionKeys,
  type DefinitionBase,
  type EndpointDefinition,
  type VoidEndpointDefinition,
} from "./endpoint-definition.ts";
import {
  ExpressMiddleware,
  type ExpressHandler,
  type ExpressMiddlewareOptions,
} from "./express-middleware.ts";
import type { ContextOf, HandlerArguments, MaybePromise, Spread } from "./handler-arguments.ts";
import {
  isMiddleware,
  Middleware,
  type AnyMiddleware,
  type MiddlewareDefinition,
  type MiddlewareReturn,
} from "./middleware.ts";

/**
 * Builds endpoints that share middlewares and a result handler.
 *
 * A factory never changes: `addMiddleware`, `addContext` and `use` give a new one.
 */
export class EndpointsFactory<
  MiddlewareInput = unknown,
  MiddlewareOutput = EmptyObject,
  Context = EmptyObject,
  Handler extends AnyResultHandler = DefaultResultHandler,
> {
  readonly #resultHandler: AnyResultHandler;
  #middlewares: readonly AnyMiddleware[] = [];
  /** Exists for the compiler only. */
  declare readonly "~types"?: {
    readonly middlewareInput: MiddlewareInput;
    readonly middlewareOutput: MiddlewareOutput;
    readonly context: Context;
    readonly resultHandler: Handler;
  };

  /** @throws {@link DefinitionError} when the argument is no result handler. */
  constructor(resultHandler: Handler) {
    if (!isResultHandler(resultHandler))
      throw new DefinitionError(
        "SLP_DEFINITION_VALUE",
        "new EndpointsFactory: the argument must be a result handler; make one with `new ResultHandler({ positive, negative, handler })`.",
      );
    this.#resultHandler = resultHandler;
  }

  /**
   * Gives a factory whose endpoints run a middleware first, after those that this factory has.
   *
   * @param middleware a `Middleware`, or the definition of one
   * @throws {@link DefinitionError} when it is neither.
   */
  addMiddleware<Returned extends MiddlewareReturn, Input extends InputSchema = NoInput>(
    middleware:
      | Middleware<Context, Returned, Input>
      | MiddlewareDefinition<Context, Returned, Input>,
  ): EndpointsFactory<
    MiddlewareInput & SchemaInput<Input>,
    Spread<MiddlewareOutput, SchemaOutput<Input>>,
    Spread<Context, ContextOf<Returned>>,
    Handler
  > {
    return this.#derive(isMiddleware(middleware) ? middleware : new Middleware(middleware));
  }

  /**
   * Gives a factory whose endpoints run a middleware written for Express first.
   *
   * It runs on preflight requests as well, as such middlewares expect.
   *
   * @example
   * factory.use(auth({ audience }), {
   *   provider: (request) => ({ auth: request.auth }),
   *   transformer: (error) => createHttpError(401, error.message),
   * });
   */
  use<
    Req extends Request = Request,
    Res extends Response = Response,
    Returned extends MiddlewareReturn = EmptyObject,
  >(
    middleware: ExpressHandler<Req, Res>,
    options?: ExpressMiddlewareOptions<Req, Res, Returned>,
  ): EndpointsFactory<
    MiddlewareInput,
    MiddlewareOutput,
    Spread<Context, ContextOf<Returned>>,
    Handler
  > {
    if (typeof middleware !== "function")
      throw new DefinitionError(
        "SLP_DEFINITION_HANDLER",
        "use: the first argument must be a middleware written for Express, (request, response, next) => ...",
      );
    return this.#derive(new ExpressMiddleware(middleware, options));
  }

  /** Another name of {@link EndpointsFactory.use}. */
  addExpressMiddleware<
    Req extends Request = Request,
    Res extends Response = Response,
    Returned extends MiddlewareReturn = EmptyObject,
  >(
    middleware: ExpressHandler<Req, Res>,
    options?: ExpressMiddlewareOptions<Req, Res, Returned>,
  ): EndpointsFactory<
    MiddlewareInput,
    MiddlewareOutput,
    Spread<Context, ContextOf<Returned>>,
    Handler
  > {
    return this.use(middleware, options);
  }

  /**
   * Gives a factory whose endpoints have more context: what the function returns for a request.
   *
   * @param getContext receives the context so far
   * @example
   * factory.addContext(async () => ({ db: await pool.connect() }));
   */
  addContext<Returned extends MiddlewareReturn>(
    getContext: (
      ctx: Context,
      args: Omit<HandlerArguments<EmptyObject, Context>, "input" | "ctx">,
    ) => MaybePromise<Returned>,
  ): EndpointsFactory<
    MiddlewareInput,
    MiddlewareOutput,
    Spread<Context, ContextOf<Returned>>,
    Handler
  > {
    if (typeof getContext !== "function")
      throw new DefinitionError(
        "SLP_DEFINITION_HANDLER",
        "addContext: the argument must be a function that returns an object.",
      );
    return this.#derive(
      new Middleware<Context, Returned>({ handler: (args) => getContext(args.ctx, args) }),
    );
  }

  /**
   * Builds an endpoint.
   *
   * @throws {@link DefinitionError} when the method, a schema or the handler is wrong.
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
    M extends Method = Method,
  >(
    definition: EndpointDefinition<M, Input, Output, MiddlewareOutput, Context>,
  ): Endpoint<M, Input, Output, MiddlewareInput, Handler> {
    const endpoint = this.#build<M, Input, Output>(
      definition,
      definition?.output as ZodSchema | undefined,
      false,
    );
    assertSchema("build", "output", definition.output);
    return endpoint;
  }

  /**
   * Builds an endpoint that answers `{}`, whatever its handler returns.
   *
   * @throws {@link DefinitionError} when the method, the input schema or the handler is wrong.
   */
  buildVoid<Input extends InputSchema = NoInput, M extends Method = Method>(
    definition: VoidEndpointDefinition<M, Input, MiddlewareOutput, Context>,
  ): Endpoint<M, Input, VoidOutput, MiddlewareInput, Handler> {
    return this.#build(definition, toVoidOutput(), true);
  }

  #build<M extends Method, Input extends InputSchema, Output extends AnySchema>(
    definition: DefinitionBase<M, Input> & { readonly handler: unknown },
    outputSchema: ZodSchema | undefined,
    isVoid: boolean,
  ): Endpoint<M, Input, Output, MiddlewareInput, Handler> {
    const where = isVoid ? "buildVoid" : "build";
    if (typeof definition?.handler !== "function")
      throw new DefinitionError(
        "SLP_DEFINITION_HANDLER",
        `${where}: \`handler\` must be a function that returns the output.`,
      );
    assertKeys(where, definition, isVoid ? definitionKeys : [...definitionKeys, "output"]);
    assertSchema(where, "input", definition.input);
    assertTimeout(where, definition.timeout);
    return new Endpoint({
      methods: toMethods(where, definition.method),
      inputSchema: definition.input as ZodSchema | undefined,
      outputSchema,
      middlewares: this.#middlewares,
      resultHandler: this.#resultHandler,
      isVoid,
      keepsRawBody: definition.keepRawBody ?? false,
      timeout: definition.timeout,
      handle: definition.handler as Endpoint<M, Input, Output, unknown, unknown>["handle"],
      shortDescription: definition.shortDescription,
      description: definition.description,
      tags: toList(definition.tag),
      scopes: toList(definition.scope),
      operationId: definition.operationId,
      isDeprecated: definition.deprecated ?? false,
    });
  }

  #derive<Input, Output, Ctx>(
    middleware: AnyMiddleware,
  ): EndpointsFactory<Input, Output, Ctx, Handler> {
    const derived = new EndpointsFactory<Input, Output, Ctx, Handler>(
      this.#resultHandler as Handler,
    );
    derived.#middlewares = [...this.#middlewares, middleware];
    return derived;
  }
}

/** The output schema of an endpoint built with `buildVoid`. */
export type VoidOutput = z.ZodObject<EmptyObject>;

let voidOutput: VoidOutput | undefined;

/** Made with the first such endpoint: the first schema of a program costs 8 ms. */
const toVoidOutput = (): VoidOutput => (voidOutput ??= z.object({}));

/** Builds endpoints that answer with the default envelopes. */
export const defaultEndpointsFactory: EndpointsFactory = new EndpointsFactory(defaultResultHandler);
