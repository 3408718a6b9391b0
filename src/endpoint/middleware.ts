import { DefinitionError } from "../errors.ts";
import type {
  EmptyObject,
  InputSchema,
  NoInput,
  ReturnedObject,
  SchemaOutput,
  ZodSchema,
} from "../schemas/schema.ts";
import { assertKeys, assertSchema } from "./check-definition.ts";
import type { HandlerArguments, MaybePromise } from "./handler-arguments.ts";
import type { Security } from "./security.ts";

/** Marks a middleware, also one of another copy of this package in the same process. */
export const middlewareMark: unique symbol = Symbol.for("sallyport/middleware");

/** What a middleware may return: an object that joins the context, or nothing. */
// oxlint-disable-next-line typescript/no-invalid-void-type -- a handler without a return statement
export type MiddlewareReturn = ReturnedObject | null | undefined | void;

/** The argument of `new Middleware` and of a factory's `addMiddleware`. */
export interface MiddlewareDefinition<
  Context,
  Returned extends MiddlewareReturn,
  Input extends InputSchema,
> {
  /** Schema of the input that this middleware needs; the handlers after it see these fields, too. */
  readonly input?: Input | undefined;
  /** How the client proves who it is; for documents. */
  readonly security?: Security | undefined;
  /** Returns an object that joins the context, or throws to stop the request. */
  readonly handler: (
    args: HandlerArguments<SchemaOutput<Input>, Context>,
  ) => MaybePromise<Returned>;
}

/** A middleware of whatever types, as the pipeline runs it. */
export interface AnyMiddleware {
  readonly [middlewareMark]: true;
  readonly inputSchema: ZodSchema | undefined;
  readonly security: Security | undefined;
  /** Whether it wraps native Express middleware, which runs on preflight requests as well. */
  readonly isNative: boolean;
  readonly handle: (args: HandlerArguments<never, never>) => unknown;
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
  Returned extends MiddlewareReturn = MiddlewareReturn,
  Input extends InputSchema = NoInput,
> implements AnyMiddleware {
  readonly [middlewareMark] = true;
  readonly inputSchema: ZodSchema | undefined;
  readonly security: Security | undefined;
  readonly isNative: boolean = false;
  readonly handle: (args: HandlerArguments<never, never>) => unknown;
  /** Exists for the compiler only. */
  declare readonly "~types"?: {
    readonly requires: (context: Context) => void;
    readonly returned: Returned;
    readonly input: Input;
  };

  /** @throws {@link DefinitionError} when the handler is no function or the input is no schema of Zod 4. */
  constructor(definition: MiddlewareDefinition<Context, Returned, Input>) {
    if (typeof definition?.handler !== "function")
      throw new DefinitionError(
        "SLP_DEFINITION_HANDLER",
        "new Middleware: `handler` must be a function that returns an object for the context.",
      );
    assertKeys("new Middleware", definition, ["input", "security", "handler"]);
    assertSchema("new Middleware", "input", definition.input);
    this.inputSchema = definition.input as ZodSchema | undefined;
    this.security = definition.security;
    this.handle = definition.handler;
  }
}

/** Tells whether a value is a middleware. */
export const isMiddleware = (value: unknown): value is AnyMiddleware =>
  typeof value === "object" && value !== null && middlewareMark in value;
