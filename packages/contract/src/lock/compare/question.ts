import {
  accepts,
  findWitness,
  isWithin,
  toOriginal,
  toView,
  typesOf,
  type Json,
  type Schema,
} from "@sallyport/document";
import type { Level } from "../rules/rule.ts";
import type { Area } from "../rules/schema-change.ts";
import { lifecycleChanges } from "../rules/lifecycle-changes.ts";
import { schemaChanges, type SchemaChangeName } from "../rules/schema-changes.ts";
import { toLevel } from "../rules/rules.ts";

/** What is decided of a change, beyond its rule. */
export interface Answer {
  readonly level?: Level | undefined;
  readonly witness?: Json | undefined;
}

/** So many witnesses are looked for in a message: each takes time, and the first ones tell enough. */
const patience = 20;

/** Changes of what is announced, which say nothing about the values that are accepted. */
const announcements: ReadonlySet<string> = new Set([
  ...Object.keys(lifecycleChanges),
  ...["known-value-added", "known-value-removed", "property-removed-before-sunset"],
]);

type Pair = readonly [before: Schema, after: Schema];

/** The witnesses that were looked for so far, by what was asked: the same schemas meet in many messages. */
export type Witnesses = Map<string, Json | undefined>;

/**
 * The question behind all rules of schemas: whether all values that may be sent are still accepted. Those of requests may
 * be sent that the earlier schema accepts, those of responses that the later one accepts.
 */
export class Question {
  readonly isRequest: boolean;
  readonly #area: Area;
  readonly #isText: boolean;
  readonly #classOf: (schema: Schema) => string;
  readonly #witnesses: Witnesses;
  readonly #proofs = new Map<Schema, Map<Schema, boolean>>();
  #isTold = false;
  #count = 0;

  constructor(
    area: Area,
    isText: boolean,
    classOf: (schema: Schema) => string,
    witnesses: Witnesses,
  ) {
    this.#area = area;
    this.isRequest = area === "parameter" || area === "request";
    this.#isText = isText;
    this.#classOf = classOf;
    this.#witnesses = witnesses;
  }

  readonly #isSame = (one: Schema, other: Schema): boolean =>
    one === other || this.#classOf(toOriginal(one)) === this.#classOf(toOriginal(other));

  /** Whether it is certain that all values are still accepted. */
  readonly prove = (before: Schema, after: Schema): boolean => {
    const known = this.#proofs.get(before) ?? new Map<Schema, boolean>();
    this.#proofs.set(before, known);
    const isProved = known.get(after) ?? isWithin(...this.#order([before, after]), this.#isSame);
    known.set(after, isProved);
    return isProved;
  };

  /** Decides a change of two schemas: it is harmless if that is proved, and a value may show that it is not. */
  judge(change: SchemaChangeName, pair: Pair, isProved: boolean): Answer {
    const { effect } = schemaChanges[change];
    const level = toLevel(schemaChanges[change], this.#area);
    // whether a property is sent at all has rules of its own
    if (/(?:read|write)-only/.test(change) && level !== "harmless") this.#isTold = true;
    if (effect === "none" || announcements.has(change)) return {};
    if (isProved) return level === "breaking" ? { level: "harmless" } : {};
    if (effect !== "different" && (effect === "narrower") !== this.isRequest) return {};
    this.#isTold = true;
    // what responses may say besides is a matter of rules
    return level === "breaking" ? { witness: this.#find(pair) } : {};
  }

  /** Looks for a value that shows a change which no rule has told. */
  findUntold(before: Schema, after: Schema): Json | undefined {
    if (this.#isTold || this.#isSame(before, after) || this.prove(before, after)) return undefined;
    return this.#find([before, after]);
  }

  #find(pair: Pair): Json | undefined {
    if (++this.#count > patience) return undefined;
    const [inner, outer] = this.#order(pair);
    // texts of a form are read as the schema of each field says
    if (this.#isText && [inner, outer].some((one) => typesOf(one)?.includes("object") !== false))
      return undefined;
    const asked = [...pair.map(this.#classOf), this.isRequest, this.#isText].join(" ");
    if (!this.#witnesses.has(asked))
      this.#witnesses.set(
        asked,
        findWitness(inner, outer, this.#isSame, (value) => this.#takes(outer, value)),
      );
    return this.#witnesses.get(asked);
  }

  /** Whether a schema takes a value as it is written. */
  #takes(schema: Schema, value: Json): boolean {
    // a property that is not part of this message is not refused either
    if (accepts(schema, value) || accepts(toOriginal(schema), value)) return true;
    if (!this.#isText) return false;
    const one = Array.isArray(value) && value.length === 1 ? (value[0] as Json) : value;
    if (typeof one === "object") return false;
    return [one, [one], String(one), [String(one)]].some((text) => accepts(schema, text));
  }

  #order([before, after]: Pair): readonly [inner: Schema, outer: Schema] {
    const [inner, outer] = this.isRequest ? [before, after] : [after, before];
    const direction = this.isRequest ? "request" : "response";
    return [toView(inner, direction), toView(outer, direction)];
  }
}
