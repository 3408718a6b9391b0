import { describe, expect, test } from "vitest";
import { z } from "zod";
import { defaultEndpointsFactory as factory } from "../../define/endpoint/endpoints-factory.ts";
import { ez } from "../../basics/schemas/ez.ts";
import type { Routing } from "../../define/routing/routing.ts";
import { generateClient } from "./generate-client.ts";

/** Returns the types of the routes, without the source that is the same for each API. */
const typesOf = (routing: Routing, options: object = {}): string => {
  const [types = ""] = generateClient({ routing, ...options }).split(
    "/** A client of this API. */",
  );
  return types;
};

/** Returns the declaration of a type, without its comment. */
const find = (text: string, name: string): string => {
  const start = text.indexOf(`export type ${name} = `);
  const [declaration = ""] = text.slice(start).split(/;\n(?=\n)/, 1);
  return start < 0 ? "" : declaration.replace(/^export type \w+ = /, "").replaceAll(/\s+/g, " ");
};

/** Returns the types of a field when it is sent and when it is received. */
const both = (
  schema: z.ZodType,
  options: object = {},
): readonly [sent: string, received: string] => {
  const endpoint = factory.build({
    method: "post",
    input: z.object({ value: schema }),
    output: z.object({ value: schema }),
    handler: () => ({}) as never,
  });
  const text = typesOf({ a: endpoint }, options);
  const strip = (own: string): string => own.replace(/^\{ (.*?);? \}$/, "$1");
  const [, data = ""] = find(text, "PostABody").split("data: ");
  return [strip(find(text, "PostAInput")), strip(data.replace(/; \}$/, ""))];
};

describe("generates the input of z.stringbool()", () => {
  const input = { flag: z.stringbool(), other: z.stringbool({ truthy: ["y"], falsy: ["n"] }) };
  const form = factory.build({ method: "post", input: ez.form(input), handler: () => ({}) });
  const json = factory.build({ method: "post", input: z.object(input), handler: () => ({}) });
  const query = factory.build({ input: z.object(input), handler: () => ({}) });
  const raw = factory.build({
    method: "post",
    input: ez.raw().extend(input),
    inputSources: ["query", "body"],
    handler: () => ({}),
  });
  const withBooleans = "{ flag: boolean | string; other: string; }";
  const without = "{ flag: string; other: string; }";
  const besideRaw = `{ raw: ArrayBuffer | Blob | Uint8Array | string;${withBooleans.slice(1)}`;

  test.each([
    ["a query", "GetAInput", query, withBooleans, withBooleans],
    ["a form", "PostAInput", form, withBooleans, without],
    ["JSON", "PostAInput", json, without, without],
    ["a query with a raw body", "PostAInput", raw, besideRaw, besideRaw],
  ])("takes booleans where they are sent as text: %s", (_name, type, a, generated, inferred) => {
    expect(find(typesOf({ a }), type)).toBe(generated);
    expect(find(typesOf({ a }, { types: true }), type)).toBe(inferred);
  });
});

