import type { Request, Response } from "../../basics/http/express-objects.ts";
import type { Logger } from "../../basics/logger/logger.ts";
import type {
  AnySchema,
  EmptyObject,
  Fields,
  ReturnedObject,
  SchemaOutput,
} from "../../basics/schemas/schema.ts";

import type { ErrorFactories } from "./error-factories.ts";

/** The argument passed to the handler of an endpoint or a middleware. */
export interface HandlerArguments<Input, Context, Headers = EmptyObject, Errors = EmptyObject> {
  /** The validated input. */
  readonly input: Input;
  /** The validated header fields that the definition declares in `headers`. */
  readonly headers: Headers;
  /** The context: what the middlewares before this handler returned. */
  readonly ctx: Context;
  /**
   * Creates the errors that `errors` declares, by status or name; throw what it returns.
   *
   * @example
   * throw errors.soldOut({ message: "Sold out until Monday", data: { until: "2027-02-01" } });
   */
  readonly errors: ErrorFactories<Errors>;
  readonly logger: Logger;
  /** The Express request. */
  readonly request: Request;
  /** The Express response; once you send it yourself, nothing else is sent. */
  readonly response: Response;
  /** Aborted when the client disconnects before the response is sent, or when the handler's time limit expires. */
  readonly signal: AbortSignal;
}

/** The part of {@link HandlerArguments} that differs from handler to handler. */
export interface InputAndContext {
  readonly input: unknown;
  readonly ctx: unknown;
  readonly headers: unknown;
  readonly errors: unknown;
}

/** Contains the type of a handler's argument, so that the compiler does not infer that type from a handler. */
export interface ArgumentsBox<Arguments extends InputAndContext = InputAndContext> {
  readonly args: Arguments;
}

/** The {@link ArgumentsBox} of a handler behind middlewares. */
export interface ArgumentsOf<
  MiddlewareOutput,
  Context,
  Input extends AnySchema,
  Headers extends AnySchema,
  Errors,
> {
  readonly args: HandlerArguments<
    Spread<MiddlewareOutput, SchemaOutput<Input>>,
    Context,
    SchemaOutput<Headers>,
    Errors
  >;
}

/** The response, for handlers that send it themselves, as in `return response.status(204).end()`. */
export type SentResponse = Pick<Response, "headersSent" | "writableEnded">;

/** A value, or a promise of it. */
export type MaybePromise<T> = T | Promise<T>;

export const isPromiseLike = (value: unknown): value is PromiseLike<unknown> =>
  typeof value === "object" && value !== null && typeof Reflect.get(value, "then") === "function";

/** The merged properties of two objects; the second object wins, and editors show one flat object. */
export type Spread<First, Second> = keyof First extends never
  ? Second
  : Second extends unknown
    ? [keyof First & keyof Second] extends [never]
      ? { [K in keyof (First & Second)]: (First & Second)[K] }
      : Override<First, Fields<Second>>
    : never;

type Override<First, Second> = Flatten<
  Without<First, Declared<Second>> &
    Without<Second, keyof Fallback<First, Second>> &
    Fallback<First, Second>
>;

/** Like `Omit`, which would lose the declared properties beside an index signature. */
type Without<T, Keys> = { [K in keyof T as K extends Keys ? never : K]: T[K] };

/** The keys of the declared properties, apart from those of an index signature. */
type Declared<T> = keyof { [K in keyof T as string extends K ? never : K]: 0 };

type Flatten<T> = { [K in keyof T]: T[K] };

/** The shared properties that the second object may lack, in which case the first object's value remains. */
type Fallback<First, Second> = {
  [K in keyof First & keyof Second as undefined extends Second[K] ? K : never]:
    | First[K]
    | Exclude<Second[K], undefined>;
};

/** A context, without the type that some write for an empty object, `Record<string, never>`. */
type Named<Context> = string extends keyof Context
  ? Context extends Record<string, never>
    ? EmptyObject
    : Context
  : Context;

/** The context that a middleware adds. */
export type ContextOf<Returned> = unknown extends Returned
  ? EmptyObject
  : string extends keyof Returned
    ? Named<Returned>
    : ReturnedObject extends Returned
      ? EmptyObject
      : [Extract<Returned, object>] extends [never]
        ? EmptyObject
        : [Exclude<Returned, object>] extends [never]
          ? Named<Returned>
          : Partial<Named<Extract<Returned, object>>>;
