import { block, code, imported, join, key, type Code } from "../openapi/code.ts";
import { isObject, type Route } from "./load-contracts.ts";
import { toKind, type ObjectFacts } from "./schema-kinds.ts";

/** A part of a request: its schema, or its fields alone, and what is known of them. */
interface Part {
  readonly schema: Code;
  readonly members?: readonly Code[];
  readonly facts: ObjectFacts;
}

const toFacts = (fields: readonly string[]): ObjectFacts => ({
  ...{ fields, isPlain: true, isStrict: false },
});

const z: Code = imported("z", "zod");

const writeFields = (fields: readonly Code[]): Code => code`${z}.object(${block(fields)})`;

const toStrings = (names: readonly string[]): Part => {
  const members = names.map((name) => code`${key(name)}: ${z}.string()`);
  return { schema: writeFields(members), members, facts: toFacts(names) };
};

/** Writes `input`, with the fields of the path, the query and the body; `inputSources`, and `headers`. */
export const writeInput = (route: Route, access: Code, notes: string[]): readonly Code[] => {
  const read = (name: "pathParams" | "query" | "body"): Part | undefined => {
    const kind = toKind(route[name], "in");
    if (kind.type === "object") return { schema: code`${access}.${key(name)}`, facts: kind.facts };
    if (kind.type === "none") return undefined;
    if (name === "body" && kind.type !== "types-only") {
      notes.push("The body is no object: read it with `ez.raw()`, or take an object.");
      return undefined;
    }
    notes.push(`Only a type says what \`${name}\` has: write a schema.`);
    return { schema: code`${z}.looseObject({})`, facts: { ...toFacts([]), isPlain: false } };
  };
  const own = read("pathParams");
  const inPath = [...route.path.matchAll(/:([A-Za-z_$][\w$]*)/g)].map(([, name = ""]) => name);
  const missing = inPath.filter((name) => own?.facts.fields.includes(name) !== true);
  const body = route.method === "GET" ? undefined : read("body");
  const query = read("query");
  if (textType(route.contentType)) notes.push(`The body is ${textType(route.contentType)}.`);
  const parts = [
    ...(own ? [own] : []),
    ...(missing.length > 0 ? [toStrings(missing)] : []),
    ...(query ? [query] : []),
    ...(body ? [body] : []),
  ];
  const all = parts.flatMap(({ facts }) => facts.fields);
  const twice = [...new Set(all.filter((name, at) => all.indexOf(name) < at))];
  if (twice.length > 0) notes.push(`Two parts of a request have the field ${twice.join(", ")}.`);
  if (parts.length > 1 && parts.some(({ facts }) => facts.isStrict))
    notes.push("A strict object refuses the fields of the other parts of a request.");
  const readsBody = route.method !== "GET" && route.method !== "DELETE";
  const isMixed = readsBody ? query !== undefined : body !== undefined;
  return [
    ...(isMixed ? [code`inputSources: ${["query", "body", "params"]}`] : []),
    ...(parts.length > 0 ? [code`input: ${merge(parts)}`] : []),
    ...writeHeaders(route, access, notes),
  ];
};

const textType = (value: unknown): string | undefined =>
  typeof value === "string" && value !== "application/json" ? value : undefined;

const merge = (parts: readonly Part[]): Code => {
  const [first, ...rest] = parts.map(({ schema }) => schema);
  if (first === undefined || rest.length === 0) return first ?? code`${z}.object({})`;
  if (parts.every(({ facts }) => facts.isPlain))
    return writeFields(
      parts.flatMap(({ schema, members }) => members ?? [code`...${schema}.shape`]),
    );
  return code`${first}${join(
    rest.map((schema) => code`.and(${schema})`),
    code``,
  )}`;
};

/** Header fields are one schema or, with later versions of ts-rest, a schema for each. */
const writeHeaders = ({ headers }: Route, access: Code, notes: string[]): readonly Code[] => {
  const kind = toKind(headers, "in");
  if (kind.type === "none" || (isObject(headers) && Object.keys(headers).length === 0)) return [];
  const schemas = kind.type === "types-only" && isObject(headers) ? Object.entries(headers) : [];
  const fields = kind.type === "object" ? kind.facts.fields : schemas.map(([name]) => name);
  const isKnown =
    fields.length > 0 && schemas.every(([, one]) => toKind(one, "in").type !== "types-only");
  if (!isKnown || fields.some((name) => name !== name.toLowerCase())) {
    notes.push("Write its header fields as `headers`, with names in lower case.");
    return [];
  }
  if (kind.type === "object") return [code`headers: ${access}.headers`];
  const members = fields.map((name) => code`${key(name)}: ${access}.headers[${name}]`);
  return [code`headers: ${writeFields(members)}`];
};
