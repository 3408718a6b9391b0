import {
  accepts,
  areDisjoint,
  isObject,
  toList,
  toObject,
  toText,
  type Json,
  type JsonObject,
} from "@sallyport/document";
import { code, join } from "./code.ts";
import { addNotes, finish, toSchemaCode, z, type SchemaCode } from "./primitive-code.ts";
import { isNullType } from "./raw-words.ts";
import type { Place, Writer } from "./writer.ts";

/** Writes `anyOf` or `oneOf`; null is accepted by what is around it. */
export const writeUnion = (
  writer: Writer,
  raw: JsonObject,
  name: "anyOf" | "oneOf",
  place: Place,
): SchemaCode => {
  const { document } = writer;
  const given = toList(raw[name]).filter((one) => !isNullType(one) && !isWhole(one, raw, writer));
  const parts = given.map((one) => writer.writeBare(one, place));
  const [only] = parts;
  if (!only) return toSchemaCode(code`${z}.unknown()`);
  if (parts.length === 1) return only;
  const list = join(parts.map((part) => finish(part).code));
  const property = toObject(raw["discriminator"])["propertyName"];
  const values =
    typeof property === "string" ? given.map((one) => listValues(writer, one, property)) : [];
  const isTold =
    values.length > 0 &&
    // its options are components
    given.every((one) => isObject(one) && Object.keys(one).join() === "$ref") &&
    parts.every(({ isShape, isLate }) => isShape && !isLate) &&
    values.every((one) => one.length === 1) &&
    new Set(values.flat()).size === values.flat().length;
  const schemas = given.map((one) => document.normalise(one));
  const isApart = schemas.every((one, at) =>
    schemas.slice(at + 1).every((other) => areDisjoint(one, other)),
  );
  // a type beside `oneOf`, or a second variant that accepts null, refuses it
  const takers = schemas.filter((one) => accepts(one, null)).length;
  const isRefused = takers > 0 && !accepts(document.normalise(raw), null);
  if (isTold && !isRefused)
    return toSchemaCode(code`${z}.discriminatedUnion(${property}, [${list}])`, parts);
  const kind = name === "anyOf" || (isApart && takers < 2) ? code`union` : code`xor`;
  const notes = [
    ...(typeof property === "string"
      ? [
          `The options do not name their value of the discriminator ${property}: declare it with z.literal().`,
        ]
      : []),
    ...(isRefused ? ["Some options accept null, which the whole refuses."] : []),
  ];
  return addNotes(toSchemaCode(code`${z}.${kind}([${list}])`, parts), notes);
};

/** Whether a variant is the union itself, which adds nothing. */
const isWhole = (one: Json, raw: JsonObject, { document }: Writer): boolean =>
  isObject(one) && document.resolve(one) === raw;

/** Lists the texts that a property must be. */
const listValues = ({ document }: Writer, one: Json, property: string): readonly string[] => {
  const { properties = {}, required = [] } = document.normalise(one);
  const values = Object.hasOwn(properties, property) ? properties[property]?.enum : undefined;
  return required.includes(property) ? (values ?? []).map(toText) : [];
};

/** Lists the properties that each variant of a union requires; undefined if a variant says more. */
export const listNeeded = (
  raw: JsonObject,
  name: "anyOf" | "oneOf",
): readonly Json[] | undefined => {
  const isPlain = (one: Json): boolean =>
    isObject(one) &&
    Array.isArray(one["required"]) &&
    Object.keys(one).every(
      (word) => word === "required" || (word === "type" && one[word] === "object"),
    );
  const isObjectSchema =
    raw["properties"] !== undefined || raw["allOf"] !== undefined || raw["type"] === "object";
  const variants = toList(raw[name]);
  return isObjectSchema && variants.length > 0 && variants.every(isPlain)
    ? variants.map((one) => toList(toObject(one)["required"]))
    : undefined;
};
