import { isDate, type Lifecycle } from "@sallyport/document";

/** The levels of stability; those before `beta` promise nothing. */
const stabilities = ["draft", "alpha", "beta", "stable"];

export const isStability = (text: string): boolean => stabilities.includes(text);

/** Returns the rank of a stability; what is no level promises as much as anything that says nothing. */
export const rankStability = (text: string): number =>
  stabilities.indexOf(isStability(text) ? text : "stable");

/** Whether something is announced as what may change at any time. */
export const isUnstable = ({ stability = "stable" }: Lifecycle): boolean =>
  rankStability(stability) < rankStability("beta");

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
