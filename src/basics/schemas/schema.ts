import type { z } from "zod";
import { DefinitionError } from "../errors.ts";
import { isObject } from "../messages/option-checks.ts";
import { show } from "../messages/show.ts";

/** Any schema made by Zod 4; the constraint `z.ZodObject` would cost the compiler four times as much per endpoint. */
export interface AnySchema {
  readonly _zod: { readonly input: unknown; readonly output: unknown };
}

/** An object that is not an array; endpoints accept and return such objects at the top level. */
export type ObjectLike = object & {
  readonly [Symbol.iterator]?: "must be an object; wrap an array in one, as in { items: [...] }";
};

/** An {@link ObjectLike} that is not a promise; promises would also match `ObjectLike`. */
export type ReturnedObject = ObjectLike & { readonly then?: never };

/** A schema whose result is an object, such as an object schema, a record, a union or a transformation. */
export interface InputSchema extends AnySchema {
  readonly _zod: { readonly input: unknown; readonly output: ObjectLike };
}

/** The schema of an output; {@link OtherKind} names the kinds of schemas that never return an object. */
export interface OutputSchema extends AnySchema {
  readonly _zod: {
    readonly def: { readonly type: string };
    readonly input: unknown;
    readonly output: unknown;
  };
}

/** Kinds that never return an object; resolving output types would cost 150 type instantiations per endpoint. */
const otherKinds = [
  ...(["array", "bigint", "boolean", "date", "enum", "file", "literal", "map", "nan"] as const),
  ...(["never", "null", "number", "promise", "set", "string", "symbol"] as const),
  ...(["template_literal", "tuple", "undefined", "void"] as const),
] as const;

/** A kind of schema that never returns an object. */
export type OtherKind = (typeof otherKinds)[number];

export const isOtherKind = (kind: string): boolean => otherKinds.some((one) => one === kind);

/** What a schema accepts: the type of a value before it is parsed. */
export type SchemaInput<S extends AnySchema> = S["_zod"]["input"];

/** What a schema returns: the type of a parsed value. */
export type SchemaOutput<S extends AnySchema> = S["_zod"]["output"];

/** The type of an object; Zod types that of `z.object({})` as a record of `never`, which would clash with any field. */
export type Fields<Type> = string extends keyof Type
  ? [Type[keyof Type]] extends [never]
    ? EmptyObject
    : Type
  : Type;

/** The placeholder for a missing input schema; the input is then `{}`. */
export interface NoInput extends InputSchema {
  readonly _zod: { readonly input: EmptyObject; readonly output: EmptyObject };
}

/** The placeholder for a missing output schema; the returned object is then sent as is. */
export interface NoOutput extends OutputSchema {
  readonly _zod: {
    readonly def: { readonly type: "custom" };
    // oxlint-disable-next-line typescript/no-invalid-void-type -- a handler that returns nothing responds with {}
    readonly input: ReturnedObject | void;
    readonly output: object;
  };
}

interface Empty {
  // oxlint-disable-next-line typescript/no-empty-object-type -- the type `{}` is intended
  readonly object: {};
}

/** An object without known properties; derived from another type, so that editors show `{}` instead of this name. */
export type EmptyObject = Empty["object"];

/** Descriptions for generated documents, as in Zod's `.meta()`. */
export interface SchemaMeta<Example = unknown> {
  readonly description?: string;
  readonly examples?: Example[];
}

/** The schema type that Zod's own functions accept. */
export type ZodSchema = z.core.$ZodType;

export const isSchema = (value: unknown): value is ZodSchema =>
  typeof value === "object" && value !== null && "_zod" in value;

/** Returns a value that must be a schema; `what` names it at the beginning of the message. */
export const toSchema = (
  what: string,
  value: unknown,
  example = "z.object({ ... })",
): ZodSchema => {
  if (isSchema(value)) return value;
  throw new DefinitionError(
    "SLP_DEFINITION_SCHEMA",
    `${what} must be a Zod 4 schema, such as ${example}; got ${show(value)}.`,
  );
};

export const assertShape = (where: string, fields: unknown): void => {
  if (!isObject(fields) || isSchema(fields))
    throw new DefinitionError(
      "SLP_DEFINITION_SCHEMA",
      `${where}: the argument must be an object of fields, such as { name: z.string() }; got ${show(fields)}${isSchema(fields) ? ": pass its `shape`" : ""}.`,
    );
  for (const [name, field] of Object.entries(fields))
    toSchema(`${where}: the field \`${name}\``, field, "z.string()");
};
