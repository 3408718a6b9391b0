import type { z } from "zod";
import { buffer, raw } from "../../schemas/raw.ts";
import type { ZodSchema } from "../../schemas/schema.ts";
import { upload } from "../../schemas/upload.ts";

/** A kind of value that the checks distinguish. */
export type Kind =
  | ("string" | "number" | "boolean" | "null" | "array" | "object" | "undefined")
  | ("bigint" | "date" | "map" | "set" | "symbol" | "nan" | "function" | "file")
  | ("buffer" | "raw" | "upload" | "dateIn" | "dateOut" | "never" | "coercedBoolean");

const toFunction = (schema: ZodSchema): unknown => (schema._zod.def as { fn?: unknown }).fn;

/** The kinds of this package's own schemas, by the functions that identify them. */
export const ownKinds: ReadonlyMap<unknown, Kind> = new Map<unknown, Kind>([
  [toFunction(buffer()), "buffer"],
  [toFunction(raw().shape.raw), "raw"],
  [toFunction(upload()), "upload"],
]);

/** The schema types whose values are all of one kind. */
export const kindOfType: Readonly<Record<string, Kind>> = {
  ...{ string: "string", template_literal: "string", number: "number", int: "number" },
  ...{ boolean: "boolean", null: "null", undefined: "undefined", void: "undefined" },
  ...{ bigint: "bigint", date: "date", map: "map", set: "set", symbol: "symbol" },
  ...{ nan: "nan", function: "function", file: "file" },
};

/** Returns the kind of a value from a literal or an enum. */
export const kindOfValue = (value: unknown): Kind => (value === null ? "null" : typeof value);

/** Recognises `ez.dateIn()` and `ez.dateOut()` by their parts. */
export const toDateKind = (def: z.core.$ZodPipeDef): Kind | undefined => {
  if (!("reverseTransform" in def)) return undefined;
  const parts = `${describe(def.in)} to ${describe(def.out)}`;
  if (parts === "date to text:datetime") return "dateOut";
  return parts === "text:date or text:datetime to date" ? "dateIn" : undefined;
};

const describe = (schema: ZodSchema): string => {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  if (def.type === "union") return def.options.map(describe).join(" or ");
  return def.type === "string" && "format" in def ? `text:${String(def.format)}` : def.type;
};
