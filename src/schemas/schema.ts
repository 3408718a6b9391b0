import type { z } from "zod";

/**
 * Anything that Zod 4 made, told by its structure.
 *
 * A structural constraint is cheap to check: `z.ZodObject` as a constraint costs the compiler four times as much an endpoint.
 */
export interface AnySchema {
  readonly _zod: { readonly input: unknown; readonly output: unknown };
}

/** An object, and no array: what an endpoint takes and returns at its top level. */
export type ObjectLike = object & {
  readonly [Symbol.iterator]?: "must be an object: wrap an array, as in { items: [...] }";
};

/** An {@link ObjectLike} that is no promise, which would be one, too. */
export type ReturnedObject = ObjectLike & { readonly then?: never };

/** A schema that parses to an object: an object, record, union, intersection, transformation to an object, ... */
export interface InputSchema extends AnySchema {
  readonly _zod: { readonly input: unknown; readonly output: ObjectLike };
}

/** A schema of an output; {@link OtherKind} tells those that cannot be of an object. */
export interface OutputSchema extends AnySchema {
  readonly _zod: {
    readonly def: { readonly type: string };
    readonly input: unknown;
    readonly output: unknown;
  };
}

/** Kinds of schemas that never give an object; to resolve what they give would cost 150 type instantiations an endpoint. */
const otherKinds = [
  ...(["array", "bigint", "boolean", "date", "enum", "file", "literal", "map", "nan"] as const),
  ...(["never", "null", "number", "promise", "set", "string", "symbol"] as const),
  ...(["template_literal", "tuple", "undefined", "void"] as const),
] as const;

/** A kind of schema that never gives an object. */
export type OtherKind = (typeof otherKinds)[number];

/** Tells whether a kind of schema never gives an object. */
export const isOtherKind = (kind: string): boolean => otherKinds.some((one) => one === kind);

/** What a schema accepts: the type on the wire. */
export type SchemaInput<S extends AnySchema> = S["_zod"]["input"];

/** What a schema gives once it has parsed. */
export type SchemaOutput<S extends AnySchema> = S["_zod"]["output"];

/** Stands where no input schema is declared: the input is `{}`. */
export interface NoInput extends InputSchema {
  readonly _zod: { readonly input: EmptyObject; readonly output: EmptyObject };
}

/** Stands where no output schema is declared: the returned object is passed through. */
export interface NoOutput extends OutputSchema {
  readonly _zod: {
    readonly def: { readonly type: "custom" };
    // oxlint-disable-next-line typescript/no-invalid-void-type -- a handler that returns nothing answers {}
    readonly input: ReturnedObject | void;
    readonly output: ReturnedObject;
  };
}

interface Empty {
  // oxlint-disable-next-line typescript/no-empty-object-type -- exactly what is meant
  readonly object: {};
}

/** An object without known properties; read from another type, so that editors show `{}` and not this name. */
export type EmptyObject = Empty["object"];

/** Text for generated documents, as of Zod's `.meta()`. */
export interface SchemaMeta<Example = unknown> {
  readonly description?: string;
  readonly examples?: Example[];
}

/** A schema as Zod's own functions take it. */
export type ZodSchema = z.core.$ZodType;

/** Tells whether a value is a schema of Zod 4. */
export const isSchema = (value: unknown): value is ZodSchema =>
  typeof value === "object" && value !== null && "_zod" in value;
