import { DefinitionError, ServerFault } from "../errors.ts";
import type {
  EmptyObject,
  InputSchema,
  NoInput,
  ReturnedObject,
  SchemaOutput,
  ZodSchema,
} from "../schemas/schema.ts";
import { tellBuilt } from "./build-hook.ts";
import { assertKeys, assertSchema } from "./check-definition.ts";
import { toErrorDeclarations, type ErrorDeclarations } from "./declared-errors.ts";
import type { HandlerArguments, MaybePromise } from "./handler-arguments.ts";
import type { Security } from "./security.ts";

/** Marks a middleware, also one of another copy of this package in the same process. */
export const middlewareMark: unique symbol = Symbol.for("sallyport/middleware");

/** What a middleware may return: an object that joins the context, or nothing. */
// oxlint-disable-next-line typescript/no-invalid-void-type -- a handler without a return statement
export type MiddlewareReturn = ReturnedObject | null | undefined | void;

interface MiddlewareBase<Input extends InputSchema, Errors extends ErrorDeclarations> {
  /** Schema of the input that this middleware needs; the handlers after it see these fields, too. */
  readonly input?: Input | undefined;
  /** How the client proves who it is; for documents. */
  readonly security?: Security | undefined;
  /**
   * The statuses that it throws, as those of an endpoint; they count for all endpoints that it runs before.
   *
   * @example
   * errors: { 429: { description: "Too many requests", headers: { "Retry-After": "Seconds to wait" } } }
   */
  readonly errors?: Errors | undefined;
  /**
   * Whether `request.body` is read and parsed before this middleware runs. With an `input` it is in any case.
   *
   * @default false, so that whoever is refused here is refused before a byte of the body is read
   */
  readonly body?: boolean | undefined;
}

/** A middleware that runs before what comes after it; the argument of `new Middleware` and of a factory's `addMiddleware`. */
export interface MiddlewareDefinition<
  Context,
  Returned extends MiddlewareReturn,
  Input extends InputSchema,
  Errors extends ErrorDeclarations = ErrorDeclarations,
> extends MiddlewareBase<Input, Errors> {
  /** Returns an object that joins the context, or throws to stop the request. */
  readonly handler: (
    args: HandlerArguments<SchemaOutput<Input>, Context>,
  ) => MaybePromise<Returned>;
  readonly around?: undefined;
}

/** What `next` of an `around` middleware resolves to, and what the middleware returns: it tells the compiler the context. */
export interface Passed<Context> {
  readonly "~context": Context;
}

/**
 * Runs what comes after an `around` middleware: further middlewares, the validation, the handler, the validation of its
 * output. It resolves before the response is sent, and rejects with whatever is thrown there, when the client leaves, and
 * when the time of the request is over.
 */
// oxlint-disable-next-line typescript/consistent-type-definitions -- shown by name where it is hovered over
export type AroundNext = {
  (): Promise<Passed<EmptyObject>>;
  /** @param context joins the context of what comes after */
  <Given extends ReturnedObject>(context: Given): Promise<Passed<Given>>;
};

/** A middleware that spans what comes after it, such as a transaction, a lock or a trace. */
export interface AroundDefinition<
  Context,
  Returned extends MiddlewareReturn,
  Input extends InputSchema,
  Errors extends ErrorDeclarations = ErrorDeclarations,
> extends MiddlewareBase<Input, Errors> {
  /**
   * Calls `next` once and returns what it resolves to, or throws to stop the request.
   *
   * An error that `next` rejects with is answered also if you catch it.
   */
  readonly around: (
    args: HandlerArguments<SchemaOutput<Input>, Context>,
    next: AroundNext,
  ) => MaybePromise<Passed<Returned>>;
  readonly handler?: undefined;
}

/** What comes after a middleware that spans it. */
export interface Rest {
  /** Runs it; rejects with whatever is thrown there. The context joins that of the request. */
  readonly run: (context: unknown) => Promise<void>;
  /** Answers an error that comes after `run` was called, or logs it where the response is sent. */
  readonly fail: (error: unknown) => void;
  /** Sets what `request.next` is from now on. */
  readonly setNext: (next: unknown) => void;
}

