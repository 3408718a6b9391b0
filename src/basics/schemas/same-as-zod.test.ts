import { inspect } from "node:util";
import fc from "fast-check";
import { expect, test } from "vitest";
import { z } from "zod";
import { maxIssues, toZodError } from "./issues.ts";
import { compileAfter, toParser } from "./parser.ts";

const leaves = [
  z.number(),
  z.string(),
  z.boolean(),
  z.string().min(2),
  z.string().trim().min(2, { abort: true }),
  z.number().min(3),
  z.literal([1, "a", true]),
  z.unknown(),
  z.coerce.number(),
  z.number().catch(7),
  z.number().default(1),
  z.string().regex(/^[a-c]/),
  z.strictObject({ a: z.number() }),
  z.object({ a: z.string().min(2), b: z.number().optional() }),
];

/** The values that functions in schemas have seen; they are compared as well. */
let seen: string[] = [];
const see = (value: unknown): unknown => {
  seen.push(inspect(value, { depth: Infinity, maxArrayLength: Infinity }));
  return value;
};

const schemas = fc.letrec<{ schema: z.ZodType; key: z.ZodType<string> }>((tie) => {
  const part = tie("schema");
  const list = fc.oneof(
    part.map((inner) => z.array(inner)),
    part.map((inner) => z.array(inner).max(12).min(1)),
    part.map((inner) => z.set(inner)),
    fc.tuple(tie("key"), part).map(([key, inner]) => z.record(key, inner)),
    fc.tuple(tie("key"), part).map(([key, inner]) => z.looseRecord(key, inner)),
    fc.tuple(tie("key"), part).map(([key, inner]) => z.partialRecord(key, inner)),
    fc.tuple(part, part).map(([key, inner]) => z.map(key, inner)),
    fc.tuple(part, part).map(([first, rest]) => z.tuple([first], rest)),
    part.map((rest) => z.tuple([rest, rest.optional()], rest)),
    fc.tuple(part, part).map(([a, rest]) => z.object({ a }).catchall(rest)),
    part.map((a) => z.object({ a, b: a }).catchall(a)),
    part.map((a) => z.object({ a: a.catch(1), b: z.union([a, z.unknown()]) }).catchall(a)),
    fc
      .tuple(tie("key"), part)
      .map(([key, a]) => z.looseRecord(z.union([key, key]), z.union([key, a]))),
  );
  const wrapped = fc.oneof(
    part.map((inner) => inner.optional()),
    part.map((inner) => inner.nullable()),
    part.map((inner) => inner.readonly()),
    part.map((inner) => inner.catch("caught")),
    part.map((inner) =>
      inner.catch((context: z.core.$ZodCatchCtx) => [context.error.issues, context.input]),
    ),
    part.map((inner) => inner.default("preset")),
    part.map((inner) => inner.prefault(["x", 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1])),
    part.map((inner) => inner.nonoptional()),
    part.map((inner) => z.lazy(() => inner)),
    part.map((inner) => inner.transform(see)),
    part.map((inner) => inner.refine((value) => see(value) !== "x")),
    part.map((inner) => inner.pipe(z.unknown().refine((value) => see(value) === 1))),
    part.map((inner) => z.preprocess((value) => value ?? [1, "x"], inner).optional()),
    fc.tuple(part, part).map(([first, second]) => z.union([first, second])),
    fc.tuple(part, part).map(([first, second]) => z.xor([first, second])),
    part.map((inner) => z.union([inner])),
    fc.tuple(part, part, part).map(([first, ...rest]) => z.union([first, ...rest])),
    fc.tuple(part, part).map(([first, second]) => z.intersection(first, second)),
    fc.tuple(part, part).map(([a, b]) => z.object({ a, b })),
    fc.tuple(part, part).map(([a, b]) => z.strictObject({ a, b: b.optional() })),
    fc
      .tuple(part, part)
      .map(([a, b]) =>
        z.discriminatedUnion("k", [
          z.object({ k: z.literal(1), a }),
          z.object({ k: z.literal("a"), b }),
        ]),
      ),
    part.map((a) => {
      const node = z.object({
        a,
        get b() {
          return z.array(node);
        },
      });
      return node;
    }),
    part.map((inner) => {
      const node: z.ZodType = z.lazy(() => z.union([inner, z.array(node)]));
      return node;
    }),
  );
  return {
    schema: fc.oneof({ depthSize: "medium" }, fc.constantFrom(...leaves), list, wrapped),
    key: fc.constantFrom<z.ZodType<string>[]>(
      z.string(),
      z.string().regex(/^[ab]/),
      z.enum(["a", "b"]),
      z.string().max(1),
      z.number() as unknown as z.ZodType<string>,
      z.union([z.string().regex(/^[abk]/), z.number()]) as unknown as z.ZodType<string>,
    ),
  };
}).schema;

