import type { z } from "zod";
import type { ZodSchema } from "../schemas/schema.ts";
import { isSame } from "./json.ts";

/** Checks whether a schema is that of `z.json()`, which accepts any JSON. */
export const isAnyJson = (schema: ZodSchema): boolean => {
  const { _zod: internals } = schema as z.core.$ZodTypes;
  if (internals.def.type !== "lazy") return false;
  const { getter } = internals.def;
  const { def } = ((internals as z.core.$ZodLazyInternals).innerType as z.core.$ZodTypes)._zod;
  if (def.type !== "union" || def.options.length !== 6) return false;
  const isItself = (inner: ZodSchema): boolean => {
    const { def: own } = (inner as z.core.$ZodTypes)._zod;
    return own.type === "lazy" && own.getter === getter;
  };
  const kinds = (def.options as readonly z.core.$ZodTypes[]).map(({ _zod: { def: own } }) => {
    if (own.type === "array") return isItself(own.element) ? "list" : "other";
    if (own.type === "record") return isItself(own.valueType) ? "object" : "other";
    return (own.checks ?? []).length === 0 ? own.type : "bounded";
  });
  return isSame(kinds, ["string", "number", "boolean", "null", "list", "object"]);
};
