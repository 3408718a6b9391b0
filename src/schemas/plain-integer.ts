import { z } from "zod";
import { describeAs } from "./zod-internals.ts";

/** A schema of an integer in a range, as a number or as plain decimal digits, with a preset value for a missing one. */
export type PlainInteger = z.ZodPrefault<
  z.ZodPipe<z.ZodUnion<readonly [z.ZodNumber, z.ZodCodec<z.ZodString, z.ZodNumber>]>, z.ZodNumber>
>;

/** Matches digits as `String` would write them: no sign but a minus, no leading zeros, spaces, point or exponent. */
const plainDigits = /^(?:0|-?[1-9]\d*)$/;

/**
 * Creates the schema of an integer or its plain decimal digits; anything else that `Number` would convert to an integer
 * is rejected. The schema consists of Zod's own parts and of pure functions, so schemas that contain it can be
 * compiled.
 */
export const plainInteger = (minimum: number, maximum: number, preset: number): PlainInteger => {
  const digits = z.codec(z.string().regex(plainDigits), z.number(), {
    decode: Number,
    encode: String,
  });
  const schema = z
    .union([z.number(), digits], { error: "Invalid input: expected a plain integer" })
    .pipe(z.number().min(minimum, { abort: true }).max(maximum, { abort: true }).int());
  // documents show an integer, not the ways to spell it
  describeAs(schema, { type: "integer", minimum, maximum });
  // `.default()` would be missing from documents of an input, because the schema transforms
  return schema.prefault(preset);
};
