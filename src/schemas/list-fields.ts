import type { z } from "zod";
import type { ZodSchema } from "./schema.ts";
import { readTopLevel } from "./top-level-keys.ts";
import { readLazy } from "./zod-internals.ts";

/** Lists the top-level fields that accept only arrays; a single value from a query or a form is put into one. */
export const listArrayFields = (schema: ZodSchema): readonly string[] =>
  [...readTopLevel(schema).fields]
    .filter(([, field]) => isArray(field, new Set()))
    .map(([name]) => name);

const isArray = (schema: ZodSchema, seen: Set<ZodSchema>): boolean => {
  if (seen.has(schema)) return false;
  seen.add(schema);
  const { def } = (schema as z.core.$ZodTypes)._zod;
  switch (def.type) {
    case "array":
    case "tuple":
      return true;
    case "union": {
      const options = def.options.filter(
        ({ _zod }) => _zod.def.type !== "null" && _zod.def.type !== "undefined",
      );
      // each option gets its own set, because options may share a schema that does not contain itself
      return options.length > 0 && options.every((option) => isArray(option, new Set(seen)));
    }
    case "intersection":
      return isArray(def.left, seen) || isArray(def.right, seen);
    case "pipe":
      // a preprocessing function may accept anything
      return def.in._zod.def.type !== "transform" && isArray(def.in, seen);
    case "lazy":
      return isArray(readLazy(schema as z.core.$ZodLazy), seen);
    default:
      return "innerType" in def && isArray(def.innerType, seen);
  }
};
