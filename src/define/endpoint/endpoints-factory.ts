import { z } from "zod";
import { DefinitionError } from "../../basics/errors.ts";
import { aFunction } from "../../basics/messages/option-checks.ts";
import type { Method } from "../../basics/http/method.ts";
import { arrayResultHandler } from "../results/array-result-handler.ts";
import {
  defaultResultHandler,
  type DefaultResultHandler,
} from "../results/default-result-handler.ts";
import { problemResultHandler } from "../results/problem-result-handler.ts";
import { isResultHandler } from "../results/result-handler.ts";
import type { AcceptedBy, AnyResultHandler } from "../results/result-handler.ts";
import type {
  EmptyObject,
  InputSchema,
  NoInput,
  NoOutput,
  OutputSchema,
  SchemaOutput,
} from "../../basics/schemas/schema.ts";
import { anObjectSchema } from "./check-definition.ts";
import type { IfMatch, SentHeaders } from "./conditions.ts";
import type { AnyErrors } from "./declared-errors.ts";
import { Endpoint } from "./endpoint.ts";
import type { StatusErrors, ThrowableErrors } from "./error-factories.ts";
import {
  definitionChecks,
  type EndpointDefinition,
  type VoidEndpointDefinition,
} from "./endpoint-definition.ts";
import { Factory, type FactoryKind } from "./factory.ts";
import type { ArgumentsBox, ArgumentsOf, HandlerArguments, Spread } from "./handler-arguments.ts";

/** The output schema of an endpoint built with `buildVoid`. */
export type VoidOutput = z.ZodObject<EmptyObject>;

let voidOutput: VoidOutput | undefined;

/** Creates the schema with the first endpoint that needs it, because a program's first schema costs 8 ms. */
const toVoidOutput = (): VoidOutput => (voidOutput ??= z.object({}));

interface EndpointsFactoryKind<Handler extends AnyResultHandler> extends FactoryKind {
  readonly factory: EndpointsFactory<
    this["middlewareInput"],
    this["middlewareOutput"],
    this["context"],
    Handler,
    this["errors"]
  >;
}

/**
 * Builds endpoints that share middlewares and a result handler.
 *
 * A factory is immutable: `addMiddleware`, `addContext`, `use` and `withResultHandler` return a new one.
 */
export class EndpointsFactory<
  MiddlewareInput = unknown,
  MiddlewareOutput = EmptyObject,
  Context = EmptyObject,
  Handler extends AnyResultHandler = DefaultResultHandler,
  Errors = EmptyObject,
> extends Factory<
  EndpointsFactoryKind<Handler>,
  MiddlewareInput,
  MiddlewareOutput,
  Context,
  Errors
> {
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
    assertResultHandler("new EndpointsFactory", resultHandler);
    super(resultHandler);
  }

  /**
   * Returns a factory with the same middlewares and another result handler.
   *
   * @throws {@link DefinitionError} when the argument is not a result handler.
   * @example
   * const v2 = factoryWithAuth.withResultHandler(problemResultHandler);
   */
  withResultHandler<Other extends AnyResultHandler>(
    resultHandler: Other,
  ): EndpointsFactory<MiddlewareInput, MiddlewareOutput, Context, Other, Errors> {
    assertResultHandler("withResultHandler", resultHandler);
    return this.derive({ resultHandler }) as never;
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
    Headers extends InputSchema = NoInput,
    ResponseHeaders extends InputSchema = NoInput,
    Thrown extends AnyErrors = EmptyObject,
    // ArgumentsOf in other words, which cost the compiler less
    Box extends ArgumentsBox = ArgumentsBox<
      HandlerArguments<
        Spread<MiddlewareOutput, SchemaOutput<Input>>,
        Context,
        SchemaOutput<Headers>,
        ThrowableErrors<Errors & StatusErrors<Handler>, Thrown>
      >
    >,
    Status extends number = number,
    Match extends IfMatch = never,
  >(
    definition: EndpointDefinition<
      M,
      Input,
      Output,
      Box,
      AcceptedBy<Handler>,
      Status,
      Thrown,
      Headers,
      ResponseHeaders,
      Match
    >,
  ): Endpoint<
    M,
    Input,
    Output,
    MiddlewareInput,
    Handler,
    Status,
    Thrown,
    Errors,
    SentHeaders<Headers, Match>,
    ResponseHeaders
  > {
    return new Endpoint(this.toParts("build", definition, buildChecks));
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
    Thrown extends AnyErrors = EmptyObject,
    Headers extends InputSchema = NoInput,
    ResponseHeaders extends InputSchema = NoInput,
    Match extends IfMatch = never,
  >(
    definition: VoidEndpointDefinition<
      M,
      Input,
      ArgumentsOf<
        MiddlewareOutput,
        Context,
        Input,
        Headers,
        ThrowableErrors<Errors & StatusErrors<Handler>, Thrown>
      >,
      AcceptedBy<Handler>,
      Status,
      Thrown,
      Headers,
      ResponseHeaders,
      Match
    >,
  ): Endpoint<
    M,
    Input,
    VoidOutput,
    MiddlewareInput,
    Handler,
    Status,
    Thrown,
    Errors,
    SentHeaders<Headers, Match>,
    ResponseHeaders
  > {
    const parts = this.toParts("buildVoid", definition, definitionChecks);
    return new Endpoint({ ...parts, outputSchema: toVoidOutput(), isVoid: true });
  }
}

const assertResultHandler = (where: string, value: unknown): void => {
  if (!isResultHandler(value))
    throw new DefinitionError(
      "SLP_DEFINITION_VALUE",
      `${where}: the argument must be a result handler; make one with \`new ResultHandler({ positive, negative, handler })\`.`,
    );
};

const buildChecks = { ...definitionChecks, output: anObjectSchema, version: aFunction };

/** Builds endpoints that respond with the default envelopes. */
export const defaultEndpointsFactory = new EndpointsFactory(defaultResultHandler);

/**
 * Builds endpoints that send their bare output on success and problem details on error. Also set `errorHandler:
 * problemResultHandler` in the configuration, so that errors of paths without an endpoint have the same format.
 *
 * @see https://www.rfc-editor.org/rfc/rfc9457
 */
export const problemEndpointsFactory = new EndpointsFactory(problemResultHandler);

/**
 * Builds endpoints that send the array `items` of their output on success and plain text on error. Use it only for
 * clients of an older API: a bare array leaves no room for later additions, such as a total count.
 */
export const arrayEndpointsFactory = new EndpointsFactory(arrayResultHandler);
