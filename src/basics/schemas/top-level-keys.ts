import type { z } from "zod";
import { readEncoded } from "./encode.ts";
import type { ZodSchema } from "./schema.ts";
import { listSameValue } from "./some-schema.ts";
import { readLazy, readValues } from "./zod-internals.ts";

/** The keys of a schema at its top level, as far as they are known before anything is parsed. */
export interface TopLevel {
  /** The fields that the schema names; if several parts name a field, the first part's schema counts. */
  readonly fields: ReadonlyMap<string, ZodSchema>;
  /** Whether other keys are dropped (`strip`), rejected (`refuse`) or kept; `unknown` for schemas such as `z.any()`. */
  readonly others: "strip" | "refuse" | "keep" | "unknown";
}

const opaque: TopLevel = { fields: new Map(), others: "unknown" };

const join = (parts: readonly TopLevel[]): TopLevel => {
  const kinds = new Set(parts.map(({ others }) => others));
  return {
    fields: new Map(parts.toReversed().flatMap(({ fields }) => [...fields])),
    others: (["unknown", "keep", "refuse"] as const).find((kind) => kinds.has(kind)) ?? "strip",
  };
};

export const readTopLevel = (
  schema: ZodSchema,
  seen: ReadonlySet<ZodSchema> = new Set(),
): TopLevel => {
  if (seen.has(schema)) return opaque;
  const below = new Set(seen).add(schema);
  const read = (inner: ZodSchema): TopLevel => readTopLevel(inner, below);
  const { def } = (schema as z.core.$ZodTypes)._zod;
  switch (def.type) {
    case "object": {
      const catchall = def.catchall?._zod.def.type;
      const others = catchall === "never" ? "refuse" : catchall ? "keep" : "strip";
      return { fields: new Map(Object.entries(def.shape)), others };
    }
    case "record": {
      const names = readValues(def.keyType);
      return {
        fields: new Map(Array.from(names ?? [], (name) => [String(name), def.valueType])),
        others: names && def.mode !== "loose" ? "refuse" : "keep",
      };
    }
    case "intersection":
      return join([read(def.left), read(def.right)]);
    case "union":
      return join(def.options.map(read));
    case "pipe": {
      // for a preprocessed value, the schema after the function counts
      const first = read(def.in);
      return first.others === "unknown" ? read(def.out) : first;
    }
    case "lazy":
      return read(readLazy(schema as z.core.$ZodLazy));
    default: {
      const inner = "innerType" in def ? def.innerType : readEncoded(schema);
      return inner ? read(inner) : opaque;
    }
  }
};

/** Lists the keys of middlewares that an endpoint's strict schema would reject, or a loose one pass on unparsed. */
export const listMiddlewareOnlyKeys = (
  endpointSchema: ZodSchema,
  middlewareSchemas: readonly ZodSchema[],
): readonly string[] => {
  const own = readTopLevel(endpointSchema);
  if (own.others === "strip" || own.others === "unknown") return [];
  const declared = middlewareSchemas.flatMap((schema) => [...readTopLevel(schema).fields.keys()]);
  return [...new Set(declared)].filter((key) => !own.fields.has(key));
};

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
    case "lazy":
      return isArray(readLazy(schema as z.core.$ZodLazy), seen);
    default:
      return listSameValue(schema).some((part) => isArray(part, seen));
  }
};
