import { z } from "zod";
import { isSchema, type ZodSchema } from "./schema.ts";

/** Returns the schema in `.meta({ output })`, which describes what a transformation returns. */
export const readToldOutput = (schema: ZodSchema): ZodSchema | undefined => {
  if ((schema as z.core.$ZodTypes)._zod.def.type !== "pipe") return undefined;
  const told = z.globalRegistry.get(schema as z.ZodType)?.["output"];
  return isSchema(told) ? told : undefined;
};
