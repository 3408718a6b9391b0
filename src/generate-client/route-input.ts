import type { z } from "zod";
import { listInputSchemas, type OperationPlace } from "../openapi/operation-place.ts";
import { listNames, parsePathPattern } from "../routing/path-pattern.ts";
import type { ZodSchema } from "../schemas/schema.ts";
import { readTopLevel } from "../schemas/top-level-keys.ts";
import { toIntersection, toKey, toObject, toText } from "./type-text.ts";
import { sent, type TypeWriter } from "./write-type.ts";

/** The values that a path parameter may have. */
const pathValue = "bigint | boolean | Date | number | string";

/** Writes the type of the input that a client sends to a route. */
export const writeInput = (place: OperationPlace, writer: TypeWriter, name: string): string => {
  const schemas = listInputSchemas(place.endpoint).filter((schema) => !isEmpty(schema));
  const known = new Set(schemas.flatMap((schema) => [...readTopLevel(schema).fields.keys()]));
  const unnamed = parsePathPattern(place.path)
    .flatMap((segment) =>
      listNames(segment).map(
        (one) => [one, segment.kind === "rest" ? `(${pathValue})[]` : pathValue] as const,
      ),
    )
    .filter(([one]) => !known.has(one))
    .map(([one, type]) => `${toKey(one)}: ${type};`);
  if (schemas.length === 0)
    return unnamed.length > 0 ? toObject(unnamed) : "{ [key: string]: never }";
  return toText(
    toIntersection([
      ...mergeObjects(schemas).map((one) =>
        "_zod" in one
          ? writer.write(one, sent, name)
          : [writer.writeFields(one.fields, undefined, sent, name)],
      ),
      ...(unnamed.length > 0 ? [[toObject(unnamed)]] : []),
    ]),
  );
};

interface Fields {
  readonly fields: ReadonlyMap<string, ZodSchema>;
}

/** Merges the objects of middlewares and of their endpoint, if no two of them have the same field. */
const mergeObjects = (schemas: readonly ZodSchema[]): readonly (Fields | ZodSchema)[] => {
  if (schemas.length < 2) return schemas;
  const fields = new Map<string, ZodSchema>();
  for (const schema of schemas) {
    const { def } = (schema as z.core.$ZodTypes)._zod;
    if (def.type !== "object" || isOpen(def)) return schemas;
    for (const [name, field] of Object.entries(def.shape)) {
      if (fields.has(name)) return schemas;
      fields.set(name, field);
    }
  }
  return [{ fields }];
};

const isOpen = ({ catchall }: z.core.$ZodObjectDef): boolean =>
  catchall !== undefined && (catchall as z.core.$ZodTypes)._zod.def.type !== "never";

const isEmpty = (schema: ZodSchema): boolean => {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  return def.type === "object" && Object.keys(def.shape).length === 0 && !isOpen(def);
};
