import type { Json } from "../json.ts";
import { toCharacters } from "../schema/patterns.ts";
import type { Schema, TypeName } from "../schema/schema.ts";
import { accepts } from "../schema/validate.ts";
import {
  deepest,
  distinct,
  listValid,
  most,
  sampleText,
  toLeast,
  toSimplest,
  type Sample,
} from "./samples.ts";
import { listVariants } from "./variants.ts";

const wrong: Readonly<Record<TypeName, Json>> = {
  string: { not: "a string" },
  number: "not a number",
  integer: "not a number",
  boolean: "not a boolean",
  array: "not an array",
  object: "not an object",
};

/** Lists values that one keyword of a schema refuses: of another type, beyond a limit, with a property too few. */
export const listInvalid = (schema: Schema, depth = 0): readonly Sample[] => {
  if (depth > deepest) return [];
  const variants = listVariants(schema);
  const none = [{ no: "variant" }, "?"].map((value) => ({ label: "none of the variants", value }));
  const samples = [
    ...variants.flatMap((one) => listBroken(one, depth)),
    ...(variants.length > 1 ? none : []),
  ];
  const found = distinct(samples).filter(({ value }) => !accepts(schema, value));
  return depth === 0 ? found : found.slice(0, most);
};

const listBroken = (schema: Schema, depth: number): readonly Sample[] => {
  const { types = [], enum: values } = schema;
  const typed = types.map((type) => ({ label: `not of the type ${type}`, value: wrong[type] }));
  if (values) return [{ label: "not a member", value: "no such member" }, ...typed];
  const inner = types.flatMap((type) => {
    if (type === "string") return breakString(schema);
    if (type === "array") return breakArray(schema, depth);
    if (type === "object") return breakObject(schema, depth);
    return type === "boolean" ? [] : breakNumber({ ...schema, types: [type] });
  });
  return [...typed, ...inner];
};

const breakNumber = (schema: Schema): readonly Sample[] => {
  const { minimum, maximum, multipleOf, types } = schema;
  const usual = Math.max(minimum ?? 0, Math.min(0, maximum ?? 0));
  const step = multipleOf ?? (types?.includes("integer") ? 1 : 0.5);
  return [
    ...(types?.includes("integer")
      ? [{ label: "a fraction", value: Math.round(usual) + 0.5 }]
      : []),
    ...(minimum === undefined
      ? []
      : [
          { label: "the excluded minimum", value: minimum },
          { label: "below the minimum", value: minimum - step },
        ]),
    ...(maximum === undefined
      ? []
      : [
          { label: "the excluded maximum", value: maximum },
          { label: "above the maximum", value: maximum + step },
        ]),
    ...(multipleOf === undefined
      ? []
      : [{ label: "not a multiple", value: usual + multipleOf / 2 }]),
  ].filter(({ value }) => Number.isFinite(value));
};

const breakString = (schema: Schema): readonly Sample[] => {
  const { minLength = 0, maxLength = Infinity, format, patterns, contentEncoding } = schema;
  const [usual = "a"] = format === undefined && !patterns ? [] : sampleText(schema);
  return [
    ...(minLength > 0
      ? [
          {
            label: "too short",
            value: toCharacters(usual + "a".repeat(minLength))
              .slice(0, minLength - 1)
              .join(""),
          },
        ]
      : []),
    ...(maxLength <= 100_000
      ? [
          {
            label: "too long",
            value: usual + (usual.at(-1) ?? "a").repeat(Math.max(1, maxLength + 1 - usual.length)),
          },
        ]
      : []),
    ...(format !== undefined ? [{ label: `not of the format ${format}`, value: "?" }] : []),
    ...(contentEncoding === undefined ? [] : [{ label: `not ${contentEncoding}`, value: "§?" }]),
    ...(patterns
      ? ["§ ?", "", `${usual}§`].map((value) => ({ label: "against the pattern", value }))
      : []),
  ];
};

const breakArray = (schema: Schema, depth: number): readonly Sample[] => {
  const { prefixItems = [], items, minItems = 0, maxItems = Infinity, uniqueItems } = schema;
  if (prefixItems.length > 0) return breakTuple(prefixItems, depth);
  const item = items?.never ? undefined : listValid(items ?? {}, depth + 1)[0]?.value;
  if (item === undefined) return [];
  const fill = (count: number): Json[] => Array.from({ length: count }, () => item);
  return [
    ...(minItems > 0 ? [{ label: "too few items", value: fill(minItems - 1) }] : []),
    ...(maxItems <= 1000 ? [{ label: "too many items", value: fill(maxItems + 1) }] : []),
    ...(uniqueItems ? [{ label: "an item twice", value: fill(Math.max(2, minItems)) }] : []),
    ...listInvalid(items ?? {}, depth + 1)
      .slice(0, 5)
      .map(({ label, value }) => ({
        label: `an item ${label}`,
        value: [...fill(Math.max(0, minItems - 1)), value],
      })),
  ];
};

const breakTuple = (parts: readonly Schema[], depth: number): readonly Sample[] => {
  const tuple = parts.map(toSimplest) as Json[];
  return [
    { label: "too few items", value: tuple.slice(0, -1) },
    { label: "too many items", value: [...tuple, "?"] },
    ...parts.flatMap((part, at) =>
      listInvalid(part, depth + 1)
        .slice(0, 1)
        .map(({ label, value }) => ({
          label: `item ${at} ${label}`,
          value: tuple.with(at, value),
        })),
    ),
  ];
};

const breakObject = (schema: Schema, depth: number): readonly Sample[] => {
  const least = toLeast(schema, depth);
  if (!least) return [];
  const { required = [], properties = {}, additionalProperties } = schema;
  return [
    ...required.map((name) => {
      const { [name]: _left, ...rest } = least;
      return { label: `without ${name}`, value: rest };
    }),
    ...Object.entries(properties).flatMap(([name, one]) =>
      listInvalid(one, depth + 1).map(({ label, value }) => ({
        label: `${name}: ${label}`,
        value: { ...least, [name]: value },
      })),
    ),
    ...(additionalProperties?.never
      ? [{ label: "an unknown field", value: { ...least, unknownField: "?" } }]
      : []),
    ...(additionalProperties && Object.keys(properties).length === 0
      ? listInvalid(additionalProperties, depth + 1)
          .slice(0, 1)
          .map(({ label, value }) => ({ label: `an entry ${label}`, value: { a: value } }))
      : []),
  ];
};
