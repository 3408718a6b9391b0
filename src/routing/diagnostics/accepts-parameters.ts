import { z } from "zod";
import type { ZodSchema } from "../../schemas/schema.ts";
import { readTopLevel } from "../../schemas/top-level-keys.ts";
import { someSchema } from "../../schemas/some-schema.ts";
import { hasDefault, runsUserCode } from "../../schemas/user-code.ts";
import type { PathParameters } from "../route-table.ts";
import type { EndpointEntry } from "../walk-routing.ts";
import { listInputs } from "./diagnostic.ts";

/**
 * Checks whether the input of a route definitely accepts path parameters, which shows that their path is meant for this
 * route.
 */
export const acceptsParameters = (
  { endpoint }: EndpointEntry,
  parameters: PathParameters,
): boolean =>
  listInputs(endpoint).every(({ schema }) => {
    const { fields } = readTopLevel(schema);
    return Object.entries(parameters).every(([name, value]) => {
      const field = fields.get(name);
      return field === undefined || accepts(field, value);
    });
  });

/**
 * Checks whether a schema accepts a value. Functions of the application are not run, because they may have side
 * effects; the schemas before them are checked.
 */
const accepts = (schema: ZodSchema, value: unknown): boolean => {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  if (def.type === "promise") return false;
  if (!runsUserCode(schema) && !someSchema(schema, hasDefault))
    return z.safeParse(schema, value).success;
  if (def.type === "pipe") return accepts(def.in, value);
  return ["optional", "default", "nullable", "readonly"].includes(def.type) && "innerType" in def
    ? accepts(def.innerType, value)
    : false;
};
