import { describe, expect, test } from "vitest";
import { z } from "zod";
import { ez } from "./ez.ts";
import { toWireSchema } from "./wire-schema.ts";

const date = new Date(0);
const user = z.object({ name: z.string(), bornOn: ez.dateIn() });

interface Comment {
  readonly at: Date;
  readonly answers: readonly Comment[];
}
const comment: z.ZodType<Comment> = z.object({
  at: z.date(),
  get answers() {
    return z.array(comment);
  },
});

/** Schemas with a value that they take, and JSON that is not one of theirs. */
const cases: readonly [what: string, schema: z.ZodType, value: unknown, other: unknown][] = [
  ["anything that is left out", z.object({ a: z.unknown() }), { a: undefined }, 1],
  ["an element without a value", z.array(z.string().optional()), ["a", undefined], [1]],
  ["a part without a value", z.tuple([z.int(), z.int().optional()]), [1, undefined], ["a"]],
  ["a plain object", z.object({ id: z.int() }), { id: 1 }, { id: "1" }],
  ["a strict object", z.strictObject({ id: z.int() }), { id: 1 }, { id: 1, salary: 2 }],
  ["a date", z.object({ at: z.date() }), { at: date }, { at: 1 }],
  ["a date of the output", z.object({ at: ez.dateOut() }), { at: date }, { at: "yesterday" }],
  ["a date of the input", z.object({ at: ez.dateIn() }), { at: "2026-11-20" }, { at: 1 }],
  ["an encoded object", ez.encode(user), { name: "Ada", bornOn: date }, { name: "Ada" }],
  ["a transformation", z.object({ a: z.string().transform(Number) }), { a: "4" }, 4],
  [
    "a described transformation",
    z
      .string()
      .transform((text) => text.length)
      .meta({ output: z.number() }),
    "four",
    "four",
  ],
  ["a pipe", z.string().transform(Number).pipe(z.int()), "4", "4"],
  ["a stringbool", z.stringbool(), "yes", "yes"],
  ["a coerced string", z.coerce.string(), 5, 5],
  ["a trimmed string", z.string().min(3).trim().max(5), " a ", "longer"],
  ["a class", z.strictObject({ url: z.instanceof(URL) }), { url: new URL("http://a") }, { a: 1 }],
  ["a missing date", z.object({ at: z.date().optional() }), {}, { at: 1 }],
  ["nothing", z.object({ at: z.undefined(), id: z.int() }), { at: undefined, id: 1 }, {}],
  ["a default", z.strictObject({ at: z.date().default(date) }), {}, { at: 1 }],
  ["a prefault", z.object({ at: ez.dateIn().prefault("2026-11-20") }), {}, {}],
  ["dates in a list", z.array(z.date()).max(1), [date], ["1", "2"]],
  ["dates in a tuple", z.tuple([z.date()], z.int()), [date, 1], [1]],
  ["dates in a record", z.record(z.string(), z.date()), { a: date }, { a: 1 }],
  ["dates in a union", z.union([z.date(), z.int()]), date, true],
  [
    "dates in a discriminated union",
    z.discriminatedUnion("kind", [
      z.object({ kind: z.literal("a"), at: z.date() }),
      z.object({ kind: z.literal("b") }),
    ]),
    { kind: "a", at: date },
    { kind: "c" },
  ],
  [
    "dates in an intersection",
    z.intersection(z.object({ at: z.date() }), z.object({ id: z.int() })),
    { at: date, id: 1 },
    { at: "" },
  ],
  ["recursive dates", comment, { at: date, answers: [{ at: date, answers: [] }] }, { at: "" }],
  [
    "a function that compares dates",
    z.object({ from: z.date(), to: z.date() }).refine(({ from, to }) => from.getTime() <= +to),
    { from: date, to: date },
    { from: "" },
  ],
];

describe("a schema of what is on the wire", () => {
  test.each(cases)(
    "takes what JSON shows of %s, and nothing else",
    (_what, schema, value, other) => {
      const wire = toWireSchema(schema);
      const shown: unknown = JSON.parse(JSON.stringify(schema.parse(value)));
      expect(JSON.parse(JSON.stringify(z.parse(wire, shown)))).toEqual(shown);
      expect(z.safeParse(wire, other).success).toBe(false);
    },
  );

  test("is the schema itself, with its functions, if JSON shows all as it is", () => {
    const schema = z.object({ id: z.int().refine((id) => id > 3) });
    expect(toWireSchema(schema)).toBe(schema);
    const trimmed = toWireSchema(
      z
        .string()
        .trim()
        .refine((text) => text !== "a"),
    );
    expect(z.safeParse(trimmed, "a").success).toBe(false);
  });

  test("leaves out what an object does not declare", () => {
    const schema = z.object({ at: z.date() });
    expect(z.parse(toWireSchema(schema), { at: "1970", salary: 1 })).toEqual({ at: "1970" });
  });

  test("runs no function of a default, unless it is needed", () => {
    const getDate = (): Date => {
      throw new Error("It was called");
    };
    const schema = z.object({ at: z.date().default(getDate) });
    expect(z.parse(toWireSchema(schema), { at: "1970" })).toEqual({ at: "1970" });
  });
});
