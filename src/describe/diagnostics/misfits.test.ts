import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import type { InputSource } from "../../define/endpoint/input-sources.ts";
import { ez } from "../../basics/schemas/ez.ts";
import type { ZodSchema } from "../../basics/schemas/schema.ts";
import { parsePathPattern } from "../../define/routing/path-pattern.ts";
import type { QueryParser } from "../../basics/http/query.ts";
import { MisfitFinder } from "./misfits.ts";
import { toInputWire, toOutputWire, type Wire } from "./wire.ts";

const list = (finder: MisfitFinder, ...args: Parameters<MisfitFinder["find"]>): string[] =>
  finder.find(...args).misfits.map(({ path, kind }) => `${path} ${kind}`);

const findInput = (
  schema: ZodSchema,
  sources: readonly InputSource[],
  { path = "/a", queryParser = "simple" }: { path?: string; queryParser?: QueryParser } = {},
): string[] => {
  return list(
    new MisfitFinder("input"),
    schema,
    toInputWire({ sources, segments: parsePathPattern(path), queryParser }),
  );
};

const inBody = (field: ZodSchema) => findInput(z.object({ a: field }), ["body", "params"]);
const inQuery = (field: ZodSchema, queryParser?: QueryParser) =>
  findInput(z.object({ a: field }), ["query", "params"], queryParser && { queryParser });
const inPath = (field: ZodSchema) =>
  findInput(z.object({ a: field }), ["body", "params"], { path: "/x/:a" });
const inWildcard = (field: ZodSchema) =>
  findInput(z.object({ a: field }), ["query", "params"], { path: "/x/*a" });
const inOutput = (field: ZodSchema) =>
  list(new MisfitFinder("output"), z.object({ a: field }), toOutputWire());

interface Node {
  readonly at: Date;
  readonly next?: Node | undefined;
}
const cyclic: z.ZodType<Node> = z.object({
  at: z.date(),
  next: z.lazy(() => cyclic.optional()),
});
const byGetter = z.object({
  at: z.date(),
  get children() {
    return z.array(byGetter);
  },
});
/** An enum of numbers, as TypeScript creates it. */
const Level = { Low: 0, High: 1, 0: "Low", 1: "High" } as const;

const decodeText = { decode: (text: string) => BigInt(text), encode: String };

/** Schemas that JSON, a query and a path can all carry. */
const soundTexts: readonly (readonly [string, ZodSchema])[] = [
  ["a string", z.string()],
  ["formats", z.union([z.email(), z.uuid(), z.iso.date(), z.url()])],
  ["a template", z.templateLiteral(["v", z.number()])],
  ["an enum of strings", z.enum(["a", "b"])],
  ["literals, including a string", z.literal([1, "a"])],
  ["a coerced number", z.object({ b: z.coerce.number() }).shape.b],
  ["a coerced bigint", z.coerce.bigint()],
  ["a coerced date", z.coerce.date().optional()],
  ["a boolean from strings", z.stringbool()],
  ["a transformed string", z.string().transform(BigInt)],
  ["a piped string", z.string().transform(Number).pipe(z.number().min(1)).default(1)],
  ["a preprocessed number", z.preprocess(Number, z.number())],
  ["a codec", z.codec(z.string(), z.bigint(), decodeText)],
  ["ez.dateIn()", ez.dateIn()],
  ["a nullish string", z.string().nullish()],
  ["a union with one option that fits", z.union([z.date(), z.bigint(), z.string()])],
  ["a value that always fits", z.date().catch(new Date())],
  ["anything", z.any().or(z.unknown())],
  ["a custom check", z.custom<Date>((value) => value instanceof Date)],
  ["an instance", z.instanceof(URL)],
  ["a forbidden key", z.never().optional()],
  ["an optional undefined", z.undefined().optional()],
  ["a promise of a string", z.promise(z.string())],
  ["a lazy string", z.lazy(() => z.string().readonly())],
  [
    "the limit of a pagination",
    ez.paginated({ style: "offset", itemSchema: z.object({}) }).input.shape.limit,
  ],
];

