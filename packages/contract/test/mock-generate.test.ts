import fc from "fast-check";
import { ez } from "sallyport";
import { afterAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { createFiles } from "../src/mock/generate-content.ts";
import { generate, type Generation } from "../src/mock/generate.ts";

const files = createFiles();
afterAll(files.remove);

const withSeed = (seed: string): Generation => ({
  ...{ seed, files },
  kept: new Map(),
});

const seeds = Array.from({ length: 10 }, (_, seed) => String(seed));

interface Tree {
  readonly name: string;
  readonly children: Tree[];
}
const tree: z.ZodType<Tree> = z.object({
  name: z.string(),
  get children() {
    return z.array(tree).min(0);
  },
});
const expression: z.ZodType = z.lazy(() =>
  z.union([z.object({ left: expression, right: expression }), z.number()]),
);

const schemas: Readonly<Record<string, z.ZodType>> = {
  string: z.string(),
  "string with a length": z.string().length(7),
  "long string": z.string().min(60).max(61),
  "short string": z.string().min(1).max(2),
  "trimmed string": z.string().trim().min(3).max(12),
  "string in upper case": z.string().uppercase(),
  pattern: z.string().regex(/^97[89]\d{10}$/),
  "pattern without case": z.string().regex(/^[a-f]{3}$/i),
  "pattern and length": z.string().regex(/^\w+$/).min(5).max(8),
  email: z.email(),
  url: z.url(),
  "https url": z.url({ protocol: /^https$/ }),
  uuid: z.uuid(),
  "uuid v7": z.uuidv7(),
  guid: z.guid(),
  nanoid: z.nanoid(),
  cuid2: z.cuid2(),
  ulid: z.ulid(),
  ipv4: z.ipv4(),
  ipv6: z.ipv6(),
  cidrv4: z.cidrv4(),
  cidrv6: z.cidrv6(),
  mac: z.mac(),
  base64: z.base64(),
  base64url: z.base64url(),
  e164: z.e164(),
  emoji: z.emoji(),
  jwt: z.jwt(),
  hostname: z.hostname(),
  hex: z.hex(),
  hash: z.hash("sha256"),
  date: z.iso.date(),
  time: z.iso.time(),
  "date-time": z.iso.datetime(),
  "local date-time": z.iso.datetime({ local: true, precision: -1 }),
  duration: z.iso.duration(),
  "template literal": z.templateLiteral(["v", z.int().min(1), "-", z.enum(["a", "b"])]),
  number: z.number(),
  int: z.int(),
  int32: z.int32(),
  float32: z.float32(),
  "number in a range": z.number().gt(0).lt(1),
  "negative number": z.number().max(-5),
  "large number": z.int().min(1_000_000),
  "multiple of 0.05": z.number().multipleOf(0.05).min(0.1),
  "multiples of 4 and 6": z.int().multipleOf(4).multipleOf(6),
  boolean: z.boolean(),
  null: z.null(),
  any: z.any(),
  unknown: z.unknown(),
  enum: z.enum(["a", "b"]),
  "enum with names": z.enum({ Red: "red", Blue: "blue" }),
  literal: z.literal(["x", 1, null]),
  array: z.array(z.string()).min(4).max(5),
  "empty array": z.array(z.never()).max(0),
  tuple: z.tuple([z.string(), z.int()], z.boolean()),
  object: z.object({ name: z.string(), age: z.int().optional() }),
  "strict object": z.strictObject({ name: z.string() }),
  "object with a catchall": z.object({ name: z.string() }).catchall(z.int()),
  record: z.record(z.string(), z.int()),
  "record of an enum": z.record(z.enum(["a", "b"]), z.int()),
  "partial record": z.partialRecord(z.enum(["a", "b"]), z.int()),
  union: z.union([z.string(), z.object({ a: z.int() })]),
  "union with never": z.union([z.never(), z.literal("only")]),
  "discriminated union": z.discriminatedUnion("kind", [
    z.object({ kind: z.literal("a"), a: z.int() }),
    z.object({ kind: z.literal("b"), b: z.string() }),
  ]),
  intersection: z.object({ a: z.string() }).and(z.object({ b: z.int() })),
  "wrapped string": z.string().optional().nullable().default("x").readonly(),
  prefault: z.string().prefault("x"),
  catch: z.int().catch(1),
  nonoptional: z.string().optional().nonoptional(),
  preprocess: z.preprocess((value) => value, z.int()),
  stringbool: z.stringbool(),
  coerced: z.coerce.number().min(2),
  "recursive object": tree,
  "recursive union": expression,
  json: z.json(),
  refined: z.int().refine((value) => value % 2 === 0),
  "refined object": z.object({ min: z.int(), max: z.int() }).refine(({ min, max }) => min <= max),
  dateIn: ez.dateIn(),
  dateOut: ez.dateOut(),
  encoded: ez.encode(z.object({ at: ez.dateIn(), name: z.string().min(3) })),
  "sent buffer": ez.buffer("image/png"),
  "sent file": ez.file("text/csv"),
  "sent stream": ez.stream("text/csv"),
};

describe("a generated value", () => {
  test.for(Object.entries(schemas))("fits a schema: %s", ([, schema]) => {
    for (const seed of seeds) {
      const value = generate(schema, withSeed(seed));
      expect(z.safeParse(schema, value).error?.issues).toBeUndefined();
    }
  });

  test("is the same for the same seed, and differs between seeds", () => {
    const schema = z.array(z.object({ id: z.uuid(), name: z.string(), price: z.number() }));
    const values = seeds.map((seed) => JSON.stringify(generate(schema, withSeed(seed))));
    expect(new Set(values).size).toBe(seeds.length);
    expect(seeds.map((seed) => JSON.stringify(generate(schema, withSeed(seed))))).toEqual(values);
  });

  test("is the first example; in lists, the examples take turns", () => {
    const name = z.string().meta({ examples: ["Ada", "Grace"] });
    expect(generate(name, withSeed("1"))).toBe("Ada");
    const names = generate(z.array(name).length(20), withSeed("1")) as string[];
    expect(new Set(names)).toEqual(new Set(["Ada", "Grace"]));
  });

  test("takes no example that the schema rejects", () => {
    const schema = z.object({ name: z.string().meta({ examples: [1 as never, "Ada"] }) });
    expect(generate(schema, withSeed("1"))).toEqual({ name: "Ada" });
  });

  test("may be an example in the form that clients receive", () => {
    const schema = ez.dateOut({ examples: ["2026-11-20T10:30:00.000Z"] });
    expect(generate(schema, withSeed("1"))).toEqual(new Date("2026-11-20T10:30:00.000Z"));
  });

  test("has the known values that its fields accept", () => {
    const schema = z.object({ id: z.uuid(), name: z.string(), age: z.int() });
    const id = "0b5e1a36-7c1e-4a8e-9a60-3a6f2f1f4f10";
    const known = { id, age: "old", other: 1 };
    expect(generate(schema, { ...withSeed("1"), known })).toEqual({
      id,
      name: expect.any(String),
      age: expect.any(Number),
    });
  });

  const unknowns: readonly (readonly [string, z.ZodType])[] = [
    ["z.custom()", z.custom<`${number}px`>((value) => /^\d+px$/.test(String(value)))],
    ["a refinement", z.string().refine((value) => value === "secret")],
  ];
  test.for(unknowns)("is not invented for %s", ([, schema]) => {
    const whole = z.object({ items: z.array(z.object({ code: schema })).min(1) });
    expect(() => generate(whole, withSeed("1"))).toThrow(
      expect.objectContaining({
        path: ".items.0.code",
        message: "it has a .refine()",
      }) as Error,
    );
  });
});

test("no value is invented for a schema that accepts none", () => {
  for (const schema of [z.never(), z.lazy((): z.ZodType => z.tuple([z.never()]))])
    expect(() => generate(z.array(schema).min(1), withSeed("1"))).toThrow("no value that fits it");
});

const leaf: fc.Arbitrary<z.ZodType> = fc.oneof(
  fc.tuple(fc.nat(20), fc.nat(20)).map(([min, more]) =>
    z
      .string()
      .min(min)
      .max(min + more),
  ),
  fc.stringMatching(/^[a-z]{1,4}$/).map((start) => z.string().startsWith(start)),
  fc.tuple(fc.integer(), fc.nat(1000)).map(([min, more]) =>
    z
      .int()
      .min(min)
      .max(min + more),
  ),
  fc
    .tuple(
      fc.double({ noNaN: true, min: -1e6, max: 1e6 }),
      fc.double({ noNaN: true, min: 0.01, max: 9 }),
    )
    .map(([min, more]) =>
      z
        .number()
        .min(min)
        .lt(min + more),
    ),
  fc.integer({ min: 1, max: 500 }).map((step) => z.int().multipleOf(step)),
  fc.uniqueArray(fc.string(), { minLength: 1 }).map((values) => z.literal(values)),
  fc.constantFrom(z.email(), z.uuid(), z.iso.datetime(), z.boolean(), z.null(), ez.dateOut()),
);

const { schema: anySchema } = fc.letrec<{ schema: z.ZodType }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 4, depthSize: "small" },
    leaf,
    tie("schema").map((inner) => inner.optional()),
    tie("schema").map((inner) => inner.nullable()),
    fc.tuple(tie("schema"), fc.nat(3), fc.nat(3)).map(([item, min, more]) =>
      z
        .array(item)
        .min(min)
        .max(min + more),
    ),
    fc.dictionary(fc.string(), tie("schema"), { maxKeys: 4 }).map((shape) => z.object(shape)),
    fc.tuple(tie("schema"), tie("schema")).map((options) => z.union(options)),
    fc.tuple(tie("schema"), tie("schema")).map((items) => z.tuple(items)),
    tie("schema").map((value) => z.record(z.string(), value)),
  ),
}));

test("values for random schemas are valid, and the same each time", () => {
  fc.assert(
    fc.property(anySchema, fc.string(), (schema, seed) => {
      const value = generate(schema, withSeed(seed));
      expect(z.safeParse(schema, value).error?.issues).toBeUndefined();
      expect(generate(schema, withSeed(seed))).toEqual(value);
    }),
    { numRuns: 100 },
  );
});
