import type { JsonObject } from "@sallyport/document";
import { prefix } from "./prefix.ts";
import type { Level } from "./rule.ts";

/**
 * What a change does to the set of accepted values. A request may accept more, a response may say less, so `narrower`
 * breaks requests, `wider` breaks responses, and `different` breaks both.
 */
type Effect = "narrower" | "wider" | "different" | "none";

/** The places of schemas, with rules of their own: `header` is one of a response. */
export const areas = ["parameter", "request", "response", "header"] as const;
export type Area = (typeof areas)[number];

export interface SchemaChange {
  readonly effect: Effect;
  readonly words: string;
  readonly example: readonly [before: JsonObject, after: JsonObject];
  /** Schemas without this change; by default, those of the example the other way round. */
  readonly counterexample?: readonly [before: JsonObject, after: JsonObject];
  /** Where the change is told; everywhere by default. */
  readonly areas?: readonly Area[];
  /** Where the level does not follow from the effect; that of `request` holds for parameters, that of `response` for headers. */
  readonly levels?: { readonly [Place in Area]?: Level };
}

export const text = (more: JsonObject): JsonObject => ({ type: "string", ...more });
export const number = (more: JsonObject): JsonObject => ({ type: "number", ...more });
export const list = (more: JsonObject): JsonObject => ({ type: "array", ...more });
export const record = (more: JsonObject): JsonObject => ({ type: "object", ...more });
export const withName = (more: JsonObject): JsonObject =>
  record({ properties: { name: text(more) } });

export const limits = <const Key extends string>(
  key: Key,
  noun: string,
  toSchema: (more: JsonObject) => JsonObject,
  direction: "minimum" | "maximum",
) => {
  const isMinimum = direction === "minimum";
  const [up, down] = isMinimum
    ? (["narrower", "wider"] as const)
    : (["wider", "narrower"] as const);
  const at = (value: number): JsonObject => toSchema({ [toKeyword(key)]: value });
  return prefix<Key, "set" | "removed" | "raised" | "lowered", SchemaChange>(key, {
    set: {
      effect: "narrower",
      words: `${noun} was limited to {after}`,
      example: [toSchema({}), at(3)],
    },
    removed: {
      effect: "wider",
      words: `${noun} is no longer limited to {before}`,
      example: [at(3), toSchema({})],
    },
    raised: {
      effect: up,
      words: `${noun} was raised from {before} to {after}`,
      example: [at(3), at(5)],
    },
    lowered: {
      effect: down,
      words: `${noun} was lowered from {before} to {after}`,
      example: [at(5), at(3)],
    },
  });
};

/** Converts `max-length` to `maxLength`. */
const toKeyword = (key: string): string =>
  key.replace(/-([a-z])/g, (_all, letter: string) => letter.toUpperCase());

/** A constraint that is there or not, and may differ. */
export const constraint = <const Key extends string>(
  key: Key,
  noun: string,
  toSchema: (more: JsonObject) => JsonObject,
  example: JsonObject,
) =>
  prefix<Key, "added" | "removed", SchemaChange>(key, {
    added: {
      effect: "narrower",
      words: `${noun} was added`,
      example: [toSchema({}), toSchema(example)],
    },
    removed: {
      effect: "wider",
      words: `${noun} was removed`,
      example: [toSchema(example), toSchema({})],
    },
  });

export const define = <const Changes extends Readonly<Record<string, SchemaChange>>>(
  changes: Changes,
): Readonly<Record<keyof Changes, SchemaChange>> => changes;
