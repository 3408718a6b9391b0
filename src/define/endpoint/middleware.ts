import type { NextFunction, Request, Response } from "express";
import { DefinitionError } from "../../basics/errors.ts";
import { aBoolean, anything, checkDefinition } from "../../basics/messages/option-checks.ts";
import type {
  EmptyObject,
  InputSchema,
  NoInput,
  ReturnedObject,
  SchemaOutput,
  ZodSchema,
} from "../../basics/schemas/schema.ts";
import { reportBuilt } from "./build-hook.ts";
import { aHeaderSchema, anObjectSchema, checkNoGenerator } from "./check-definition.ts";
import type { Adding } from "./additions.ts";
import {
  toErrorDeclarations,
  type ErrorDeclarations,
  type ErrorFaults,
  type UninferredFault,
} from "./declared-errors.ts";
import type { HandlerArguments, MaybePromise } from "./handler-arguments.ts";
import type { Outcome } from "./outcome.ts";
import { aSecurity, type Security } from "./security.ts";

/** The property that marks a middleware, even one made by another copy of this package in the same process. */
export const middlewareMark: unique symbol = Symbol.for("sallyport/middleware");

/** What a middleware may return: an object that joins the context, or nothing. */
// oxlint-disable-next-line typescript/no-invalid-void-type -- a handler without a return statement
export type MiddlewareReturn = ReturnedObject | null | undefined | void;

interface MiddlewareBase<
  Input extends InputSchema,
  Errors extends ErrorDeclarations,
  Headers extends InputSchema,
> {
  /** Schema of the input that this middleware needs; later handlers receive these fields too. */
  readonly input?: Input | undefined;
  /** Schema of the request's header fields that this middleware receives as `headers`; names are in lower case. */
  readonly headers?: Headers | undefined;
  /** How the client authenticates; used in documents. */
  readonly security?: Security | undefined;
  /**
   * The statuses of the errors that this middleware throws, declared for every endpoint that uses it.
   *
   * @example
   * errors: { 429: { description: "Too many requests", headers: { "Retry-After": "Seconds to wait" } } }
   */
  readonly errors?: (Errors & ErrorFaults<Errors> & UninferredFault<Errors>) | undefined;
  /**
   * Whether `request.body` is read and parsed before this middleware runs. A middleware with `input` always has the
   * parsed body.
   *
   * @default false, so that a request rejected here is rejected before any of its body is read
   */
  readonly body?: boolean | undefined;
  /**
   * Whether the body is read and the endpoint's own input is validated before this middleware. Set this for what must
   * not wait for a slow client, such as transactions.
   *
   * @default false
   */
  readonly afterValidation?: boolean | undefined;
}

/** The definition of a middleware that runs before the handler. */
export interface MiddlewareDefinition<
  Context,
  Returned extends MiddlewareReturn,
  Input extends InputSchema,
  Errors extends ErrorDeclarations = ErrorDeclarations,
  Headers extends InputSchema = NoInput,
> extends MiddlewareBase<Input, Errors, Headers> {
  /** Returns an object that joins the context, or throws to stop the request. */
  readonly handler: (
    this: void,
    args: HandlerArguments<SchemaOutput<Input>, Context, SchemaOutput<Headers>, Errors>,
  ) => MaybePromise<Returned>;
  readonly around?: undefined;
}

/** What `next` of an `around` middleware resolves to and the middleware returns; it carries the type of the context. */
export interface Passed<Context> {
  readonly "~context": Context;
}

/**
 * The function `next` of an `around` middleware. It runs everything after the middleware up to the validation of the
 * output, and settles when all of that has ended, before the response is sent; it rejects with any error thrown there.
 * If the time limit expires, the client is answered at once, but the promise still waits for the stages, and then
 * rejects. If the client disconnects, it settles with their outcome, and rejects if the handler has not begun.
 */
