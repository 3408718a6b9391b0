import type { z } from "zod";
import { toDateKind } from "../schemas/bodies.ts";
import { readEncoded, readToldOutput } from "../schemas/encode.ts";
import type { ZodSchema } from "../schemas/schema.ts";
import { readLazy, readPropertyValues } from "../schemas/zod-internals.ts";

/** One side of a schema: what it accepts, or what it returns. */
export type End = "input" | "output";

/** Checks whether the values of a schema are dates: `Date`s on the server, or date strings with an offset. */
export const isDate = (schema: ZodSchema, end: End): boolean => {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  if (def.type === "date") return true;
  if (def.type === "pipe") return end === "input" && toDateKind(def) === "dateIn";
  const { format, local } = def as { readonly format?: string; readonly local?: boolean };
  return def.type === "string" && format === "datetime" && local !== true;
};

/** Returns the schema that describes one side of a wrapper, or the given schema if it is not a wrapper. */
export const unwrap = (schema: ZodSchema, end: End): readonly [schema: ZodSchema, end: End] => {
  const encoded = readEncoded(schema);
  if (encoded) return [encoded, end === "input" ? "output" : "input"];
  const told = end === "output" ? readToldOutput(schema) : undefined;
  if (told) return [told, end];
  const { def } = (schema as z.core.$ZodTypes)._zod;
  if (def.type === "pipe") {
    const isPreprocessed = (def.in as z.core.$ZodTypes)._zod.def.type === "transform";
    return [end === "input" && !isPreprocessed ? def.in : def.out, end];
  }
  if (def.type === "lazy") return [readLazy(schema as z.core.$ZodLazy), end];
  return ["innerType" in def ? def.innerType : schema, end];
};

/** The types of schemas whose values consist of other values. */
export const structures: ReadonlySet<string> = new Set([
  ...["array", "intersection", "object", "record", "tuple"],
]);
type Kind = "date" | "other" | "string" | "structure" | "unknown";

const kindOfType: Readonly<Record<string, Kind>> = {
  ...{ enum: "string", literal: "string", string: "string", template_literal: "string" },
  ...{ bigint: "other", boolean: "other", file: "other", nan: "other", never: "other" },
  ...{ null: "other", number: "other", success: "other", undefined: "other", void: "other" },
};

const listKinds = (schema: ZodSchema, end: End, depth = 0): readonly Kind[] => {
  if (isDate(schema, end)) return ["date"];
  const [inner, innerEnd] = unwrap(schema, end);
  // a schema that only refers to itself has no values
  if (inner !== schema) return depth > 50 ? ["unknown"] : listKinds(inner, innerEnd, depth + 1);
  const { def } = (schema as z.core.$ZodTypes)._zod;
  if (def.type === "union")
    return def.options.flatMap((option) => listKinds(option, end, depth + 1));
  if (structures.has(def.type)) return ["structure"];
  if (def.type === "literal" && def.values.every((value) => typeof value !== "string"))
    return ["other"];
  return [kindOfType[def.type] ?? "unknown"];
};

/** Returns the field that discriminates the options of a union of objects; undefined if there is none. */
export const readDiscriminator = (def: z.core.$ZodUnionDef): string | undefined => {
  const { discriminator } = def as { readonly discriminator?: string };
  const isTold = def.options.every(
    (option) => discriminator !== undefined && readPropertyValues(option, discriminator),
  );
  return isTold ? discriminator : undefined;
};

/** Checks whether a value of a union reveals which parts of it are dates. */
export const revealsDates = (def: z.core.$ZodUnionDef, end: End): boolean => {
  if (readDiscriminator(def) !== undefined) return true;
  const kinds = def.options.flatMap((option) => listKinds(option, end));
  if (kinds.includes("unknown")) return false;
  if (kinds.includes("date") && kinds.includes("string")) return false;
  return kinds.filter((kind) => kind === "structure").length < 2;
};
