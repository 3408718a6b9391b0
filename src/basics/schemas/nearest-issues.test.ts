import { expect, test } from "vitest";
import { z } from "zod";
import { formatIssues } from "./issues.ts";

const tell = (schema: z.ZodType, value: unknown): string =>
  formatIssues(schema.safeParse(value).error?.issues ?? []);

const circle = z.object({ kind: z.literal("circle"), radius: z.number() });
const square = z.strictObject({ kind: z.literal("square"), size: z.number().min(1) });
const shape = z.object({ shape: z.union([circle, square]) });
const kinds = z.union([z.string(), z.number(), z.null()]);

test.each<[string, z.ZodType, unknown, string]>([
  [
    "the option with the matching tag",
    shape,
    { shape: { kind: "square", size: 0 } },
    "shape.size: Too small: expected number to be >=1",
  ],
  [
    "all issues of the option with the matching tag",
    shape,
    { shape: { kind: "square", sise: 1 } },
    'shape.size: Invalid input: expected number, received undefined; shape: Unrecognized key: "sise"',
  ],
  [
    "all tags if none matches",
    shape,
    { shape: { kind: "line" } },
    'shape.kind: Invalid option: expected one of "circle"|"square"',
  ],
  [
    "the kinds that would fit",
    kinds,
    true,
    "Invalid input: expected string or number or null, received boolean",
  ],
  [
    "an object rather than another kind",
    z.union([z.string(), z.object({ id: z.string() })]),
    { id: 1 },
    "id: Invalid input: expected string, received number",
  ],
  ["formats", z.union([z.email(), z.url()]), "x", "Invalid email address, or Invalid URL"],
  [
    "unions within unions",
    z.object({ a: z.union([z.number(), shape]) }),
    { a: { shape: { kind: "circle", radius: "1" } } },
    "a.shape.radius: Invalid input: expected number, received string",
  ],
  [
    "elements of arrays",
    z.array(z.union([circle, square])),
    [{ kind: "circle", radius: 1 }, { kind: "circle" }],
    "[1].radius: Invalid input: expected number, received undefined",
  ],
  [
    "the option with fewer issues if nothing else decides",
    z.union([z.object({ a: z.string(), b: z.string() }), z.object({ c: z.string() })]),
    {},
    "c: Invalid input: expected string, received undefined",
  ],
  ["the custom message", z.union([circle, square], "A shape, please"), {}, "A shape, please"],
  [
    "more than one matching option",
    z.xor([z.string(), z.string()]),
    "a",
    "Invalid input: more than one option matched",
  ],
])("the message of a failed union names %s", (_what, schema, value, text) => {
  expect(tell(schema, value)).toBe(text);
});

test("messages follow Zod's locale", () => {
  const { localeError } = z.config();
  z.config(z.locales.de());
  try {
    expect(tell(shape, { shape: { kind: "circle", radius: "1" } })).toMatch(
      /^shape\.radius: Ungültige/,
    );
  } finally {
    z.config({ localeError });
  }
});
