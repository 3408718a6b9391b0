import { isObject, toText, type JsonObject } from "@sallyport/document";
import type { Schemas } from "./schemas.ts";
import {
  distinct,
  isListed,
  itemOf,
  listObjects,
  listStrings,
  listValid,
  numberOf,
  propertiesOf,
  toRange,
  toTuple,
  typesOf,
  type Sample,
} from "./values.ts";

const wrong: Readonly<Record<string, unknown>> = {
  string: { not: "a string" },
  number: "not a number",
  integer: "not a number",
  boolean: "not a boolean",
  array: "not an array",
  object: "not an object",
};

/** Lists values that a schema does not allow: of another type, beyond a limit, with a field too few. */
export const listInvalid = (schema: JsonObject, schemas: Schemas, depth = 0): readonly Sample[] => {
  if (depth > 4) return [];
  const found = schemas.flatten(schema);
  const types = typesOf(found);
  const samples: Sample[] = [];
  for (const type of types)
    if (type in wrong) samples.push({ label: `not of the type ${type}`, value: wrong[type] });
  if (types.includes("integer")) {
    const { min = 0 } = toRange(found);
    samples.push({ label: "a fraction", value: min + 0.5 });
  }
  if (types.includes("integer") || types.includes("number")) {
    const { min, max, step } = toRange(found);
    if (isListed(min)) samples.push({ label: "below the minimum", value: min - step });
    if (isListed(max)) samples.push({ label: "above the maximum", value: max + step });
    if (found["multipleOf"] !== undefined)
      samples.push({ label: "not a multiple", value: (min ?? 0) + step / 2 });
  }
  if (types.includes("string")) {
    const { minLength, maxLength, format, pattern } = found;
    const [first] = listStrings(found);
    if (typeof minLength === "number" && minLength > 0)
      samples.push({ label: "too short", value: "a".repeat(minLength - 1) });
    if (typeof maxLength === "number" && maxLength <= 10_000)
      samples.push({
        label: "too long",
        value: toText(first?.value ?? "a")
          .slice(0, 1)
          .repeat(maxLength + 1),
      });
    if (format !== undefined && format !== "binary")
      samples.push({ label: `not as ${toText(format)}`, value: "?" });
    if (pattern !== undefined) samples.push({ label: "against the pattern", value: "\u00a7 ?" });
  }
  const { const: constant, enum: members, anyOf, oneOf } = found;
  if (constant !== undefined || members !== undefined)
    samples.push({ label: "not a member", value: "no such member" });
  if ((anyOf ?? oneOf) !== undefined)
    samples.push(
      { label: "no arm of the union", value: { no: "arm" } },
      { label: "no arm of the union", value: "?" },
    );
  if (types.includes("array")) samples.push(...listInvalidArrays(found, schemas, depth));
  if (types.includes("object")) samples.push(...listInvalidObjects(found, schemas, depth));
  return distinct(samples.filter(({ value }) => !schemas.isValid(schema, value)));
};

const listInvalidArrays = (
  schema: JsonObject,
  schemas: Schemas,
  depth: number,
): readonly Sample[] => {
  const { prefixItems, minItems, maxItems } = schema;
  if (Array.isArray(prefixItems))
    return listInvalidTuples(prefixItems as readonly JsonObject[], schemas, depth);
  const item = itemOf(schema);
  const one = listValid(item, schemas, depth + 1)[0]?.value;
  const fill = (count: number): readonly unknown[] => Array.from({ length: count }, () => one);
  return [
    ...(typeof minItems === "number" && minItems > 0
      ? [{ label: "too few items", value: fill(minItems - 1) }]
      : []),
    ...(typeof maxItems === "number" && maxItems <= 1000
      ? [{ label: "too many items", value: fill(maxItems + 1) }]
      : []),
    ...listInvalid(item, schemas, depth + 1)
      .slice(0, 3)
      .map(({ label, value }) => ({
        label: `an item ${label}`,
        value: [...fill(Math.max(0, (numberOf(minItems) ?? 1) - 1)), value],
      })),
  ];
};

const listInvalidTuples = (
  parts: readonly JsonObject[],
  schemas: Schemas,
  depth: number,
): readonly Sample[] => {
  const tuple = toTuple(parts, schemas);
  if (!tuple) return [];
  return [
    { label: "too few items", value: tuple.slice(0, -1) },
    { label: "too many items", value: [...tuple, "?"] },
    ...parts.flatMap((part, at) =>
      listInvalid(isObject(part) ? part : {}, schemas, depth + 1)
        .slice(0, 1)
        .map(({ label, value }) => ({
          label: `item ${at} ${label}`,
          value: tuple.with(at, value),
        })),
    ),
  ];
};

const listInvalidObjects = (
  schema: JsonObject,
  schemas: Schemas,
  depth: number,
): readonly Sample[] => {
  const least = listObjects(schema, schemas, depth)[0]?.value as object | undefined;
  if (!least) return [];
  const required = (schema["required"] ?? []) as readonly string[];
  const { additionalProperties: others } = schema;
  return [
    ...required.map((name) => {
      const { [name]: _left, ...rest } = least as Record<string, unknown>;
      return { label: `without ${name}`, value: rest };
    }),
    ...propertiesOf(schema).flatMap(([name, one]) =>
      listInvalid(one, schemas, depth + 1).map(({ label, value }) => ({
        label: `${name}: ${label}`,
        value: { ...least, [name]: value },
      })),
    ),
    ...(others === false
      ? [{ label: "an unknown field", value: { ...least, unknownField: "?" } }]
      : []),
    ...(typeof others === "object" && propertiesOf(schema).length === 0
      ? listInvalid(others as JsonObject, schemas, depth + 1)
          .slice(0, 1)
          .map(({ label, value }) => ({ label: `an entry ${label}`, value: { a: value } }))
      : []),
  ];
};
