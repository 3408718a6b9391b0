import type { z } from "zod";
import type { Operation } from "../api/operation.ts";
import type { ZodSchema } from "../../basics/schemas/schema.ts";
import { listSameValue, walkSchemas } from "../../basics/schemas/some-schema.ts";
import { readLazy, readValues } from "../../basics/schemas/zod-internals.ts";
import { report, type Diagnostic } from "./diagnostic.ts";
import { toInputWire, type Kind } from "./wire.ts";

/** Finds fields that two stages, such as a middleware and the endpoint, read as types that no value has at once. */
export const checkSharedFields = (operations: readonly Operation[]): readonly Diagnostic[] => {
  const schemas = [...new Set(operations.flatMap(({ inputs }) => inputs))];
  return report(operations, (operation) => {
    const { inputs, route } = operation;
    if (inputs.length < 2) return [];
    const wire = toInputWire(operation);
    const stages = inputs.map(readFields);
    const names = new Set(stages.flatMap((fields) => [...fields.keys()]));
    return [...names].flatMap((name) => {
      const { kinds: possible } = wire.inner(name) ?? {};
      const read = stages.flatMap((fields) => {
        const kinds = fields.get(name);
        const some = kinds && [...kinds].filter((kind) => possible?.has(kind) ?? true);
        // another check reports a field that nothing possible fits
        return some && some.length > 0 ? [some] : [];
      });
      const [first = [], ...others] = read;
      const other = others.find((kinds) => !kinds.some((kind) => first.includes(kind)));
      if (!other) return [];
      const [one, two] = [first, other].map((kinds) => kinds.join(" or "));
      const text = `\`input.${name}\` of ${route} is read as ${one} by one middleware or endpoint, and as ${two} by another, so no value fits both. Declare it alike in both, or give one of them another name.`;
      const at = `${name} of ${inputs.map((schema) => schemas.indexOf(schema)).join()}`;
      return [{ at, code: "SLP_WARN_INPUT_CONFLICT", text, meta: { field: name } }];
    });
  });
};

/** Reads the kinds of the fields of a schema that it has in any case: without alternatives. */
const readFields = (schema: ZodSchema): ReadonlyMap<string, ReadonlySet<Kind>> => {
  const fields = [...walkSchemas(schema, listSameValue)].flatMap((part) => {
    const { def } = (part as z.core.$ZodTypes)._zod;
    return def.type === "object" ? Object.entries(def.shape) : [];
  });
  return new Map(
    fields.flatMap(([name, field]) => {
      const kinds = listKinds(field);
      return kinds ? [[name, kinds] as const] : [];
    }),
  );
};

const kindOfType: Readonly<Record<string, Kind>> = {
  ...{ string: "string", template_literal: "string", number: "number", boolean: "boolean" },
  ...{ null: "null", array: "array", tuple: "array", object: "object", record: "object" },
};

/** Lists the kinds of the values that a schema accepts; undefined if they are unknown, or if it may accept any. */
const listKinds = (schema: ZodSchema, depth = 0): ReadonlySet<Kind> | undefined => {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  if (depth > 20 || ("coerce" in def && def.coerce)) return undefined;
  const kind = kindOfType[def.type];
  if (kind) return new Set([kind]);
  const list = (inner: ZodSchema) => listKinds(inner, depth + 1);
  switch (def.type) {
    case "literal":
    case "enum":
      return new Set(
        [...(readValues(schema) ?? [])].map((value) => (value === null ? "null" : typeof value)),
      );
    case "nullable": {
      const kinds = list(def.innerType);
      return kinds && new Set([...kinds, "null"]);
    }
    case "union": {
      const all = def.options.map(list);
      return all.includes(undefined)
        ? undefined
        : new Set(all.flatMap((kinds) => [...(kinds ?? [])]));
    }
    case "lazy":
      return list(readLazy(schema as z.core.$ZodLazy));
    case "optional":
    case "default":
    case "prefault":
    case "nonoptional":
    case "readonly":
      return list(def.innerType);
    case "pipe":
      return list(def.in);
    default:
      return undefined;
  }
};
