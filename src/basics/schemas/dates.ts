import { z } from "zod";
import { declare } from "./content.ts";
import type { SchemaMeta } from "./schema.ts";

/** A date as a client sends it: an ISO 8601 string, or a `Date`, which a client converts to such a string. */
export interface IsoInput extends z.ZodType<string, Date | string> {}

/** The schema returned by {@link dateIn}. */
export type DateIn = z.ZodCodec<IsoInput, z.ZodDate>;

/** The schema returned by {@link dateOut}. */
export type DateOut = z.ZodCodec<z.ZodDate, z.ZodISODateTime>;

/** Creates the schema of a date string, with or without a time; Zod takes an offset after minutes only by itself. */
const isoText = () =>
  z.union(
    [
      z.iso.date(),
      z.iso.datetime({ offset: true, local: true }),
      z.iso.datetime({ offset: true, precision: -1 }),
    ],
    { error: "Invalid input: expected an ISO 8601 date or date-time" },
  );

/**
 * Creates the schema of a date in the input: an ISO 8601 string becomes a `Date`.
 *
 * A date without a time means midnight in UTC; a time without an offset is in the server's time zone.
 *
 * @example
 * z.object({ since: ez.dateIn() }) // "2026-11-20", "2026-11-20T10:30:00Z", "2026-11-20T10:30:00+02:00"
 */
export const dateIn = (meta: SchemaMeta<string> = {}): DateIn =>
  z
    .codec(isoText(), z.date(), {
      decode: declare({ "sallyport/kind": "dateIn" }, (text) => new Date(text)),
      encode: (date) => date.toISOString(),
    })
    .meta({ ...meta });

/**
 * Creates the schema of a date in the output: a `Date` becomes an ISO 8601 string in UTC.
 *
 * @example
 * z.object({ createdAt: ez.dateOut() }) // the handler returns a Date, the client receives "2026-11-20T10:30:00.000Z"
 */
export const dateOut = (meta: SchemaMeta<string> = {}): DateOut =>
  z
    .codec(z.date(), z.iso.datetime(), {
      decode: declare({ "sallyport/kind": "dateOut" }, (date) => date.toISOString()),
      encode: (text) => new Date(text),
    })
    .meta({ ...meta });