const values = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: "small", maxDepth: 3 },
    fc.constantFrom<unknown[]>(1, 2, 5, "", "a", "abc", "x", true, null, undefined),
    fc.array(tie("value"), { maxLength: 30 }),
    fc.tuple(tie("value"), fc.nat(25)).map(([one, length]) => Array.from({ length }, () => one)),
    fc.dictionary(fc.constantFrom("a", "b", "k", "c1", "7", "8"), tie("value")),
    fc
      .tuple(tie("value"), fc.nat(25), fc.constantFrom("", "k", "a"))
      .map(([one, length, prefix]) =>
        Object.fromEntries(Array.from({ length }, (_, index) => [`${prefix}${index}`, one])),
      ),
    fc.array(tie("value"), { maxLength: 30 }).map((list) => new Set(list)),
    fc.array(fc.tuple(tie("value"), tie("value")), { maxLength: 30 }).map((list) => new Map(list)),
  ),
})).value;

interface Outcome {
  readonly result:
    | { readonly thrown: unknown }
    | { readonly issues: unknown }
    | { readonly value: unknown };
  readonly seen: readonly string[];
}

type Issues = readonly z.core.$ZodIssue[];

const outcomeOf = async (
  act: () => Promise<{ readonly issues: Issues; readonly value: unknown }>,
): Promise<Outcome> => {
  seen = [];
  try {
    const { issues, value } = await act();
    return { result: issues.length > 0 ? { issues: issues.slice(0, maxIssues) } : { value }, seen };
  } catch (error) {
    return { result: { thrown: error instanceof Error ? error.message : error }, seen };
  }
};

const byZod = (schema: z.ZodType, value: unknown): Promise<Outcome> =>
  outcomeOf(async () => {
    const { data, error } = await schema.safeParseAsync(value);
    return { issues: error?.issues ?? [], value: data };
  });

const byUs = (schema: z.ZodType, value: unknown): Promise<Outcome> =>
  outcomeOf(async () => {
    const { issues, value: parsed } = await toParser(schema)(value);
    return { issues: toZodError(issues).issues, value: parsed };
  });

/**
 * Checks whether Zod compiles a schema correctly. Compiled by Zod 4.6.7, a schema accepts a missing intersection of
 * optional parts.
 */
const isCompiledRight = (schema: z.ZodType, value: unknown): boolean => {
  try {
    return z.compile(schema).safeParse(value).success === schema.safeParse(value).success;
  } catch {
    return true;
  }
};

const expectSame = async (schema: z.ZodType, value: unknown): Promise<void> =>
  expect(await byUs(schema, value)).toEqual(await byZod(schema, value));

const lists = fc.array(values, { minLength: 1, maxLength: 3 });

test("any schema gives the same result as with Zod alone: the value or the first issues", async () => {
  await fc.assert(
    fc.asyncProperty(schemas, lists, async (schema, some) => {
      for (let turn = 0; turn <= compileAfter; turn += some.length)
        for (const value of some)
          if (isCompiledRight(schema, value)) await expectSame(schema, value);
    }),
    // it takes thousands of runs to find rare cases
    { numRuns: Number(process.env["FUZZ_RUNS"] ?? 50) },
  );
}, 600_000);
