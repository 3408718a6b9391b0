import {
  accepts,
  isObject,
  toList,
  toObject,
  toStableText,
  toText,
  type Json,
  type JsonObject,
  type Schema,
} from "@sallyport/document";
import { block, code, join, nothing, type Code } from "./code.ts";
import type { ApiDocument } from "./document.ts";
import { isOnly } from "./is-only.ts";
import { finish, toSchemaCode, z, type SchemaCode } from "./primitive-code.ts";
import type { Place, Writer } from "./writer.ts";

/** The keywords of an object to which fields can be added. */
const openWords = new Set(["type", "properties", "required", "additionalProperties"]);

/** Writes a reference with keywords beside it, or the parts of `allOf`, as one object if they are objects of fields. */
export const mergeParts = (
  writer: Writer,
  raw: JsonObject,
  own: JsonObject,
  place: Place,
): readonly SchemaCode[] => {
  const { document } = writer;
  const { $ref: reference, ...rest } = raw;
  const parts = [
    ...(typeof reference === "string" ? [{ $ref: reference }] : []),
    ...toList(rest["allOf"]),
    ...(Object.keys(own).length > 0 ? [withoutReference(own)] : []),
  ].map((part) => toParent(document, raw, part));
  const takesNull = (one: Json): boolean => accepts(document.normalise(one), null);
  const telling = parts.filter((part) => !isObject(part) || !isIdle(part));
  // what else says nothing may still refuse null
  const told = telling.length > 0 && telling.every(takesNull) && !takesNull(raw) ? parts : telling;
  const isOnlyObject =
    told.length === 0 && parts.some((part) => toObject(part)["type"] !== undefined);
  const list = isOnlyObject ? parts.slice(0, 1) : told;
  return list.length > 1 || (list.length === 1 && list[0] === parts.at(-1))
    ? (mergeFields(writer, list, place) ?? list.map((part) => writer.writeBare(part, place)))
    : list.map((part) => writer.writeBare(part, place));
};

const withoutReference = ({ $ref: _reference, ...own }: JsonObject): JsonObject => own;

/** Whether a part says nothing but that values are objects. */
const isIdle = (part: JsonObject): boolean =>
  part["$ref"] === undefined &&
  Object.entries(part).every(
    ([name, value]) =>
      (name === "type" && value === "object") ||
      (name === "properties" && Object.keys(toObject(value)).length === 0) ||
      ["description", "title", "example", "deprecated"].includes(name),
  );

const listVariants = (raw: JsonObject): readonly Json[] => [
  ...toList(raw["anyOf"]),
  ...toList(raw["oneOf"]),
];

/** Returns a part without its union if that leads back to the whole, as where a parent lists its children. */
const toParent = (document: ApiDocument, whole: JsonObject, part: Json): Json => {
  const raw = isObject(part) ? document.resolve(part) : {};
  if (!leadsTo(document, whole, listVariants(raw), new Set())) return part;
  const { anyOf: _any, oneOf: _one, discriminator: _discriminator, ...rest } = raw;
  return rest;
};

const leadsTo = (
  document: ApiDocument,
  target: JsonObject,
  given: readonly Json[],
  seen: Set<Json>,
): boolean =>
  given.some((one) => {
    const raw = isObject(one) ? document.resolve(one) : {};
    if (raw === target) return true;
    if (seen.has(raw)) return false;
    seen.add(raw);
    return leadsTo(document, target, [...toList(raw["allOf"]), ...listVariants(raw)], seen);
  });

interface Field {
  readonly schema: Json;
  readonly isRequired: boolean;
}