// oxlint-disable-next-line typescript/consistent-type-definitions -- editors show its name on hover
export type AroundNext = {
  (): Promise<Passed<EmptyObject>>;
  /** @param context the fields to add to the context of everything after the middleware */
  <Given extends ReturnedObject>(context: Given): Promise<Passed<Given>>;
};

/** The definition of a middleware that wraps everything after it, for example in a transaction, a lock or a trace. */
export interface AroundDefinition<
  Context,
  Returned extends MiddlewareReturn,
  Input extends InputSchema,
  Errors extends ErrorDeclarations = ErrorDeclarations,
  Headers extends InputSchema = NoInput,
> extends MiddlewareBase<Input, Errors, Headers> {
  /**
   * Calls `next` once and returns its result, or throws to stop the request. An error that `next` rejects with is still
   * sent to the client, even if you catch it.
   */
  readonly around: (
    this: void,
    args: HandlerArguments<SchemaOutput<Input>, Context, SchemaOutput<Headers>, Errors>,
    next: AroundNext,
  ) => MaybePromise<Passed<Returned>>;
  readonly handler?: undefined;
}

/** A middleware written for Express. */
export type ExpressHandler<Req extends Request, Res extends Response> = (
  request: Req,
  response: Res,
  next: NextFunction,
) => unknown;

/** Options for a middleware written for Express. */
export interface ExpressMiddlewareOptions<
  Req extends Request,
  Res extends Response,
  Returned extends MiddlewareReturn,
> {
  /** Returns the context, from what the middleware has put on the request, such as `request.auth`. */
  readonly provider?: ((request: Req, response: Res) => MaybePromise<Returned>) | undefined;
  /** Converts an error of the middleware, usually into an HTTP error. */
  readonly transformer?: ((error: Error) => Error) | undefined;
  /**
   * Whether `request.body` is read and parsed before the middleware runs. Set this option for a middleware that uses
   * the parsed body, such as a sanitiser.
   *
   * @default false, which suits middlewares that read the body themselves, such as multer or a proxy
   */
  readonly body?: boolean | undefined;
}

export interface NativeMiddleware {
  readonly run: (request: never, response: never, next: NextFunction) => unknown;
  readonly provider?: ((request: never, response: never) => unknown) | undefined;
  readonly transformer?: ((error: Error) => Error) | undefined;
}

/** What an endpoint takes and sends. */
export interface DeclaredBodies {
  /** Those of its middlewares, too. */
  readonly inputs: readonly ZodSchema[];
  readonly output: ZodSchema | undefined;
  readonly isEventStream: boolean;
}

/** A middleware of any type, as the pipeline runs it. */
export interface AnyMiddleware extends Adding {
  readonly [middlewareMark]: true;
  /** The option of an endpoint that the middleware comes from; it then runs after those of the factory. */
  readonly option?: string | undefined;
  /** The name of the function that the middleware runs, for traces. */
  readonly name?: string | undefined;
  readonly inputSchema?: ZodSchema | undefined;
  /** The name by which clients tell a limit from the others of an endpoint. */
  readonly limitName?: string | undefined;
  readonly takesBody?: boolean | undefined;
  /** Whether the endpoint's input is validated before the middleware runs. */
  readonly afterValidation?: boolean | undefined;
  /** Whether it undoes nothing when what is inside it fails, such as one that only disposes of a context. */
  readonly undoesNothing?: boolean | undefined;
  /** Rejects the definition of an endpoint that cannot have this middleware. */
  readonly checkEndpoint?: ((where: string, bodies: DeclaredBodies) => void) | undefined;
  /** Rejects settings of the Express application, before a server starts. */
  readonly checkSettings?: ((settings: Readonly<Record<string, unknown>>) => void) | undefined;
  /** Returns the context; not called if `handleAround`, `handleOutcome` or `native` is set. */
  readonly handle: (args: HandlerArguments<never, never>) => unknown;
  /** Runs around everything after the middleware, which its `next` runs; called `around`, it would be a definition. */
  readonly handleAround?:
    | ((args: HandlerArguments<never, never>, next: AroundNext) => unknown)
    | undefined;
  /** Runs around everything after the middleware, and returns the outcome of that, or another one. */
  readonly handleOutcome?:
    | ((args: never, state: never, inside: never) => Promise<Outcome>)
    | undefined;
  /** Converts what is thrown in the endpoint; a middleware that has this does nothing else. */
  readonly mapError?: ((args: never) => unknown) | undefined;
  /** Set if the middleware was written for Express. */
  readonly native?: NativeMiddleware | undefined;
}

