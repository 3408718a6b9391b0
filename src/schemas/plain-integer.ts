import { z } from "zod";

/** A schema for an integer within a range, with a default; accepts a number or plain decimal digits. */
export type PlainInteger = z.ZodPrefault<
  z.ZodPipe<z.ZodUnion<readonly [z.ZodNumber, z.ZodCodec<z.ZodString, z.ZodNumber>]>, z.ZodNumber>
>;

/** Matches integers as `String` writes them: without a plus sign, leading zeros, spaces, a point or an exponent. */
const plainDigits = /^(?:0|-?[1-9]\d*)$/;

/** Creates the schema of an integer, given as a number or as plain decimal digits; it can be compiled. */
export const plainInteger = (minimum: number, maximum: number, preset: number): PlainInteger => {
  const digits = z.codec(z.string().regex(plainDigits), z.number(), {
    decode: Number,
    encode: String,
  });
  const schema = z
    .union([z.number(), digits], { error: "Invalid input: expected a plain integer" })
    .pipe(z.number().min(minimum, { abort: true }).max(maximum, { abort: true }).int())
    // documents show an integer, not the forms in which it can be sent
    .meta({ type: "integer", minimum, maximum, anyOf: undefined });
  // documents of an input would omit a `.default()`, because the schema transforms its value
  return schema.prefault(preset);
};
