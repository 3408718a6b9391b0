import {
  DocumentError,
  isObject,
  readDocument,
  readSource,
  Resolver,
  toNormaliser,
  toObject,
  type ApiDescription,
  type Json,
  type JsonObject,
  type Schema,
} from "@sallyport/document";
import { UsageError } from "../usage-error.ts";
import { bundle } from "./bundle.ts";

/** A document, with its references and the normal form of its schemas. */
export interface ApiDocument {
  readonly root: JsonObject;
  /** What the lock compares. */
  readonly description: ApiDescription;
  /** Follows references. */
  readonly resolve: (value: Json | undefined) => JsonObject;
  /** Follows the reference of a schema, which may be `true` or `false`. */
  readonly resolveSchema: (value: JsonObject) => Json;
  readonly normalise: (schema: Json) => Schema;
  /** Replaces the references in a value by what they lead to; undefined if one leads to what contains it. */
  readonly inline: (value: Json) => Json | undefined;
}

/** @throws {@link UsageError} when the file is not a document of a known version, or a reference leads nowhere. */
export const openDocument = (file: string): ApiDocument => {
  try {
    const description = readDocument(file);
    const root = bundle(readSource(file));
    const resolver = new Resolver({ document: root, file });
    const normaliser = toNormaliser(root, file);
    const known = new WeakMap<object, Schema>();
    const resolveSchema = (value: JsonObject): Json => resolver.resolve(value, file)[0];
    return {
      ...{ root, description, resolveSchema },
      resolve: (value) => (isObject(value) ? toObject(resolveSchema(value)) : {}),
      normalise: (schema) => {
        if (!isObject(schema)) return normaliser(schema);
        const found = known.get(schema) ?? normaliser(schema);
        known.set(schema, found);
        return found;
      },
      inline: (value) => inline(value, resolveSchema, []),
    };
  } catch (error) {
    throw error instanceof DocumentError ? new UsageError(error.message) : error;
  }
};

const inline = (
  value: Json,
  resolve: (value: JsonObject) => Json,
  around: readonly Json[],
): Json | undefined => {
  // what refers to what contains it has no end, and what is this deep is nothing to read
  if (around.includes(value) || around.length > 30) return undefined;
  if (typeof value !== "object" || value === null) return value;
  if (isObject(value) && typeof value["$ref"] === "string") {
    const { $ref: _reference, ...more } = value;
    const target = inline(resolve(value), resolve, [...around, value]);
    return isObject(target) ? { ...target, ...more } : target;
  }
  const entries = Object.entries(value).map(
    ([name, one]) => [name, inline(one, resolve, [...around, value])] as const,
  );
  if (entries.some(([, one]) => one === undefined)) return undefined;
  return Array.isArray(value)
    ? entries.map(([, one]) => one as Json)
    : (Object.fromEntries(entries) as JsonObject);
};