describe("generates wire types", () => {
  test.each<[string, z.ZodType, string, string]>([
    ["a date", ez.dateIn(), "value: Date | string", "value: string"],
    ["a date in the output", ez.dateOut(), "value: Date", "value: string"],
    ["a plain date", z.date(), "value: Date", "value: string"],
    ["an encoded value", ez.encode(ez.dateIn()), "value: Date", "value: string"],
    ["a default", z.string().default("a"), "value?: string | undefined", "value: string"],
    ["a value with .catch()", z.int().catch(1), "value?: number | undefined", "value: number"],
    ["a transformation", z.string().transform(Number), "value: string", "value: unknown"],
    [
      "a transformation whose output is told",
      z.string().transform(Number).meta({ output: z.int() }),
      "value: string",
      "value: number",
    ],
    ["a pipe", z.string().transform(Number).pipe(z.int()), "value: string", "value: number"],
    [
      "a preprocessed value",
      z.preprocess(Number, z.int()),
      "value?: number | undefined",
      "value: number",
    ],
    ["a coerced number", z.coerce.number(), "value: number | string", "value: number"],
    [
      "an array of optional values",
      z.array(z.string().optional()),
      "value: (string | undefined)[]",
      "value: (string | null)[]",
    ],
    [
      "a tuple with an optional item before a required one",
      z.tuple([z.string().optional(), z.number(), z.string().optional()]),
      "value: [string | undefined, number, (string | undefined)?]",
      "value: [string | null, number, (string | null)?]",
    ],
    [
      "a tuple that ends with a default",
      z.tuple([z.string(), z.number().default(1)]),
      "value: [string, (number | undefined)?]",
      "value: [string, number]",
    ],
    [
      "a default of an optional value",
      z.string().optional().default("a"),
      "value?: string | undefined",
      "value: string",
    ],
    [
      "a template with an optional part",
      z.templateLiteral(["a", z.enum(["x"]).optional(), z.undefined()]),
      'value: `a${"x" | ""}${undefined}`',
      'value: `a${"x" | ""}${undefined}`',
    ],
    [
      "a record whose keys are a finite template",
      z.record(z.templateLiteral(["x-", z.enum(["a", "b"])]), z.int()),
      'value: { [key in `x-${"a" | "b"}`]?: number | undefined; }',
      'value: { [key in `x-${"a" | "b"}`]?: number | undefined; }',
    ],
    [
      "a record whose keys are a union of templates",
      z.record(
        z.union([
          z.templateLiteral(["x-", z.string()]),
          z.templateLiteral(["y-", z.enum(["a"]), z.number()]),
        ]),
        z.int(),
      ),
      'value: { [key: `x-${string}`]: number; [key: `y-${"a"}${number}`]: number; }',
      'value: { [key: `x-${string}`]: number; [key: `y-${"a"}${number}`]: number; }',
    ],
    [
      "a record whose keys are a template or a literal",
      z.record(z.union([z.templateLiteral(["x-", z.string()]), z.literal("k")]), z.int()),
      "value: { [key: string]: number; }",
      "value: { [key: string]: number; }",
    ],
    [
      "read-only arrays and tuples",
      z.array(z.tuple([z.array(z.int()).readonly().optional()]).readonly()).readonly(),
      "value: readonly (readonly [((readonly number[]) | undefined)?])[]",
      "value: [(number[] | null)?][]",
    ],
    [
      "a record whose keys are a union of literals",
      z.record(z.union([z.literal("a"), z.literal("b")]), z.number()),
      "value: { a: number; b: number; }",
      "value: { a: number; b: number; }",
    ],
    [
      "a record whose keys are transformed",
      z.record(
        z.enum(["a"]).transform((key) => key.toUpperCase()),
        z.number(),
      ),
      "value: { a: number; }",
      "value: { [key: string]: number; }",
    ],
    [
      "a record whose keys are decoded",
      z.record(
        z.codec(z.enum(["a"]), z.enum(["b"]), {
          decode: () => "b" as const,
          encode: () => "a" as const,
        }),
        z.number(),
      ),
      "value: { a: number; }",
      "value: { b: number; }",
    ],
    [
      "a loose record",
      z.looseRecord(z.union([z.literal("a"), z.literal("b")]), z.number()),
      "value: { a: number; b: number; [key: string]: unknown; }",
      "value: { a: number; b: number; [key: string]: unknown; }",
    ],
    [
      "a partial record",
      z.partialRecord(z.enum(["a"]), z.int()),
      "value: { a?: number | undefined; }",
      "value: { a?: number | undefined; }",
    ],
    [
      "an intersection",
      z.object({ a: z.int() }).and(z.object({ "b-c": z.int() })),
      'value: { a: number; } & { "b-c": number; }',
      'value: { a: number; } & { "b-c": number; }',
    ],
    ["a Map", z.map(z.string(), z.int()), "value: unknown", "value: unknown"],
  ])("%s", (_name, schema, input, output) => {
    expect(both(schema)).toEqual([input, output]);
  });
});

