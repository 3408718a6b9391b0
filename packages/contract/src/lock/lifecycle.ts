import type { Lifecycle } from "./contract.ts";
import { compact, toText, type Json, type JsonObject } from "./json.ts";

/** The levels of stability; those before `beta` promise nothing. */
const stabilities = ["draft", "alpha", "beta", "stable"];

export const isStability = (text: string): boolean => stabilities.includes(text);

/** Returns the rank of a stability; what is no level promises as much as anything that says nothing. */
export const rankStability = (text: string): number =>
  stabilities.indexOf(isStability(text) ? text : "stable");

/** Whether something is announced as what may change at any time. */
export const isUnstable = ({ stability = "stable" }: Lifecycle): boolean =>
  rankStability(stability) < rankStability("beta");

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
const toDay = (text: string): string => {
  return isDate(text) ? new Date(text).toISOString().slice(0, 10) : text;
};

/** What the removal of something means, given what had been announced. */
export type Removal = "removed" | "removed-after-deprecation" | "removed-before-sunset";

/** @param today such as `2026-12-31` */
export const judgeRemoval = ({ deprecated, sunset }: Lifecycle, today: string): Removal => {
  if (!deprecated) return "removed";
  // a sunset that is no date has not come
  return sunset !== undefined && !(isDate(sunset) && sunset <= today)
    ? "removed-before-sunset"
    : "removed-after-deprecation";
};