/** Writes parts as one object; undefined if one of them is no object of fields. */
const mergeFields = (
  writer: Writer,
  parts: readonly Json[],
  place: Place,
): readonly SchemaCode[] | undefined => {
  const written: SchemaCode[] = [];
  const inherited = new Map<string, Field>();
  const own = new Map<string, Field>();
  const required = new Set<string>();
  const hidden = new Set<string>();
  const clashes = new Map<string, Json[]>();
  for (const part of parts) {
    if (!isObject(part)) return undefined;
    const isOpen = isOpenObject(part);
    if (!isOpen) {
      const code = writer.writeBare(part, place);
      if (!code.isShape || code.isLate || Object.keys(code.meta).length > 2) return undefined;
      written.push({ ...code, meta: {} });
    }
    const found = listAllFields(writer, part, place, hidden);
    for (const [name, field] of found) {
      if (field.isRequired) required.add(name);
      const isNamed = field.schema === true;
      const before = inherited.get(name) ?? own.get(name);
      if (before && isNamed) continue;
      if (before && !isSame(before.schema, field.schema))
        clashes.set(name, [...(clashes.get(name) ?? [before.schema]), field.schema]);
      (isOpen ? own : inherited).set(name, field);
    }
  }
  for (const [name, schemas] of clashes)
    own.set(name, { schema: { allOf: schemas }, isRequired: required.has(name) });
  const isLeft = (name: string, { schema }: Field): boolean =>
    !hidden.has(name) &&
    (!inherited.has(name) || clashes.has(name)) &&
    !(schema === true && inherited.has(name));
  const members = [...own]
    .filter(([name, field]) => isLeft(name, field))
    .map(([name, { schema }]) => writer.field(name, schema, required.has(name), place));
  const missing = [...required].filter((name) => inherited.get(name)?.isRequired === false);
  const [first, ...others] = written;
  const fields = block(members.map((member) => member.code));
  const added = first && members.length > 0 ? code`.extend(${fields})` : nothing;
  const base: Code = first ? first.code : code`${z}.object(${fields})`;
  const more = others.reduce<Code>((all, one) => code`${all}.extend(${one.code}.shape)`, base);
  const kept = missing.filter((name) => !clashes.has(name));
  const mask = Object.fromEntries(kept.map((name) => [name, true]));
  const needed = kept.length > 0 ? code`.required(${mask})` : nothing;
  return [
    toSchemaCode(code`${more}${added}${needed}`, [...written, ...members], { isShape: true }),
  ];
};

const isSame = (one: Json, other: Json): boolean =>
  one === other || toStableText(one) === toStableText(other);

const isOpenObject = (part: JsonObject): boolean =>
  Object.keys(part).every(
    (name) => openWords.has(name) || /^(?:description|title|example)$/.test(name),
  ) &&
  [undefined, "object"].includes(part["type"] === undefined ? undefined : toText(part["type"])) &&
  part["additionalProperties"] === undefined &&
  (isObject(part["properties"]) || Array.isArray(part["required"]));

/** Lists the fields of an object and its parts; those of other messages are added to `hidden`. */
const listAllFields = (
  writer: Writer,
  part: JsonObject,
  place: Place,
  hidden: Set<string>,
): ReadonlyMap<string, Field> => {
  const raw = writer.document.resolve(part);
  const fields = new Map<string, Field>();
  const add = (name: string, field: Field): void => {
    const before = fields.get(name);
    fields.set(name, {
      schema: before && field.schema === true ? before.schema : field.schema,
      isRequired: field.isRequired || before?.isRequired === true,
    });
  };
  for (const inner of toList(raw["allOf"]))
    if (isObject(inner))
      for (const [name, field] of listAllFields(writer, inner, place, hidden)) add(name, field);
  const own = writer.listFields(raw, place.direction);
  const names = new Set(own.map(([name]) => name));
  for (const name of Object.keys(toObject(raw["properties"])))
    if (!names.has(name)) hidden.add(name);
  for (const [name, schema, isRequired] of own) add(name, { schema, isRequired });
  return fields;
};

/** Writes a schema that accepts what all parts accept. */
export const intersect = (told: readonly SchemaCode[], schema: Schema): SchemaCode => {
  const [first, ...others] = told;
  if (!first) return toSchemaCode(code`${z}.unknown()`);
  if (others.length === 0) return first;
  const parts = [finish(first), ...others.map(finish)];
  // with a type, Zod leaves the parts as they are
  const meta: JsonObject = isOnly("object", { ...schema, nullable: undefined as never })
    ? { type: "object" }
    : {};
  return toSchemaCode(
    code`${parts[0]?.code}${join(
      parts.slice(1).map((part) => code`.and(${part.code})`),
      nothing,
    )}`,
    parts,
    { meta },
  );
};
