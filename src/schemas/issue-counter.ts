import type { OwnRun, Run } from "./zod-internals.ts";
import { maxIssues } from "./issues.ts";
import type { ListParts } from "./lists.ts";
import type { ZodSchema } from "./schema.ts";

type Payload = Parameters<Run>[0];
type Context = Parameters<Run>[1];

/**
 * The severities of issues, which decide what still runs for their list: unknown keys stop nothing, a failed check
 * stops a transformation, a wrong type also stops the checks of the list, and an abort stops even checks that ask to
 * run regardless.
 */
const severities = { unknownKeys: 0, check: 1, type: 2, abort: 3 } as const;

type Severity = (typeof severities)[keyof typeof severities];

/** The circumstances that decide how a list with wrong elements is treated. */
export interface Treatment {
  /** Whether the outcome of a wrong list depends on the severity of its issues. */
  readonly weighsIssues: boolean;
  /** Whether functions of the application can see lists with wrong elements. */
  readonly showsWrongLists: boolean;
}

/**
 * Counts the wrong elements of the list being parsed; once there are as many of them as are reported, further elements
 * are not checked. If the severity of issues matters, elements are still parsed until one has a wrong type, and their
 * issues are dropped unless they are more severe than earlier ones.
 */
export class IssueCounter {
  readonly #weighsIssues: boolean;
  readonly #showsWrongLists: boolean;
  #wrong = 0;
  #severity: Severity = severities.unknownKeys;
  /**
   * The list being parsed; undefined while one of its elements is parsed, because values parsed inside an element are
   * not elements of the list.
   */
  #list: ListParts | undefined;
  /** How often the elements' schema will still run for values that are not elements, such as a tuple's first items. */
  #fixed = 0;
  #isKeyWrong = false;
  #severityBeforeKey: Severity = severities.unknownKeys;

  constructor({ weighsIssues, showsWrongLists }: Treatment) {
    this.#weighsIssues = weighsIssues;
    this.#showsWrongLists = showsWrongLists;
  }

  /** Prepares for a parse; nothing is counted until the parse reaches a list. */
  begin(): void {
    this.#list = undefined;
  }

  toListRun(own: OwnRun, list: ListParts): Run {
    return (payload, context) => {
      const wrong = this.#wrong;
      const severity = this.#severity;
      const listAround = this.#list;
      const fixedAround = this.#fixed;
      this.#wrong = 0;
      this.#severity = severities.unknownKeys;
      this.#list = list;
      this.#fixed = list.fixed;
      this.#isKeyWrong = false;
      const result = own.run(payload, context);
      this.#wrong = wrong;
      this.#severity = severity;
      this.#list = listAround;
      this.#fixed = fixedAround;
      return result;
    };
  }

  /** Wraps the parsing of a part of a list: of its elements, its keys, or other values that contain elements. */
  toPartRun(own: OwnRun, schema: ZodSchema): Run {
    return (payload, context) => {
      const list = this.#list;
      if (!list) return own.run(payload, context);
      if (list.element === schema || list.otherElement === schema)
        return this.#runElement(own, payload, context);
      if (list.key === schema) return this.#runKey(own, payload, context);
      return this.#runInside(own, payload, context);
    };
  }

  #runElement(own: OwnRun, payload: Payload, context: Context): ReturnType<Run> {
    const isFixed = this.#fixed > 0;
    if (isFixed) this.#fixed--;
    if (isFixed) return this.#runInside(own, payload, context);
    if (this.#isFull()) return payload;
    // `undefined` is not counted, because it may stand for an optional element
    const mayPass = payload.value === undefined;
    const result = this.#runInside(own, payload, context);
    if (!mayPass && !(result instanceof Promise) && result.issues.length > 0) this.#count(result);
    return result;
  }

  #runKey(own: OwnRun, payload: Payload, context: Context): ReturnType<Run> {
    // if a wrong key looks like a number, Zod immediately tries it as a number
    const isRetry = this.#isKeyWrong && typeof payload.value === "number";
    if (!isRetry && this.#isFull()) return payload;
    const result = this.#runInside(own, payload, context);
    const isWrong = !(result instanceof Promise) && result.issues.length > 0;
    if (isRetry && !isWrong) this.#uncountKey();
    if (!isRetry && isWrong) this.#countKey();
    this.#isKeyWrong = isWrong;
    return result;
  }

  /** Checks whether further elements can no longer change the outcome. */
  #isFull(): boolean {
    if (this.#wrong < maxIssues || this.#showsWrongLists) return false;
    return !this.#weighsIssues || this.#severity >= severities.type;
  }

  #runInside(own: OwnRun, payload: Payload, context: Context): ReturnType<Run> {
    const list = this.#list;
    this.#list = undefined;
    const result = own.run(payload, context);
    this.#list = list;
    return result;
  }

  /** Counts a wrong key. The record turns it into an issue of its own, which is as severe as a wrong type. */
  #countKey(): void {
    this.#wrong++;
    this.#severityBeforeKey = this.#severity;
    if (this.#severity < severities.type) this.#severity = severities.type;
  }

  #uncountKey(): void {
    this.#wrong--;
    this.#severity = this.#severityBeforeKey;
  }

  #count(result: Payload): void {
    const severity = toSeverity(result);
    if (this.#wrong >= maxIssues && severity <= this.#severity) result.issues = [];
    else this.#wrong++;
    if (severity > this.#severity) this.#severity = severity;
  }
}

const toSeverity = ({ issues }: Payload): Severity => {
  let worst: Severity = severities.unknownKeys;
  for (const issue of issues) {
    if (issue.continue === false) return severities.abort;
    if (issue.continue !== true) worst = severities.type;
    else if (worst === severities.unknownKeys && issue.code !== "unrecognized_keys")
      worst = severities.check;
  }
  return worst;
};
