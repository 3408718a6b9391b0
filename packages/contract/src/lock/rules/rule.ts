import type { JsonObject } from "@sallyport/document";

/**
 * What a change means: `breaking` for clients, `access` for callers that were refused before, `warning` if it depends
 * on the clients, or `harmless`.
 */
export type Level = "breaking" | "access" | "warning" | "harmless";

/** The release that a change calls for. */
export type Bump = "major" | "minor" | "patch";

/** A pair of OpenAPI documents. */
export type Pair = readonly [base: JsonObject, head: JsonObject];

export interface Rule {
  readonly id: string;
  readonly level: Level;
  readonly bump: Bump;
  /** The change in words; `{before}`, `{after}` and `{name}` are filled in. */
  readonly words: string;
  /** Documents between which this change is found. */
  readonly example: Pair;
  /** Documents between which it is not: by default, those of the example the other way round. */
  readonly counterexample: Pair;
}

export const toBump = (level: Level, isAddition: boolean): Bump =>
  level === "breaking" ? "major" : level === "harmless" && !isAddition ? "patch" : "minor";
