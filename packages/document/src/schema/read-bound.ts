import type { Json, JsonObject } from "../json.ts";
import type { Schema } from "./schema.ts";

/** Whether a limit is none: JSON cannot write what is larger than any number. */
export const isInfinite = (limit: Json | undefined): boolean =>
  limit === Infinity || limit === -Infinity;

/** Reads a limit of numbers: one that excludes itself is a flag in 3.0, and a number of its own as of 3.1. */
export const readBound = (raw: JsonObject, key: "minimum" | "maximum"): Schema => {
  const isMinimum = key === "minimum";
  const [closed, open] = [raw[key], raw[isMinimum ? "exclusiveMinimum" : "exclusiveMaximum"]].map(
    (limit) => (isInfinite(limit) ? undefined : limit),
  );
  const isTighter =
    typeof open === "number" &&
    (typeof closed !== "number" || (isMinimum ? open >= closed : open <= closed));
  const limit = isTighter ? open : closed;
  if (typeof limit !== "number") return {};
  const isOpen = isTighter || open === true;
  return {
    [key]: limit,
    ...(isOpen && { [isMinimum ? "openMinimum" : "openMaximum"]: true }),
  };
};
