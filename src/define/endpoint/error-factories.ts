import { MarkedError } from "../../basics/errors.ts";
import { declaredMark, isErrorStatus, readSafely } from "../../wire/reply/http-error.ts";
import type { AnySchema, EmptyObject } from "../../basics/schemas/schema.ts";
import {
  toDeclaredStatus,
  type ErrorDeclaration,
  type ErrorDeclarations,
} from "./declared-errors.ts";

/** What a declared error is thrown with. */
export interface ErrorParts {
  /**
   * What the client reads, in production, too.
   *
   * @default the description in the declaration
   */
  readonly message?: string | undefined;
  /** Header fields of the response. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** The error or value that caused the error; it is logged and never sent. */
  readonly cause?: unknown;
}

/** Creates an error that is declared without data. */
export type PlainErrorFactory = (parts?: ErrorParts) => ApiError;

/** Creates an error whose data has a declared schema. */
export type DataErrorFactory<Data> = undefined extends Data
  ? (parts?: ErrorParts & { readonly data?: Data }) => ApiError
  : (parts: ErrorParts & { readonly data: Data }) => ApiError;

type ErrorFactory<Declaration> = [Declaration] extends [
  { readonly schema: infer Schema extends AnySchema },
]
  ? DataErrorFactory<Schema["_zod"]["input"]>
  : PlainErrorFactory;

/** The functions that create the declared errors, by status or name; the codes of the framework itself are left out. */
export type ErrorFactories<Declared> = {
  readonly [Key in keyof Declared as Key extends `SLP_${string}` ? never : Key]: ErrorFactory<
    Declared[Key]
  >;
};

/** The errors that a handler may throw: those of its own definition count more than those declared before. */
export type ThrowableErrors<Before, Own> = keyof Before extends never
  ? Own
  : {
      readonly [Key in keyof Before | keyof Own]: Key extends keyof Own
        ? Own[Key]
        : Key extends keyof Before
          ? Before[Key]
          : never;
    };

/** The statuses of errors that a result handler declares, as declarations. */
export type StatusErrors<Handler> = Handler extends {
  readonly "~types": { readonly negative: infer Negative };
}
  ? { readonly [Status in StatusesOf<Negative>]: string }
  : EmptyObject;

type StatusesOf<Negative> = Negative extends readonly (infer Each)[]
  ? StatusesOf<Each>
  : Negative extends { readonly statusCode: infer Code }
    ? Extract<Code extends readonly (infer One)[] ? One : Code, number>
    : never;

/** An error that is declared in `errors`, created with a function in the `errors` of a handler's argument. */
export class ApiError extends MarkedError {
  static readonly "~name" = "ApiError";
  override readonly name = "ApiError";
  readonly status: number;
  readonly statusCode: number;
  /** Whether the client reads the message: always, because what is declared is public. */
  readonly expose = true;
  /** The name under which the error is declared; undefined if it is declared under its status. */
  declare readonly code?: string;
  declare readonly headers?: Readonly<Record<string, string>>;
  declare readonly data?: unknown;

  constructor(
    key: string,
    declaration: ErrorDeclaration,
    { message, cause, headers, data }: ErrorParts & { readonly data?: unknown } = {},
  ) {
    super(message ?? declaration.description, cause === undefined ? undefined : { cause });
    this.status = toDeclaredStatus(key, declaration);
    this.statusCode = this.status;
    if (!isErrorStatus(Number(key))) this.code = key;
    if (headers) this.headers = headers;
    if (data !== undefined) this.data = data;
    // not enumerable, so that logs do not show it
    Object.defineProperty(this, declaredMark, { value: declaration });
  }
}

/** Returns what an error is declared as; undefined if no copy of this package created it with a function of `errors`. */
export const readDeclaration = (error: Error): ErrorDeclaration | undefined =>
  readSafely(error, declaredMark) as ErrorDeclaration | undefined;

/** Creates the functions of `errors`; later declarations of a key count more. */
export const createErrorFactories = (
  ...declared: readonly (ErrorDeclarations | undefined)[]
): ErrorFactories<ErrorDeclarations> => {
  const factories = Object.create(null) as Record<string, PlainErrorFactory>;
  for (const errors of declared)
    for (const [key, one] of Object.entries(errors ?? {})) {
      const declaration = typeof one === "string" ? { description: one } : one;
      factories[key] = (parts) => new ApiError(key, declaration, parts);
    }
  return Object.freeze(factories);
};

export const noErrors: object = Object.freeze({});
