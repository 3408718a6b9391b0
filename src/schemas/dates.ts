import { z } from "zod";
import type { SchemaMeta } from "./schema.ts";

/** A date as a client gives it: ISO 8601 text, or a `Date`, of which a client sends that text. */
export interface IsoInput extends z.ZodType<string, Date | string> {}

/** A schema of {@link dateIn}. */
export type DateIn = z.ZodCodec<IsoInput, z.ZodDate>;

/** A schema of {@link dateOut}. */
export type DateOut = z.ZodCodec<z.ZodDate, z.ZodISODateTime>;

/** Text of a date, or of a date and a time. */
const isoText = () =>
  z.union([z.iso.date(), z.iso.datetime({ offset: true, local: true })], {
    error: "Invalid input: expected an ISO 8601 date or date-time",
  });

/**
 * A date in the input: ISO 8601 text becomes a `Date`.
 *
 * A date alone means midnight in UTC; a time without an offset is the server's local time.
 *
 * @example
 * z.object({ since: ez.dateIn() }) // "2026-11-20", "2026-11-20T10:30:00Z", "2026-11-20T10:30:00+02:00"
 */
export const dateIn = (meta: SchemaMeta<string> = {}): DateIn =>
  z
    .codec(isoText(), z.date(), {
      decode: (text) => new Date(text),
      encode: (date) => date.toISOString(),
    })
    .meta({ ...meta });

/**
 * A date in the output: a `Date` becomes ISO 8601 text in UTC.
 *
 * @example
 * z.object({ createdAt: ez.dateOut() }) // the handler returns a Date, the client gets "2026-11-20T10:30:00.000Z"
 */
export const dateOut = (meta: SchemaMeta<string> = {}): DateOut =>
  z
    .codec(z.date(), z.iso.datetime(), {
      decode: (date) => date.toISOString(),
      encode: (text) => new Date(text),
    })
    .meta({ ...meta });
