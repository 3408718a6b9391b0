import type { z } from "zod";
import { buffer, raw } from "./raw.ts";
import type { ZodSchema } from "./schema.ts";
import { upload } from "./upload.ts";

const toFunction = (schema: ZodSchema): unknown => (schema._zod.def as { fn?: unknown }).fn;

/** The kinds of this package's own schemas, by the functions that identify them. */
export const ownKinds: ReadonlyMap<unknown, "buffer" | "raw" | "upload"> = new Map<
  unknown,
  "buffer" | "raw" | "upload"
>([
  [toFunction(buffer()), "buffer"],
  [toFunction(raw().shape.raw), "raw"],
  [toFunction(upload()), "upload"],
]);

/** Recognises `ez.dateIn()` and `ez.dateOut()` by their parts. */
export const toDateKind = (def: z.core.$ZodPipeDef): "dateIn" | "dateOut" | undefined => {
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