const soundJson: readonly (readonly [string, ZodSchema])[] = [
  ...soundTexts,
  ["a coerced boolean", z.coerce.boolean().default(false)],
  ["numbers", z.array(z.union([z.number(), z.int(), z.float32()]))],
  ["a tuple with a boolean and null", z.tuple([z.boolean(), z.null()], z.string())],
  ["an enum of numbers", z.enum(Level)],
  ["literals", z.literal([1, true, null])],
  ["objects", z.strictObject({ b: z.looseObject({ c: z.number() }) })],
  ["records", z.partialRecord(z.enum(["a", "b"]), z.record(z.string(), z.number()))],
  ["any JSON", z.json()],
  ["an empty array", z.array(z.never())],
  ["an intersection of objects", z.object({ b: z.number() }).and(z.object({ c: z.string() }))],
  ["an upload", ez.upload()],
  ["uploads", z.array(ez.upload())],
  [
    "a union with an optional misfit",
    z.union([z.object({ b: z.date().optional() }), z.object({ c: z.bigint() })]),
  ],
  [
    "a valid discriminated union",
    z.discriminatedUnion("k", [
      z.object({ k: z.literal("x"), n: z.number() }),
      z.object({ k: z.literal("y"), n: z.never().optional() }),
    ]),
  ],
];

const unsoundJson: readonly (readonly [string, ZodSchema, string])[] = [
  ["a bigint", z.bigint(), ".a bigint"],
  ["an int64", z.int64(), ".a bigint"],
  ["a bigint literal", z.literal(1n), ".a bigint"],
  ["a date", z.date(), ".a date"],
  ["an optional date", z.date().optional(), ".a date"],
  ["a defaulted date", z.date().default(new Date()), ".a date"],
  ["a nullable date", z.date().nullable(), ".a date"],
  ["a date that is transformed later", z.date().transform(String), ".a date"],
  ["ez.dateOut()", ez.dateOut(), ".a dateOut"],
  ["a map", z.map(z.string(), z.string()), ".a map"],
  ["a set", z.set(z.string()).readonly(), ".a set"],
  ["a symbol", z.symbol(), ".a symbol"],
  ["NaN", z.nan(), ".a nan"],
  ["a function", z.function(), ".a function"],
  ["a file", z.file(), ".a file"],
  ["the file of an output", ez.file(), ".a file"],
  ["the stream of an output", ez.stream(), ".a stream"],
  ["the bytes of an output", ez.buffer("image/png"), ".a buffer"],
  ["a Buffer", ez.buffer(), ".a buffer"],
  ["never", z.never(), ".a never"],
  ["void", z.void(), ".a never"],
  ["undefined", z.undefined(), ".a never"],
  ["a misfit in an array", z.array(z.object({ at: z.date() })), ".a[].at date"],
  ["a misfit in a tuple", z.tuple([z.string(), z.date()]), ".a[1] date"],
  ["a misfit in a record", z.record(z.string(), z.date()), ".a[key] date"],
  ["a misfit in a catchall", z.object({}).catchall(z.bigint()), ".a[key] bigint"],
  ["a misfit in an intersection", z.object({ b: z.date() }).and(z.object({})), ".a.b date"],
  ["a misfit under an unusual key", z.object({ "x-y": z.date() }), '.a["x-y"] date'],
  ["a union of misfits", z.union([z.date(), z.bigint()]), ".a date"],
  [
    "a misfit in an option of a discriminated union",
    z.discriminatedUnion("k", [
      z.object({ k: z.literal("x"), at: z.date() }),
      z.object({ k: z.literal("y") }),
    ]),
    ".a.at date",
  ],
  ["a misfit before a pipe", z.date().pipe(z.any()), ".a date"],
  ["a misfit in a promise", z.promise(z.bigint()), ".a bigint"],
];

