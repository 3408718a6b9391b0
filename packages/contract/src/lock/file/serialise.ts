import { createHash } from "node:crypto";
import { classify } from "../compare/classify.ts";
import {
  sortJson,
  listSchemas,
  mapSchemas,
  isObject,
  toStableText,
  childKeys,
  listChildren,
  listKeys,
  mapKeys,
  replaceChildren,
  type ApiDescription,
  type Content,
  type Operation,
  type Parameter,
  type Json,
  type JsonObject,
  type Schema,
} from "@sallyport/document";
import { ContractError } from "../../errors.ts";

/** A contract as JSON: schemas that are recursive or used repeatedly are listed by a name that their structure determines. */
export interface SerialisedContract extends ApiDescription<Json> {
  readonly schemas: JsonObject;
}

/** Shorter schemas are repeated instead. */
const shortest = 120;

/** Schemas that differ in this depth at the latest get different names, whatever else there is. */
const depth = 12;

const hash = (text: string): string => createHash("sha256").update(text).digest("hex").slice(0, 16);

/** Converts a contract to JSON, which only depends on what clients can notice. */
export const serialise = (contract: ApiDescription): SerialisedContract => {
  const roots = listSchemas(contract);
  const { classes, names } = classify(roots, hash, depth);
  const known = new Map<string, Schema>();
  for (const schema of classes.keys()) known.set(classes.get(schema) ?? "", schema);
  const listed = findListed(roots, classes, known);
  const ids = toIds(listed, known, names);
  const toJson = (schema: Schema): Json => {
    const id = ids.get(classes.get(schema) ?? "");
    return id === undefined ? replaceChildren(schema, toJson) : { $ref: id };
  };
  return {
    ...mapSchemas(strip(contract), toJson),
    schemas: Object.fromEntries(
      [...ids]
        .toSorted(([, one], [, other]) => (one < other ? -1 : 1))
        .map(([key, id]) => [id, replaceChildren(known.get(key) ?? {}, toJson)]),
    ),
  };
};

/** Removes what clients cannot notice: examples, and the names of security schemes. */
const strip = (contract: ApiDescription): ApiDescription => {
  const ofField = ({ examples: _examples, ...field }: Parameter): Parameter => field;
  const ofContent = (content: Content): Content =>
    mapValues(content, ({ examples: _examples, ...media }) => media);
  const ofOperation = (operation: Operation): Operation => ({
    ...operation,
    security: sortJson(
      operation.security.map((one) =>
        sortJson(
          one.map(({ name, scheme, scopes }) => ({
            ...(scheme.type === "unknown" ? { name } : { name: "" }),
            ...{ scheme: { ...scheme }, scopes: scopes.toSorted() },
          })),
        ),
      ),
    ),
    parameters: mapValues(operation.parameters, ofField),
    ...(operation.body && {
      body: { ...operation.body, content: ofContent(operation.body.content) },
    }),
    responses: mapValues(operation.responses, ({ content, headers }) => ({
      content: ofContent(content),
      headers: mapValues(headers, ofField),
    })),
    callbacks: mapValues(operation.callbacks, ofOperation),
  });
  return {
    ...contract,
    operations: mapValues(contract.operations, ofOperation),
    webhooks: mapValues(contract.webhooks, ofOperation),
  };
};

const mapValues = <Value>(
  values: Readonly<Record<string, Value>>,
  convert: (value: Value) => Value,
): Readonly<Record<string, Value>> =>
  Object.fromEntries(Object.entries(values).map(([key, value]) => [key, convert(value)]));

/** Finds the classes that are recursive, or that several places use. */
const findListed = (
  roots: readonly Schema[],
  classes: ReadonlyMap<Schema, string>,
  known: ReadonlyMap<string, Schema>,
): ReadonlySet<string> => {
  const listed = new Set<string>();
  const done = new Set<string>();
  const sizes = new Map<string, number>();
  // which schema of a cycle is listed depends on the order, so it must not be that of the document
  const sortedKeys = (schemas: readonly Schema[]): readonly string[] =>
    schemas.map((schema) => classes.get(schema) ?? "").toSorted();
  /** Returns the length of a schema's text, with what is listed as a reference. */
  const visit = (key: string, path: ReadonlySet<string>): number => {
    if (path.has(key)) listed.add(key);
    if (done.has(key) && (sizes.get(key) ?? 0) >= shortest) listed.add(key);
    if (path.has(key) || done.has(key)) return listed.has(key) ? 0 : (sizes.get(key) ?? 0);
    const inner = new Set([...path, key]);
    const schema = known.get(key) ?? {};
    const own = toStableText(replaceChildren(schema, () => "")).length;
    const size = sortedKeys(listChildren(schema))
      .map((child) => visit(child, inner))
      .reduce((sum, one) => sum + one, own);
    done.add(key);
    sizes.set(key, size);
    return size;
  };
  for (const root of sortedKeys(roots)) visit(root, new Set());
  return listed;
};

/** Gives each listed class a short id, which differs from all others. */
const toIds = (
  listed: ReadonlySet<string>,
  known: ReadonlyMap<string, Schema>,
  names: ReadonlyMap<Schema, string>,
): ReadonlyMap<string, string> => {
  const ids = new Map<string, string>();
  const taken = new Set<string>();
  for (const key of [...listed].toSorted()) {
    const schema = known.get(key);
    const name = (schema && names.get(schema)) ?? key;
    let id = name;
    for (let count = 2; taken.has(id); count++) id = `${name}-${count}`;
    taken.add(id);
    ids.set(key, id);
  }
  return ids;
};

/** @throws {@link ContractError} when a schema is missing. */
export const deserialise = (given: SerialisedContract, file: string): ApiDescription => {
  const texts = given.schemas;
  const listed = new Map<string, Schema>();
  const toSchema = (value: Json): Schema => {
    if (!isObject(value)) return {};
    const id = value["$ref"];
    if (typeof id !== "string") return fill({}, value);
    const known = listed.get(id);
    if (known) return known;
    const schema: Schema = {};
    listed.set(id, schema);
    const text = texts[id];
    if (!isObject(text))
      throw new ContractError(
        `${file}: there is no schema ${id}. Write it anew with \`sallyport lock\`.`,
      );
    return fill(schema, text);
  };
  const fill = (schema: Schema, text: JsonObject): Schema => {
    const children: Record<string, unknown> = {};
    for (const key of mapKeys)
      if (isObject(text[key]))
        children[key] = Object.fromEntries(
          Object.entries(text[key]).map(([name, child]) => [name, toSchema(child)]),
        );
    for (const key of childKeys) if (text[key] !== undefined) children[key] = toSchema(text[key]);
    for (const key of listKeys)
      if (Array.isArray(text[key]))
        children[key] = (text[key] as readonly Json[]).map((one) => toSchema(one));
    return Object.assign(schema, text, children);
  };
  return mapSchemas(given, toSchema);
};
