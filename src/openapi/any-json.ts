import type { z } from "zod";
import type { ZodSchema } from "../schemas/schema.ts";
import { readLazy } from "../schemas/zod-internals.ts";
import { isSame } from "./json.ts";

/** Checks whether a schema was created by `z.json()`, which accepts any JSON. */
export const isAnyJson = (schema: ZodSchema): boolean => {
  const { def: outer } = (schema as z.core.$ZodTypes)._zod;
  if (outer.type !== "lazy") return false;
  const { getter } = outer;
  const { def } = (readLazy(schema as z.core.$ZodLazy) as z.core.$ZodTypes)._zod;
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