const unsoundTexts: readonly (readonly [string, ZodSchema, string])[] = [
  ["a number", z.number(), ".a number"],
  ["an optional integer", z.int().optional(), ".a number"],
  ["a boolean", z.boolean().default(true), ".a boolean"],
  ["null", z.null(), ".a null"],
  ["a bigint", z.bigint(), ".a bigint"],
  ["a date", z.date(), ".a date"],
  ["literals without a string", z.literal([1, 2]), ".a number"],
  ["an enum of numbers", z.enum(Level), ".a number"],
  ["an object", z.object({ b: z.string() }), ".a object"],
  ["a record", z.record(z.string(), z.string()), ".a object"],
  ["numbers", z.array(z.number()), ".a[] number"],
  ["an array of numbers, or a number", z.union([z.number(), z.array(z.number())]), ".a number"],
];

describe("inputs", () => {
  test.each(soundJson)("JSON can carry %s", (_what, schema) => {
    expect(inBody(schema)).toEqual([]);
  });

  test.each(soundTexts)("a query and a path can carry %s", (_what, schema) => {
    expect(inQuery(schema)).toEqual([]);
    expect(inQuery(schema, "extended")).toEqual([]);
    expect(inPath(schema)).toEqual([]);
  });

  test.each(unsoundJson)("JSON cannot carry %s", (_what, schema, expected) => {
    expect(inBody(schema)).toEqual([expected]);
  });

  test.each(unsoundTexts)("a query cannot carry %s", (_what, schema, expected) => {
    expect(inQuery(schema)).toContain(expected);
  });

  test("a schema that is reported as accepting nothing rejects every possible value", () => {
    const finder = new MisfitFinder("input");
    const toWire = (sources: InputSource[]) => {
      const operation = { sources, segments: [], queryParser: "simple" } as const;
      return toInputWire(operation).inner("a") as Wire;
    };
    const check = (schemas: readonly ZodSchema[], wire: Wire, values: fc.Arbitrary<unknown>) => {
      const dead = schemas.filter((schema) => finder.find(schema, wire).acceptsNothing);
      for (const schema of dead)
        fc.assert(
          fc.property(values, (value) => !z.safeParse(schema, value).success),
          { numRuns: 200 },
        );
      return dead.length;
    };
    const toSchemas = (table: typeof unsoundJson) =>
      table.filter(([what]) => !what.includes("promise")).map(([, schema]) => schema);
    expect(check(toSchemas(unsoundJson), toWire(["body"]), fc.jsonValue())).toBeGreaterThan(15);
    const texts = fc.oneof(fc.string(), fc.array(fc.string(), { minLength: 2 }));
    expect(check(toSchemas(unsoundTexts), toWire(["query"]), texts)).toBeGreaterThan(8);
  });

  test("a query may have arrays of strings, and objects if its parser returns them", () => {
    expect(inQuery(z.array(z.string()))).toEqual([]);
    expect(inQuery(z.object({ b: z.array(z.string()) }), "extended")).toEqual([]);
    expect(inQuery(z.object({ b: z.number() }), "extended")).toEqual([".a.b number"]);
    expect(inQuery(z.number(), "unknown")).toEqual([]);
  });

  test("a path parameter is a string, even if other fields come from a body", () => {
    expect(inPath(z.number())).toEqual([".a number"]);
    expect(inPath(z.array(z.string()))).toEqual([".a array"]);
    const id = z.number();
    const schema = z.object({ id, other: id });
    expect(findInput(schema, ["body", "params"], { path: "/:id" })).toEqual([".id number"]);
    expect(findInput(schema, ["body"], { path: "/:id" })).toEqual([]);
  });

  test("a wildcard returns an array of strings", () => {
    expect(inWildcard(z.array(z.string()))).toEqual([]);
    expect(inWildcard(z.tuple([z.string()], z.coerce.number()))).toEqual([]);
    expect(inWildcard(z.string())).toEqual([".a string"]);
    expect(inWildcard(z.array(z.number()))).toEqual([".a[] number"]);
  });

  test.each<[string, InputSource[], string[]]>([
    [
      "reports a number that comes from headers and cookies",
      ["headers", "cookies", "signedCookies"],
      [".a number"],
    ],
    ["reports no number that may come from a query or a body", ["query", "body"], []],
    ["reports no number if the only source is files", ["files"], []],
    ["reports no number without sources", [], []],
  ])("%s", (_what, sources, expected) => {
    expect(findInput(z.object({ a: z.number() }), sources)).toEqual(expected);
  });

  test("reports misfits at the top level of an input that is not an object", () => {
    expect(findInput(z.record(z.string(), z.number()), ["query"])).toEqual(["[key] number"]);
    expect(findInput(z.unknown(), ["query"])).toEqual([]);
    expect(findInput(z.string().transform(Number), ["body"])).toEqual([" string"]);
  });

  test("follows cycles once, and names each path once", () => {
    expect(inBody(cyclic)).toEqual([".a.at date"]);
    expect(inBody(byGetter)).toEqual([".a.at date"]);
    const leaf = z.bigint();
    expect(inBody(z.object({ b: leaf, c: leaf }))).toEqual([".a.b bigint", ".a.c bigint"]);
  });

  test("visits a shared schema once, and reports at most ten lines", () => {
    let schema: z.ZodType = z.date();
    for (let depth = 0; depth < 60; depth++) schema = z.object({ l: schema, r: schema });
    expect(inBody(schema)).toHaveLength(10);
  });
});

