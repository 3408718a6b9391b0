import { z } from "zod";
import type { EmptyObject } from "../schemas/schema.ts";

/** The output schema of an endpoint built with `buildVoid`. */
export type VoidOutput = z.ZodObject<EmptyObject>;

let voidOutput: VoidOutput | undefined;

/**
 * Returns the schema. It is created with the first endpoint that needs it, because a program's first schema costs 8 ms.
 */
export const toVoidOutput = (): VoidOutput => (voidOutput ??= z.object({}));
