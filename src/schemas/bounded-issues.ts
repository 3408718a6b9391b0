import { maxIssues } from "./issues.ts";
import type { Parser, ParseResult } from "./parse-result.ts";
import { isSchema, type ZodSchema } from "./schema.ts";
import { listInnerSchemas, someSchema } from "./some-schema.ts";

type Run = (...args: Parameters<ZodSchema["_zod"]["run"]>) => ReturnType<ZodSchema["_zod"]["run"]>;

/** What is exchanged of a schema: a property, which Zod calls as a function. */
interface Runnable {
  run: Run;
}

/** Where definitions keep the schema of which a value may have any number of elements. */
const elementNames = ["element", "valueType", "keyType", "rest", "catchall"] as const;

type Definition = { readonly type: string } & {
  readonly [name in (typeof elementNames)[number]]?: unknown;
};

/** Kinds that fail where a schema inside them fails. Others, such as a union, may still succeed. */
const failingKinds: ReadonlySet<string> = new Set([
  "array",
  "default",
  "intersection",
  "lazy",
  "map",
  "nonoptional",
  "nullable",
  "object",
  "optional",
  "pipe",
  "prefault",
  "readonly",
  "record",
  "set",
  "tuple",
]);

/**
 * Makes Zod skip the elements of lists, sets, maps and records once it has found as many wrong ones as are reported.
 *
 * Zod makes an issue for each wrong element, so a list of 500,000 of them, a body of 1 MB, would hold the
 * process for over a second. For the synchronous part of a parse, the elements' own `run` is exchanged for one that counts;
 * elements inside of unions and the like are left alone, because there a wrong element need not fail the parse.
 *
 * @returns the parser itself for a schema without such elements
 */
export const boundIssues = (schema: ZodSchema, parse: Parser): Parser => {
  const elements = listElements(schema);
  if (elements.length === 0) return parse;
  let wrong = 0;
  const exchanges = elements.map((internals) => {
    let { run } = internals;
    const countingRun: Run = (payload, context) => {
      if (wrong >= maxIssues) return payload;
      const result = run(payload, context);
      if (!(result instanceof Promise) && result.issues.length > 0) wrong++;
      return result;
    };
    return {
      begin: (): void => {
        ({ run } = internals);
        internals.run = countingRun;
      },
      end: (): void => {
        internals.run = run;
      },
    };
  });
  let isRunning = false;
  const parseBounded = (value: unknown): ReturnType<Parser> => {
    isRunning = true;
    wrong = 0;
    for (const { begin } of exchanges) begin();
    try {
      return parse(value);
    } finally {
      for (const { end } of exchanges) end();
      isRunning = false;
    }
  };
  return (value) => {
    // a function of the application may parse by the same schema
    if (isRunning) return parse(value);
    const result = parseBounded(value);
    if (wrong < maxIssues) return result;
    // nothing that was skipped ever passes, should a kind of schema pardon what is inside it after all
    const check = (late: ParseResult): ReturnType<Parser> =>
      late.issues.length > 0 ? late : parse(value);
    return result instanceof Promise ? result.then(check) : check(result);
  };
};

const listElements = (root: ZodSchema): Runnable[] => {
  const elements = new Set<ZodSchema>();
  const spared = new Set<unknown>();
  const seen = new Set<ZodSchema>();
  // one side of an intersection may pardon the keys that the other refuses
  const names = someSchema(root, (schema) => schema._zod.def.type === "intersection")
    ? elementNames.filter((name) => name !== "keyType")
    : elementNames;
  const visit = (schema: ZodSchema): void => {
    if (seen.has(schema)) return;
    seen.add(schema);
    const def = schema._zod.def as Definition;
    const inner = listInnerSchemas(schema);
    if (!failingKinds.has(def.type)) {
      // adds all that is inside to what is spared
      for (const one of inner) someSchema(one, () => false, spared);
      return;
    }
    for (const name of names) if (isSchema(def[name])) elements.add(def[name]);
    for (const one of inner) visit(one);
  };
  visit(root);
  return [...elements].filter((schema) => !spared.has(schema)).map((schema) => schema._zod);
};