/** A middleware of whatever types, as the pipeline runs it. */
export interface AnyMiddleware {
  readonly [middlewareMark]: true;
  readonly inputSchema: ZodSchema | undefined;
  readonly security: Security | undefined;
  /** The errors that it throws. */
  readonly errors?: ErrorDeclarations | undefined;
  /** Whether it wraps native Express middleware. */
  readonly isNative: boolean;
  /** Whether the body is read before it runs. */
  readonly takesBody?: boolean;
  /** Gives the context; not called where there is `span`. */
  readonly handle: (args: HandlerArguments<never, never>) => unknown;
  /** Runs around what comes after it. */
  readonly span?: ((args: HandlerArguments<never, never>, rest: Rest) => Promise<void>) | undefined;
}

/**
 * Logic that runs before a handler: checks credentials, loads what several endpoints need.
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
  // oxlint-disable-next-line typescript/no-invalid-void-type -- with the context alone given, what is returned would be lost
  Returned extends MiddlewareReturn = void,
  Input extends InputSchema = NoInput,
  Errors extends ErrorDeclarations = EmptyObject,
> implements AnyMiddleware {
  readonly [middlewareMark] = true;
  readonly inputSchema: ZodSchema | undefined;
  readonly security: Security | undefined;
  readonly errors: ErrorDeclarations | undefined;
  readonly isNative: boolean = false;
  readonly takesBody: boolean;
  readonly handle: (args: HandlerArguments<never, never>) => unknown;
  readonly span: AnyMiddleware["span"];
  /** Exists for the compiler only. */
  declare readonly "~types": {
    readonly requires: (context: Context) => void;
    readonly returned: Returned;
    readonly input: Input;
    readonly errors: Errors;
  };

  /** @throws {@link DefinitionError} when the handler is no function or the input is no schema of Zod 4. */
  constructor(
    definition:
      | MiddlewareDefinition<Context, Returned, Input, Errors>
      | AroundDefinition<Context, Returned, Input, Errors>,
  ) {
    const { handler, around } = (definition ?? {}) as {
      readonly handler?: unknown;
      readonly around?: unknown;
    };
    if (typeof (handler ?? around) !== "function" || (handler && around))
      throw new DefinitionError(
        "SLP_DEFINITION_HANDLER",
        "new Middleware: `handler` must be a function that returns an object for the context; or `around` one that calls `next`. Set one of them.",
      );
    assertKeys("new Middleware", definition, [
      ...["input", "security", "errors", "body", "handler", "around"],
    ]);
    assertSchema("new Middleware", "input", definition.input);
    this.errors = toErrorDeclarations("new Middleware", definition.errors);
    this.inputSchema = definition.input as ZodSchema | undefined;
    this.security = definition.security;
    this.takesBody = definition.body ?? false;
    this.handle = definition.handler ?? ignore;
    this.span = definition.around && toSpan(definition.around);
    tellBuilt(this);
  }
}

const ignore = (): void => undefined;

/** What `next` resolves to; only the compiler reads it. */
const passed = Object.freeze({}) as Passed<never>;

const toSpan =
  (
    around: (args: HandlerArguments<never, never>, next: AroundNext) => unknown,
  ): NonNullable<AnyMiddleware["span"]> =>
  async (args, { run }) => {
    let calls = 0;
    let first: Promise<unknown> | undefined;
    let misuse: ServerFault | undefined;
    const pass = async (context: object | undefined): Promise<Passed<never>> => {
      if (++calls > 1)
        throw (misuse = new ServerFault(
          "SLP_AROUND_TWICE",
          "An `around` middleware called `next` twice",
        ));
      await run(context);
      return passed;
    };
    const next = (context?: object): Promise<Passed<never>> => {
      const passing = pass(context);
      // one that is not awaited must not float
      passing.catch(ignore);
      first ??= passing;
      return passing;
    };
    await around(args, next);
    await first;
    if (misuse) throw misuse;
    if (calls === 0 && !args.response.headersSent && !args.response.writableEnded)
      throw new ServerFault(
        "SLP_AROUND_NOT_CALLED",
        "An `around` middleware neither called `next` nor threw an error nor sent the response",
      );
  };

/** Tells whether a value is a middleware. */
export const isMiddleware = (value: unknown): value is AnyMiddleware =>
  typeof value === "object" && value !== null && middlewareMark in value;
