import { compact, toText, type Json, type JsonObject } from "../json.ts";

/** What is announced about the future of an operation, a parameter or a property. */
export interface Lifecycle {
  readonly deprecated?: true;
  /** The day after which what is deprecated may be removed, as in `2026-12-31`. */
  readonly sunset?: string;
  /** What `x-stability-level` says, unless it is `stable`. */
  readonly stability?: string;
}

/** Reads whether something is deprecated, the day after which it may be removed, and how stable it is. */
export const toLifecycle = (raw: JsonObject): Lifecycle =>
  compact<Lifecycle>({
    deprecated: raw["deprecated"] === true || undefined,
    sunset: typeof raw["x-sunset"] === "string" ? toDay(raw["x-sunset"]) : undefined,
    stability: toStability(raw["x-stability-level"]),
  });

const toStability = (raw: Json | undefined): string | undefined =>
  raw === undefined || raw === "stable" ? undefined : toText(raw);

/** Whether a text is a date, such as `2026-12-31`. */
export const isDate = (text: string): boolean => !Number.isNaN(new Date(text).getTime());

/** Returns the day of a date in UTC; what is no date stays as it is. */
const toDay = (text: string): string =>
  isDate(text) ? new Date(text).toISOString().slice(0, 10) : text;
