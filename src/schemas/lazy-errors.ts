import { z } from "zod";
import {
  findIssueUtilities,
  finishIssue,
  isBackward,
  passOnMemo,
  type Run,
} from "./zod-internals.ts";
import type { ZodSchema } from "./schema.ts";

type Payload = Parameters<Run>[0];
type Context = Parameters<Run>[1];

/** The maximum number of nested issues that are finished for one issue, because nested unions could have any number. */
const maxNestedIssues = 1000;

/**
 * Returns a `run` method that creates the messages of hidden issues only when they are read.
 *
 * Zod creates a message for each issue of a union's failed options, and for each issue of a value that a `.catch()`
 * replaces. For an array of 300,000 such elements, that takes over a second.
 *
 * @param isRepeated whether the schema is part of a list's elements
 * @returns undefined if Zod's own `run` is fast enough
 */
export const findLazyRun = (schema: ZodSchema, isRepeated: boolean): Run | undefined => {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  const mayFinishLater = isRepeated && findIssueUtilities() !== undefined;
  if (def.type === "catch")
    return mayFinishLater ? toLazyCatch(schema as z.core.$ZodCatch) : undefined;
  if (def.type !== "union" || "discriminator" in def || def.inclusive === false) return undefined;
  const [only] = def.options;
  // Zod would call the `run` that the option had when the union was created
  if (only && def.options.length === 1) return (...args) => only._zod.run(...args);
  return mayFinishLater ? toLazyUnion(schema as z.core.$ZodUnion) : undefined;
};

const toLazyUnion = (schema: z.core.$ZodUnion): Run => {
  const { options } = schema._zod.def;
  return (payload, context) => {
    const results: ReturnType<Run>[] = [];
    let isAsync = false;
    for (const option of options) {
      const result = option._zod.run({ value: payload.value, issues: [] }, context);
      if (result instanceof Promise) isAsync = true;
      else if (result.issues.length === 0) return result;
      results.push(result);
    }
    return isAsync
      ? Promise.all(results.map(async (result) => result)).then((late) =>
          settleUnion(schema, late, payload, context),
        )
      : settleUnion(schema, results as Payload[], payload, context);
  };
};

const settleUnion = (
  inst: ZodSchema,
  results: readonly Payload[],
  payload: Payload,
  context: Context,
): Payload => {
  const right = results.find(({ issues }) => issues.length === 0);
  if (right) {
    payload.value = right.value;
    return payload;
  }
  // if the type of only one option fits, that option counts even if its checks fail
  const fitting = results.filter((result) => findIssueUtilities()?.aborted(result) === false);
  if (fitting[0] && fitting.length === 1) {
    payload.value = fitting[0].value;
    return fitting[0];
  }
  payload.issues.push(new UnionIssue(inst, results, payload.value, context));
  return payload;
};

/** The issue that a union reports if no option fits. */
class UnionIssue {
  /**
   * The descriptor of `errors`, which must be an own property because Zod copies only own properties. The getter is
   * shared, because a getter per issue would put the issues into V8's dictionary mode, which is ten times slower.
   */
  static readonly #errorsProperty: PropertyDescriptor & ThisType<UnionIssue> = {
    configurable: true,
    enumerable: true,
    get() {
      return (this.#errors ??= finishAll(this.#results, this.#context));
    },
  };

  readonly code = "invalid_union";
  readonly input: unknown;
  readonly inst: ZodSchema;
  declare readonly errors: z.core.$ZodIssue[][];
  [other: string]: unknown;
  readonly #results: readonly Payload[];
  readonly #context: Context;
  #errors: z.core.$ZodIssue[][] | undefined;

  constructor(inst: ZodSchema, results: readonly Payload[], input: unknown, context: Context) {
    this.input = input;
    this.inst = inst;
    this.#results = results;
    this.#context = context;
    Object.defineProperty(this, "errors", UnionIssue.#errorsProperty);
  }
}

const toLazyCatch = (schema: z.core.$ZodCatch): Run => {
  const { def } = schema._zod;
  return (payload, context) => {
    if (isBackward(context)) return def.innerType._zod.run(payload, context);
    const result = def.innerType._zod.run({ value: payload.value, issues: [] }, context);
    return result instanceof Promise
      ? result.then((late) => settleCatch(def, late, payload, context))
      : settleCatch(def, result, payload, context);
  };
};

const settleCatch = (
  def: z.core.$ZodCatchDef,
  result: Payload,
  payload: Payload,
  context: Context,
): Payload => {
  if (result.issues.length === 0) {
    payload.value = result.value;
    passOnMemo(result, payload);
    return payload;
  }
  payload.value = def.catchValue(new Caught(result, payload.value, context));
  return payload;
};

/**
 * The argument of a `.catch()` function. This is a class because a getter on each object would slow down garbage
 * collection.
 */
class Caught {
  readonly value: unknown;
  readonly input: unknown;
  readonly issues: Payload["issues"];
  readonly #result: Payload;
  readonly #context: Context;
  #error: { issues: z.core.$ZodIssue[] } | undefined;

  constructor(result: Payload, value: unknown, context: Context) {
    this.value = value;
    this.input = value;
    this.issues = result.issues;
    this.#result = result;
    this.#context = context;
  }

  get error(): { issues: z.core.$ZodIssue[] } {
    return (this.#error ??= { issues: finishAll([this.#result], this.#context).flat() });
  }
}

let room = 0;
let depth = 0;

/**
 * Finishes the issues of each result, as Zod does for an error that it throws. The issues of nested unions count
 * towards the same limit.
 */
const finishAll = (results: readonly Payload[], context: Context): z.core.$ZodIssue[][] => {
  if (depth === 0) room = maxNestedIssues;
  depth++;
  try {
    return results.map(({ issues }) => {
      const some = issues.slice(0, Math.max(0, room));
      room -= some.length;
      return some.map((issue) => finishIssue(issue, context));
    });
  } finally {
    depth--;
  }
};
