import { z } from "zod";
import { generate, type Generation } from "./generate.ts";
import { UngeneratableError } from "./ungeneratable.ts";

const attempts = 8;

/**
 * Returns a value that a schema accepts, asynchronous functions of the schema included.
 *
 * @param more makes the value in another way
 * @throws {@link UngeneratableError} when no such value was found.
 */
export const produce = async (
  schema: z.core.$ZodType,
  generation: Generation,
  more?: (generation: Generation) => object,
): Promise<unknown> => {
  const { kept } = generation;
  let failure: Error | undefined;
  for (let attempt = 0; attempt < attempts; attempt++) {
    const { seed, known } = generation;
    const own = {
      ...generation,
      seed: attempt === 0 ? seed : `${seed}\nattempt ${attempt}`,
      // together, values of the input may be what the schema rejects
      known: attempt < attempts / 2 ? known : undefined,
    };
    try {
      const value = more ? more(own) : generate(schema, own);
      const { success, error } = await z.safeParseAsync(schema, value);
      if (success) {
        if (!kept.has(schema)) kept.set(schema, value);
        return value;
      }
      const [issue] = error.issues;
      failure = new UngeneratableError(
        (issue?.path ?? []).map((part) => `.${String(part)}`).join(""),
        issue?.code === "custom" ? "it has a .refine()" : `${issue?.message}`,
      );
    } catch (thrown) {
      if (!(thrown instanceof UngeneratableError)) throw thrown;
      failure = thrown;
    }
  }
  // a page that is repeated would never end
  if (kept.has(schema) && !more) return kept.get(schema);
  throw failure ?? new UngeneratableError("", "no value fits it");
};