describe("naming", () => {
  const echo = (schema: z.ZodType) =>
    factory.build({
      method: "post",
      input: z.object({ value: schema }),
      output: z.object({ value: schema }),
      handler: () => ({}) as never,
    });

  test("uses one name for a schema if requests and responses carry the same type, and two otherwise", () => {
    const same = z.object({ a: z.int() }).meta({ id: "Same" });
    const other = z.object({ same, a: z.int().default(1) }).meta({ id: "Other" });
    const text = typesOf({ a: echo(same), b: echo(other) });
    expect(find(text, "PostAInput")).toBe("{ value: Same; }");
    expect(find(text, "PostABody")).toContain("value: Same;");
    expect(find(text, "PostBInput")).toBe("{ value: OtherInput; }");
    expect(find(text, "PostBBody")).toContain("value: Other;");
    expect(find(text, "OtherInput")).toBe("{ same: Same; a?: number | undefined; }");
    expect(find(text, "Other")).toBe("{ same: Same; a: number; }");
  });

  test("names a recursive schema after its place, and also after its direction if its input and output differ", () => {
    const tree = z.object({
      at: z.int().default(0),
      get parts() {
        return z.array(tree);
      },
    });
    const text = typesOf({ a: echo(tree) });
    expect(find(text, "PostAValueInput")).toBe(
      "{ at?: number | undefined; parts: PostAValueInput[]; }",
    );
    expect(find(text, "PostAValue")).toBe("{ at: number; parts: PostAValue[]; }");
  });

  test("a name does not hide that a value may be undefined", () => {
    const text = z.string().optional().meta({ id: "Text" });
    const union = z.union([z.int(), z.undefined()]).meta({ id: "Union" });
    const tree = z.lazy(() => z.array(tree).optional()) as z.ZodType;
    const named = { list: z.array(text), text: z.nonoptional(text), union, tree };
    const types = typesOf({ a: echo(z.object(named)) });
    expect(find(types, "PostABody")).toContain(
      "value: { list: (Exclude<Text, undefined> | null)[]; text: Exclude<Text, undefined>; " +
        "union?: Union | undefined; tree?: PostAValueTree | undefined; };",
    );
    expect(find(types, "PostAValueTree")).toBe(
      "(Exclude<PostAValueTree, undefined> | null)[] | undefined",
    );
  });

  test("never takes a name that the file or another schema already has", () => {
    const taken = ["Client", "Response", "Blob", "reply", "call options"].map((id) =>
      z.object({ [id]: z.int() }).meta({ id }),
    );
    const twins = ["user", "User"].map((id) => z.object({ [id]: z.int() }).meta({ id }));
    const text = typesOf({ a: echo(z.tuple([...taken, ...twins] as unknown as [z.ZodType])) });
    expect(find(text, "PostAInput")).toBe(
      "{ value: [Client2, Response2, Blob2, Reply2, CallOptions2, User, User2]; }",
    );
  });
});

test("writes descriptions as comments that the text cannot close", () => {
  const endpoint = factory
    .build({
      shortDescription: "Greets",
      description: "Says */ hello\nto \u0001all",
      input: z.object({ name: z.string().describe("Whom").optional() }),
      output: z.object({}),
      handler: async () => ({}),
    })
    .deprecated();
  const text = typesOf({ hello: endpoint });
  expect(text).toContain(
    '  /**\n   * Greets\n   *\n   * Says *\\/ hello\n   * to all\n   *\n   * @deprecated\n   */\n  "get /hello": {',
  );
  expect(text).toContain("  /** Whom */\n  name?: string | undefined;");
});

test("includes the fields of middlewares, and the parameters that no schema declares", () => {
  const guarded = factory.addMiddleware({
    input: z.object({ key: z.string() }),
    handler: async () => ({}),
  });
  const endpoint = guarded.build({
    input: z.object({ id: z.string() }),
    output: z.object({}),
    handler: async () => ({}),
  });
  const text = typesOf({
    ":id": { "*rest": endpoint },
    none: factory.build({ handler: () => ({}) }),
  });
  expect(find(text, "GetByIdByRestInput")).toBe(
    "{ key: string; id: string; } & { rest: (bigint | boolean | Date | number | string)[]; }",
  );
  expect(find(text, "GetNoneInput")).toBe("{ [key: string]: never }");
});

test("generates the same bytes for the same API, including the source of the client", () => {
  const routing = { a: factory.build({ output: z.object({}), handler: async () => ({}) }) };
  const text = generateClient({ routing });
  expect(generateClient({ routing })).toBe(text);
  expect(text).not.toMatch(/^import /m);
  expect(text).toContain("const createPlainClient = (");
  expect(text).not.toContain("\u0001");
});

test("tells the client that the server uses the extended query parser", () => {
  const routing = { a: factory.build({ output: z.object({}), handler: async () => ({}) }) };
  expect(generateClient({ routing, config: { queryParser: "extended" } })).toContain(
    '{ queryParser: "extended", ...options }',
  );
});

test("rejects a path with a lone surrogate", () => {
  const routing = { "a\ud800": factory.build({ handler: async () => ({}) }) };
  expect(() => generateClient({ routing })).toThrow(
    'The path "/a\\ud800" has a lone surrogate, which URLs cannot contain.',
  );
});

test("rejects an unknown option", () => {
  expect(() => generateClient({ routing: {}, typs: true } as never)).toThrow(
    "generateClient: there is no option `typs`. Did you mean `types`?",
  );
});
