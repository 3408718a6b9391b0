import type { JsonObject } from "@sallyport/document";
import { prefix } from "./prefix.ts";
import type { Level, Pair } from "./rule.ts";

export interface OperationChange {
  readonly level: Level;
  /** Whether clients can do more than before. */
  readonly isAddition?: true;
  readonly words: string;
  readonly example: Pair;
  readonly counterexample?: Pair;
}

export const document = (paths: JsonObject, more: JsonObject = {}): JsonObject => ({
  openapi: "3.1.0",
  info: { title: "Example", version: "1.0.0" },
  paths,
  ...more,
});

export const ok: JsonObject = { responses: { 200: { description: "OK" } } };

/** A document with one operation. */
export const withOperation = (operation: JsonObject, more: JsonObject = {}): JsonObject =>
  document({ "/users": { post: { ...ok, ...operation } } }, more);

export const pair = (before: JsonObject, after: JsonObject): Pair => [
  withOperation(before),
  withOperation(after),
];

export const query = (more: JsonObject): JsonObject => ({
  parameters: [{ name: "q", in: "query", schema: { type: "string" }, ...more }],
});

export const json = (more: JsonObject = {}): JsonObject => ({
  "application/json": { schema: { type: "object" }, ...more },
});

export const body = (more: JsonObject): JsonObject => ({
  requestBody: { content: json(), ...more },
});

export const responses = (more: JsonObject): JsonObject => ({
  responses: { 200: { description: "OK" }, ...more },
});

export const response = (more: JsonObject): JsonObject =>
  responses({ 200: { description: "OK", ...more } });

export const header = (more: JsonObject): JsonObject =>
  response({ headers: { "X-Total": { schema: { type: "string" }, ...more } } });

export const secured = (...security: JsonObject[]): JsonObject => ({ security });

export const fresh: JsonObject = {};
const old: JsonObject = { deprecated: true };
const past: JsonObject = { deprecated: true, "x-sunset": "2001-01-01" };
export const future: JsonObject = { deprecated: true, "x-sunset": "9998-01-01" };
const later: JsonObject = { deprecated: true, "x-sunset": "9999-01-01" };

const draft: JsonObject = { "x-stability-level": "draft" };
const solid: JsonObject = { "x-stability-level": "solid" };

/** The changes of what can be deprecated, such as `parameter-deprecated`. */
export const lifecycle = <const Key extends string>(
  key: Key,
  noun: string,
  toOperation: (more: JsonObject) => JsonObject,
) => {
  const change = (
    level: Level,
    words: string,
    before: JsonObject,
    after: JsonObject,
  ): OperationChange => ({
    level,
    words: `${noun} ${words}`,
    example: pair(toOperation(before), toOperation(after)),
  });
  return prefix(key, {
    deprecated: change("harmless", "was deprecated {after}", fresh, old),
    reactivated: change("harmless", "is no longer deprecated", old, fresh),
    "sunset-set": change("harmless", "may be removed from {after} on", old, future),
    "sunset-later": change(
      ...([
        "harmless",
        "may be removed from {after} on, later than {before}",
        future,
        later,
      ] as const),
    ),
    "sunset-earlier": change(
      ...([
        "breaking",
        "may be removed from {after} on, earlier than {before}",
        later,
        future,
      ] as const),
    ),
    "sunset-invalid": change("breaking", "has a sunset that is no date: {after}", old, {
      deprecated: true,
      "x-sunset": "soon",
    }),
    "sunset-removed": change(
      ...(["breaking", "no longer says that it stays until {before}", future, old] as const),
    ),
    "stability-lowered": change("breaking", "is {after}, no longer {before}", fresh, draft),
    "stability-raised": change("harmless", "is {after}, no longer {before}", draft, fresh),
    "stability-invalid": change(
      ...(["breaking", "has an unknown stability: {after}", fresh, solid] as const),
    ),
  });
};

/** What the removal of something means that may have been deprecated. */
export const removal = <const Key extends string>(
  key: Key,
  noun: string,
  level: Level,
  toPair: (more: JsonObject) => Pair,
) =>
  prefix<Key, "removed" | "removed-after-deprecation" | "removed-before-sunset", OperationChange>(
    key,
    {
      removed: { level, words: `${noun} was removed`, example: toPair(fresh) },
      "removed-after-deprecation": {
        level: "harmless",
        words: `the deprecated ${noun.replace("the ", "")} was removed`,
        example: toPair(past),
      },
      "removed-before-sunset": {
        level: "breaking",
        words: `${noun} was removed before its sunset, {before}`,
        example: toPair(future),
      },
    },
  );

export const define = <const Changes extends Readonly<Record<string, OperationChange>>>(
  changes: Changes,
): Readonly<Record<keyof Changes, OperationChange>> => changes;