const MarkedParts = class {
  readonly [middlewareMark] = true;
  constructor(parts: object) {
    Object.assign(this, parts);
  }
} as new (parts: Omit<AnyMiddleware, typeof middlewareMark>) => AnyMiddleware;

/**
 * Logic that runs before a handler, such as checking credentials or loading shared data.
 *
 * @example
 * const auth = new Middleware({
 *   input: z.object({ key: z.string().min(1) }),
 *   handler: async ({ input }) => {
 *     const user = await users.findByKey(input.key);
 *     if (!user) throw createHttpError(401, "Unknown key");
 *     return { user };
 *   },
 * });
 */
export class Middleware<
  Context = EmptyObject,
  // oxlint-disable-next-line typescript/no-invalid-void-type -- with only `Context` given, the type of a returned object would be lost
  Returned extends MiddlewareReturn = void,
  Input extends InputSchema = NoInput,
  Errors extends ErrorDeclarations = EmptyObject,
  Headers extends InputSchema = NoInput,
> extends MarkedParts {
  /** Type information only. */
  declare readonly "~types": {
    // `Record<string, never>` requires nothing; a mapped type makes the compiler look beyond the type arguments
    readonly requires: (context: {
      [
        Key in keyof Context as string extends Key
          ? [Context[Key]] extends [never]
            ? never
            : Key
          : Key
      ]: Context[Key];
    }) => void;
    readonly returned: Returned;
    readonly input: Input;
    readonly errors: Errors;
    readonly headers: Headers;
  };

  /** @throws {@link DefinitionError} when the handler is not a function or `input` is not a Zod 4 schema. */
  constructor(
    definition:
      | MiddlewareDefinition<Context, Returned, Input, Errors, Headers>
      | AroundDefinition<Context, Returned, Input, Errors, Headers>,
  ) {
    if (typeof definition === "function")
      throw new DefinitionError(
        "SLP_DEFINITION_HANDLER",
        "new Middleware: got a function, not a definition such as { handler }. To add a middleware written for Express, call `use` of a factory.",
      );
    const { handler, around } = (definition ?? {}) as { handler?: unknown; around?: unknown };
    if (typeof (handler ?? around) !== "function" || (handler && around))
      throw new DefinitionError(
        "SLP_DEFINITION_HANDLER",
        "new Middleware: set either `handler`, a function that returns an object for the context, or `around`, a function that calls `next`.",
      );
    checkNoGenerator("new Middleware", handler ? "handler" : "around", handler ?? around);
    checkDefinition("new Middleware", definition, definitionChecks);
    super({
      name: (definition.handler ?? definition.around).name,
      errors: toErrorDeclarations("new Middleware", definition.errors),
      inputSchema: definition.input as ZodSchema | undefined,
      headersSchema: definition.headers as ZodSchema | undefined,
      security: definition.security,
      takesBody: definition.body ?? false,
      afterValidation: definition.afterValidation ?? false,
      handle: (definition.handler as AnyMiddleware["handle"] | undefined) ?? (() => undefined),
      handleAround: definition.around as AnyMiddleware["handleAround"],
    });
    reportBuilt(this);
  }
}

const definitionChecks = {
  input: anObjectSchema,
  headers: aHeaderSchema,
  security: aSecurity,
  errors: anything,
  body: aBoolean,
  afterValidation: aBoolean,
  handler: anything,
  around: anything,
};

export const isMiddleware = (value: unknown): value is AnyMiddleware =>
  typeof value === "object" && value !== null && middlewareMark in value;
