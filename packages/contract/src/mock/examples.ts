import { z } from "zod";

/** Checks whether a schema accepts a value; one with asynchronous functions is judged when the whole is parsed. */
export const accepts = (schema: z.core.$ZodType, value: unknown): boolean => {
  try {
    return z.safeParse(schema, value).success;
  } catch (error) {
    return error instanceof z.core.$ZodAsyncError;
  }
};

/** Returns what a handler returns for an example, which may be in the form that clients receive; undefined if neither. */
export const toReturned = (schema: z.core.$ZodType, example: unknown): unknown => {
  if (accepts(schema, example)) return example;
  try {
    const { data } = z.safeEncode(schema, example);
    return accepts(schema, data) ? data : undefined;
  } catch {
    // the schema has a transformation that cannot be reversed
    return undefined;
  }
};

/** The examples in `.meta({ examples })` of a schema that it accepts, by name or index. */
export const listExamples = (schema: z.core.$ZodType): ReadonlyMap<string, unknown> => {
  const { examples } = Object(z.globalRegistry.get(schema as z.ZodType)) as {
    readonly examples?: unknown;
  };
  const all = Object.entries(Object(examples) as object).map(
    ([name, example]) => [name, toReturned(schema, example)] as const,
  );
  return new Map(all.filter(([, example]) => example !== undefined));
};
