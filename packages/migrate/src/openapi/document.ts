import {
  DocumentError,
  isObject,
  readSource,
  Resolver,
  toApiDescription,
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
  /** The operations that are left out, because an earlier one differs only in the names of its parameters. */
  readonly twins: readonly (readonly [path: string, method: string])[];
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

const methods: ReadonlySet<string> = new Set([
  ...["get", "post", "put", "patch", "delete", "query", "head", "options", "trace"],
]);

/** @throws {@link UsageError} when the file is not a document of a known version, or a reference leads nowhere. */
export const openDocument = (file: string): ApiDocument => {
  try {
    const twins: [path: string, method: string][] = [];
    const root = withoutTwins(bundle(readSource(file)), twins);
    const description = toApiDescription(root, file);
    const resolver = new Resolver({ document: root, file });
    const normaliser = toNormaliser(root, file);
    const known = new WeakMap<object, Schema>();
    const resolveSchema = (value: JsonObject): Json => resolver.resolve(value, file)[0];
    return {
      ...{ root, twins, description, resolveSchema },
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

const withoutTwins = (root: JsonObject, twins: [path: string, method: string][]): JsonObject => {
  const seen = new Set<string>();
  const isTwin = (path: string, name: string): boolean => {
    const shape = `${name} ${path.replaceAll(/\{[^{}]*\}/g, "{}")}`;
    return methods.has(name) && (seen.has(shape) || !seen.add(shape));
  };
  const paths = Object.entries(toObject(root["paths"])).map(([path, item]) => {
    if (!isObject(item)) return [path, item] as const;
    const members = Object.entries(item).filter(([name]) => {
      const isLeftOut = isTwin(path, name);
      if (isLeftOut) twins.push([path, name]);
      return !isLeftOut;
    });
    return [path, Object.fromEntries(members)] as const;
  });
  return { ...root, ...(isObject(root["paths"]) && { paths: Object.fromEntries(paths) }) };
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