const soundOutputs: readonly (readonly [string, ZodSchema])[] = [
  ...soundJson.filter(([what]) => !/upload|forbidden|dateIn|codec|bigint|text$/.test(what)),
  ["a date", z.date()],
  ["ez.dateOut()", ez.dateOut()],
  [
    "a date from a string",
    z.codec(z.iso.datetime(), z.date(), { decode: (text) => new Date(text), encode: String }),
  ],
  ["a Buffer", ez.buffer()],
  ["undefined", z.undefined()],
  ["void", z.void()],
  ["a bigint as a string", z.bigint().transform(String)],
  ["a set as an array", z.set(z.string()).transform((set) => [...set])],
  [
    "a map piped to an array",
    z
      .map(z.string(), z.int())
      .transform((map) => [...map])
      .pipe(z.array(z.any())),
  ],
];

describe("outputs", () => {
  test.each(soundOutputs)("JSON can carry %s", (_what, schema) => {
    expect(inOutput(schema)).toEqual([]);
  });

  test.each<[string, ZodSchema, string]>([
    ["a bigint", z.bigint().optional(), ".a bigint"],
    ["a coerced bigint", z.coerce.bigint(), ".a bigint"],
    ["a bigint decoded from a string", z.codec(z.string(), z.bigint(), decodeText), ".a bigint"],
    ["a map", z.map(z.string(), z.string()), ".a map"],
    ["a set", z.set(z.string()).default(new Set()), ".a set"],
    ["a symbol", z.symbol(), ".a symbol"],
    ["NaN", z.nan(), ".a nan"],
    ["a function", z.function(), ".a function"],
    ["ez.dateIn()", ez.dateIn(), ".a dateIn"],
    ["an upload", ez.upload(), ".a upload"],
    ["a raw body", ez.raw(), ".a.raw raw"],
    ["a file", z.file().catch(new File([], "a")), ".a file"],
    ["never", z.never(), ".a never"],
    ["a misfit in an array", z.array(z.union([z.set(z.any()), z.bigint()])), ".a[] set"],
  ])("JSON cannot carry %s", (_what, schema, expected) => {
    expect(inOutput(schema)).toEqual([expected]);
  });

  test.each<[string, object, z.ZodType]>([
    ["bigint", BigInt.prototype, z.bigint()],
    ["map", Map.prototype, z.map(z.string(), z.string())],
    ["set", Set.prototype, z.set(z.string())],
    ["symbol", Symbol.prototype, z.symbol()],
    ["function", Function.prototype, z.function()],
  ])("an application may define how JSON represents a %s", (_kind, prototype, schema) => {
    expect(inOutput(schema)).toHaveLength(1);
    Object.defineProperty(prototype, "toJSON", { configurable: true, value: () => "1" });
    try {
      expect(inOutput(schema)).toEqual([]);
    } finally {
      Reflect.deleteProperty(prototype, "toJSON");
    }
  });
});
