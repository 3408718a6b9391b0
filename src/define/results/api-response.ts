import type { AnySchema } from "../../basics/schemas/schema.ts";

/** The type of a body's schema, reduced to the parts that the compiler needs. */
export interface SchemaOf<Body> extends AnySchema {
  readonly _zod: { readonly input: Body; readonly output: Body };
}

/** One kind of response that a result handler sends. */
export interface ApiResponse<S extends AnySchema = AnySchema> {
  /** Schema of the body. */
  readonly schema: S;
  /**
   * One or more statuses.
   *
   * @default 200 for a success, 400 for an error
   */
  readonly statusCode?: number | readonly number[] | undefined;
  /**
   * One or more media types; null for a response without a body.
   *
   * @default "application/json"
   */
  readonly mimeType?: string | readonly string[] | null | undefined;
}

/**
 * The type of a result handler's `positive` and `negative`: a schema, a definition with `schema`, or several
 * definitions.
 */
export type ResponseDeclaration = AnySchema | ApiResponse | readonly ApiResponse[];

/**
 * The placeholder for an endpoint's output in the schema that a result handler declares.
 *
 * `positive` receives a schema of this type; the type of the response has the endpoint's output wherever that schema is
 * used.
 */
export interface OutputPlaceholder {
  readonly "~output": "the output of the endpoint";
}

/**
 * The placeholder for the data of an error, like {@link OutputPlaceholder} for the output. Without data, the property
 * is omitted.
 */
export interface ErrorDataPlaceholder {
  readonly "~errorData": "the declared data of the error";
}

/** The placeholder for the `items` of an endpoint's output, like {@link OutputPlaceholder} for the whole output. */
export interface ItemsPlaceholder {
  readonly "~items": "the items of the output of the endpoint";
}

type ItemsOf<Output> = Output extends { readonly items: infer Items } ? Items : never;

type BodyOf<Declaration> = Declaration extends readonly (infer Each)[]
  ? BodyOf<Each>
  : Declaration extends { readonly mimeType: null }
    ? undefined
    : Declaration extends { readonly schema: AnySchema }
      ? Declaration["schema"]["_zod"]["output"]
      : Declaration extends AnySchema
        ? Declaration["_zod"]["output"]
        : never;

/** Replaces the placeholders with an endpoint's output, its items, or the data of an error. */
type Substitute<Body, Output, Data> = Body extends OutputPlaceholder
  ? Output
  : Body extends ItemsPlaceholder
    ? ItemsOf<Output>
    : Body extends ErrorDataPlaceholder
      ? Data
      : Body extends Opaque
        ? Body
        : Body extends readonly unknown[]
          ? { [K in keyof Body]: Substitute<Body[K], Output, Data> }
          : Body extends object
            ? undefined extends Data
              ? MaybeWithData<Body, Output, Data>
              : {
                  [K in keyof Body as KeyOf<Body[K], K, Data>]: Substitute<Body[K], Output, Data>;
                }
            : Body;

/** Makes a property optional that is the placeholder for data that may be undefined. */
type MaybeWithData<Body, Output, Data> = {
  [K in keyof Body as KeyOf<Body[K], K, never>]: Substitute<Body[K], Output, Data>;
} & {
  [K in keyof Body as [Body[K]] extends [ErrorDataPlaceholder] ? K : never]?: Data;
};

/** The key of a property, or `never` if the property is the placeholder for data and the error has no data. */
type KeyOf<Value, Key, Data> = [Data] extends [never]
  ? [Value] extends [ErrorDataPlaceholder]
    ? never
    : Key
  : Key;

/** The objects that count as single values, not as sets of properties. */
type Opaque = Date | RegExp | Uint8Array | ((...args: never) => unknown);

/** A body without literal types, which the compiler does not infer from what a function returns. */
export type Widened<Body> = Body extends string
  ? string
  : Body extends number
    ? number
    : Body extends boolean
      ? boolean
      : Body extends Opaque
        ? Body
        : Body extends object
          ? { [K in keyof Body]: Widened<Body[K]> }
          : Body;

/** The body of a declared response on the wire, for an endpoint with the given output, or an error with the given data. */
export type ResponseBody<Declaration, Output = never, Data = never> = Substitute<
  BodyOf<Declaration>,
  Output,
  Data
>;

export const toResponses = (declaration: ResponseDeclaration): readonly ApiResponse[] => {
  if (Array.isArray(declaration)) return declaration as readonly ApiResponse[];
  return ["_zod" in declaration ? { schema: declaration } : (declaration as ApiResponse)];
};
