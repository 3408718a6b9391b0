import type { Change } from "./change.ts";
import { compareSchemas } from "./compare-schemas.ts";
import { Question, type Answer, type Witnesses } from "./question.ts";
import { toBump, type Level } from "../rules/rule.ts";
import { rules, type RuleId } from "../rules/rules.ts";
import type { Area } from "../rules/schema-change.ts";
import { turnedLevels } from "../rules/turned-levels.ts";
import type { Details, SchemaPlace } from "./schema-place.ts";
import type { Schema } from "@sallyport/document";

interface Comparison {
  readonly operation: string;
  readonly today: string;
  /** Whether nothing here breaks clients, since nothing was promised. */
  readonly isMuted: boolean;
  readonly classOf: (schema: Schema) => string;
  readonly witnesses: Witnesses;
  /** The changes so far, each by what it says: variants of a union may lead to the same place. */
  readonly changes: Map<string, Change>;
}

/** A place in an operation, where changes are told. */
export class OperationPlace {
  readonly #comparison: Comparison;
  readonly #at: string;
  /** Whether the server sends the requests. */
  readonly isTurned: boolean;

  constructor(comparison: Comparison, at = "", isTurned = false) {
    this.#comparison = comparison;
    this.#at = at;
    this.isTurned = isTurned;
  }

  get today(): string {
    return this.#comparison.today;
  }

  get isMuted(): boolean {
    return this.#comparison.isMuted;
  }

  /** Returns the same place, where requests are what the server sends. */
  turn(): OperationPlace {
    return new OperationPlace(this.#comparison, this.#at, !this.isTurned);
  }

  enter(step: string): OperationPlace {
    return new OperationPlace(this.#comparison, `${this.#at} ${step}`, this.isTurned);
  }

  /** @param own the level here, if it is not that of the rule */
  tell(rule: RuleId, details: Details = {}, own?: Level): void {
    const level = own ?? (this.isTurned ? turnedLevels[rule] : undefined);
    this.#add(rule, details, this.#at, this.isMuted, { level });
  }

  /** Compares the schemas of this place. */
  compare(
    before: Schema,
    after: Schema,
    given: Area,
    { isText }: { readonly isText: boolean },
  ): void {
    const { today, classOf, witnesses } = this.#comparison;
    const area = this.isTurned ? turned[given] : given;
    const question = new Question(area, isText, classOf, witnesses);
    const place: SchemaPlace = {
      area,
      ...{ isProved: false, isPart: false, pair: [before, after] },
      prove: question.prove,
      ...{
        at: "",
        isText,
        isMuted: this.isMuted,
        today,
        classOf,
        seen: new Set(),
        visits: new Map(),
      },
      compare: compareSchemas,
      report: ({ at, isMuted, isProved, pair }, change, details) => {
        const answer = question.judge(change, pair, isProved);
        this.#add(
          `${area}-schema-${change}`,
          details,
          `${this.#at}${at && ` ${at}`}`,
          isMuted,
          answer,
        );
      },
    };
    compareSchemas(before, after, place);
    const witness = question.findUntold(before, after);
    if (witness !== undefined)
      place.report(
        { ...place, isProved: false },
        question.isRequest ? "values-refused" : "values-added",
        { after: witness },
      );
  }

  #add(
    id: RuleId,
    details: Details,
    at: string,
    isMuted: boolean,
    { level: decided, witness }: Answer = {},
  ): void {
    const { operation, changes } = this.#comparison;
    const rule = rules.get(id);
    if (!rule) throw new TypeError(`There is no rule ${id}.`);
    const path = `${operation}${at}`;
    // whom an API lets in matters, whatever it promises
    const isHarmless = isMuted && rule.level !== "access";
    const level = isHarmless ? "harmless" : (decided ?? rule.level);
    const change: Change = {
      rule: id,
      level,
      bump: isHarmless ? "patch" : level === rule.level ? rule.bump : toBump(level, true),
      operation,
      path,
      text: fill(rule.words, details),
      ...(witness !== undefined && level === "breaking" && { witness }),
    };
    changes.set(JSON.stringify([id, path, change.text, isMuted]), change);
  }
}

const turned: Readonly<Record<Area, Area>> = {
  parameter: "header",
  request: "response",
  response: "request",
  header: "parameter",
};

const fill = (words: string, details: Details): string =>
  words
    .replaceAll(/\{(before|after|name)\}/g, (_all, key: keyof Details) => toText(details[key]))
    .trim();

const toText = (value: Details[keyof Details]): string =>
  value === undefined
    ? ""
    : Array.isArray(value)
      ? value.map((one) => JSON.stringify(one)).join(", ")
      : typeof value === "string"
        ? value
        : JSON.stringify(value);
