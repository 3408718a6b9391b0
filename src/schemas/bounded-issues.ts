import { canExchangeRuns, ExchangedRun, type OwnRun, type Run } from "./zod-internals.ts";
import { IssueCounter } from "./issue-counter.ts";
import { findLazyRun } from "./lazy-errors.ts";
import { findLists, type Lists } from "./lists.ts";
import type { ZodSchema } from "./schema.ts";

/** A function that parses with a schema or its compiled form. */
export type RunParse = (schema: ZodSchema, ...args: Parameters<Run>) => ReturnType<Run>;

/** Parses as Zod does. */
export const runPlainly: RunParse = (schema, payload, context) => schema._zod.run(payload, context);

/**
 * Makes Zod skip the remaining elements of an array, set, map or record once it has found as many wrong elements as
 * errors report.
 *
 * Zod creates an issue for each wrong element, so an array of 500,000 wrong elements, which fits into a body of 1 MB,
 * would block the process for over a second. For the synchronous part of a parse, the `run` methods of lists and
 * elements are replaced by ones that count. A list with ten wrong elements fails in any case, so a union, a `.catch()`
 * or a transformation around the list behaves as it would with all issues.
 *
 * @returns {@link runPlainly} if the schema has no lists or its parsing methods cannot be replaced
 */
export const boundIssues = (schema: ZodSchema): RunParse => {
  const lists = findLists(schema);
  if (!lists?.all.every(canExchangeRuns)) return runPlainly;
  const counter = new IssueCounter(lists);
  const exchanges = listExchanges(lists, counter);
  let isRunning = false;
  return (target, payload, context) => {
    // a function of the application may parse with the same schema
    if (isRunning) return target._zod.run(payload, context);
    isRunning = true;
    counter.begin();
    for (const exchange of exchanges) exchange.begin();
    try {
      return target._zod.run(payload, context);
    } finally {
      for (const exchange of exchanges) exchange.end();
      isRunning = false;
    }
  };
};

type Wrap = (own: OwnRun) => Run;

const listExchanges = (found: Lists, counter: IssueCounter): ExchangedRun[] =>
  found.all.flatMap((schema) => {
    const around: Wrap[] = found.parts.has(schema) ? [(own) => counter.toPartRun(own, schema)] : [];
    const within: Wrap[] = [];
    const lazyRun = findLazyRun(schema, found.repeated.has(schema));
    const list = found.lists.get(schema);
    if (lazyRun) within.push(() => lazyRun);
    if (list) within.push((own) => counter.toListRun(own, list));
    // Zod's `run` calls `parse` and then the checks; without checks, `run` and `parse` are the same function
    return hasChecks(schema)
      ? [...exchange(schema, "parse", within), ...exchange(schema, "run", around)]
      : exchange(schema, "run", [...within, ...around]);
  });

const exchange = (
  schema: ZodSchema,
  name: "run" | "parse",
  wraps: readonly Wrap[],
): ExchangedRun[] => {
  if (wraps.length === 0) return [];
  const wrapAll: Wrap = (own) => {
    let wrapped = own;
    for (const wrap of wraps) wrapped = { run: wrap(wrapped) };
    return wrapped.run;
  };
  return [new ExchangedRun(schema, name, wrapAll)];
};

const hasChecks = (schema: ZodSchema): boolean => (schema._zod.def.checks?.length ?? 0) > 0;
