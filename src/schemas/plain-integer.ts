import { z } from "zod";
import { describeAs } from "./zod-internals.ts";

/** An integer in a range, as a number or as plain decimal digits; a preset value if it is missing. */
export type PlainInteger = z.ZodPrefault<
  z.ZodPipe<z.ZodUnion<readonly [z.ZodNumber, z.ZodCodec<z.ZodString, z.ZodNumber>]>, z.ZodNumber>
>;

/** Digits as `String` would write them: no sign but a minus, no leading zeros, spaces, point or exponent. */
const plainDigits = /^(?:0|-?[1-9]\d*)$/;

/**
 * An integer or its plain decimal digits; anything else that `Number` would convert to one is rejected. It consists of
 * Zod's own parts and of pure functions, so that a schema with it can be compiled.
 */
export const plainInteger = (minimum: number, maximum: number, preset: number): PlainInteger => {
  const digits = z.codec(z.string().regex(plainDigits), z.number(), {
    decode: Number,
    encode: String,
  });
  const schema = z
    .union([z.number(), digits], { error: "Invalid input: expected a plain integer" })
    .pipe(z.number().min(minimum, { abort: true }).max(maximum, { abort: true }).int());
  // documents show the integer that it means, not the ways to spell it
  describeAs(schema, { type: "integer", minimum, maximum });
  // `.default()` would be missing from an input's documents, because the schema transforms
  return schema.prefault(preset);
};
