import { defaultEndpointsFactory as factory, ez } from "sallyport";
import type { JsonObject, OpenApiOptions } from "sallyport/openapi";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { generate, inputOf, outputOf } from "./generate.ts";

const toReference = (name: string): string => `#/components/schemas/${name}`;

test("bounds of safe integers are written where they are declared", () => {
  const [minimum, maximum] = [Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER];
  expect(inputOf(z.int())).toEqual({ type: "integer" });
  expect(inputOf(z.int().min(minimum))).toEqual({ type: "integer", minimum });
  expect(inputOf(z.number().max(maximum))).toEqual({ type: "number", maximum });
});

describe("an input is described before its transformation, and an output after it", () => {
  const toNumber = z.string().transform(Number).pipe(z.number());
  const bigint = z.codec(z.string(), z.bigint(), { decode: BigInt, encode: String });
  test.each<[string, z.ZodType, unknown, unknown]>([
    ["a transformation", toNumber, "string", "number"],
    ["a codec", bigint.pipe(z.bigint()).pipe(z.transform(String)), "string", undefined],
    ["a coercion", z.coerce.number(), "number", "number"],
    ["preprocessing", z.preprocess(Number, z.number()), "number", "number"],
    [
      "ez.encode",
      ez.encode(z.codec(z.int(), z.string(), { decode: String, encode: Number })),
      "string",
      "integer",
    ],
  ])("%s", (_name, schema, input, output) => {
    expect(inputOf(schema)["type"]).toBe(input);
    expect(outputOf(schema)["type"]).toBe(output);
  });

  test("the output of a transformation is described by `.meta({ output })`", () => {
    const total = z.object({ total: z.int() }).meta({ id: "Total" });
    const schema = z.string().transform(Number).meta({ description: "Sum", output: total });
    expect(inputOf(schema)).toEqual({ type: "string", description: "Sum" });
    const expected = { $ref: toReference("Total"), description: "Sum" };
    expect(outputOf(schema)).toEqual(expected);
    expect(outputOf(z.array(schema.optional()))).toEqual({
      type: "array",
      items: { anyOf: [expected, { type: "null" }] },
    });
    const list = schema.meta({ output: z.array(z.string()), examples: [["a"]] });
    expect(outputOf(list)).toMatchObject({ type: "array", examples: [["a"]] });
  });

  test("examples and defaults follow the same rule", () => {
    const date = ez.dateIn({ examples: ["2026-11-21"] });
    expect(inputOf(date)["examples"]).toEqual(["2026-11-21"]);
    const flag = z.stringbool().default(true);
    expect(inputOf(flag)).toMatchObject({ type: "string", default: "true" });
    expect(inputOf(z.string().transform(Number).default(5))).not.toHaveProperty("default");
    const fields = z
      .string()
      .transform(Number)
      .meta({ examples: ["5", 5] });
    expect(inputOf(fields)["examples"]).toEqual(["5"]);
    expect(outputOf(ez.dateOut({ examples: ["2026-11-21T00:00:00Z"] }))["examples"]).toEqual([
      "2026-11-21T00:00:00Z",
    ]);
    let calls = 0;
    expect(inputOf(z.number().default(() => ++calls))).not.toHaveProperty("default");
  });
});

describe("schemas", () => {
  test.each<[string, z.ZodType, JsonObject]>([
    ["integers without redundant bounds", z.int(), { type: "integer" }],
    ["readonly without readOnly", z.object({}).readonly(), { type: "object", properties: {} }],
    [
      "explicit readOnly",
      z.string().readonly().meta({ readOnly: true }),
      { type: "string", readOnly: true },
    ],
    [
      "a file",
      ez.upload(),
      { type: "string", format: "binary", contentMediaType: "application/octet-stream" },
    ],
    [
      "records with any keys",
      z.record(z.string(), z.int()),
      { type: "object", additionalProperties: { type: "integer" } },
    ],
    [
      "records with listed keys",
      z.record(z.union([z.literal(1), z.enum(["a"])]), z.int()),
      {
        type: "object",
        properties: { 1: { type: "integer" }, a: { type: "integer" } },
        required: ["1", "a"],
        additionalProperties: false,
      },
    ],
    [
      "records with listed keys and others",
      z.looseRecord(z.enum(["a"]), z.int()),
      { type: "object", properties: { a: { type: "integer" } }, required: ["a"] },
    ],
    [
      "records beside other fields",
      z.record(z.enum(["a"]), z.int()).and(z.object({ b: z.string() })),
      {
        type: "object",
        properties: { a: { type: "integer" }, b: { type: "string" } },
        required: ["a", "b"],
      },
    ],
    ["any JSON", z.json().describe("Any"), { description: "Any" }],
    ["arrays of any JSON", z.array(z.json()), { type: "array", items: {} }],
    ["strings with a prefix", z.string().startsWith("a"), { type: "string", pattern: "^a.*" }],
    [
      "booleans as strings",
      z.stringbool({ truthy: ["y"], falsy: ["n"] }),
      { type: "string", enum: ["y", "n"] },
    ],
    ["custom functions", z.custom(), {}],
    ["nothing", z.undefined(), { not: {} }],
    [
      "a coerced bigint",
      z.coerce.bigint().meta({ examples: ["12345678901234567890"] }),
      {
        anyOf: [
          { type: "integer", format: "int64" },
          { type: "string", pattern: String.raw`^-?\d+$` },
        ],
        examples: ["12345678901234567890"],
      },
    ],
  ])("%s", (_name, schema, expected) => {
    expect(inputOf(schema)).toEqual(expected);
  });

  test("keys that match no pattern of a loose record may have any value, also in OpenAPI 3.0", () => {
    const record = z.looseRecord(z.string().regex(/^a/), z.number());
    expect(inputOf(record)).toEqual({
      type: "object",
      patternProperties: { "^a": { type: "number" } },
    });
    expect(inputOf(record, { openapi: "3.0" })).toEqual({
      type: "object",
      additionalProperties: true,
    });
  });

  test("dates are described as they appear in JSON", () => {
    expect(outputOf(z.date())).toEqual({ type: "string", format: "date-time" });
    expect(outputOf(z.object({ at: z.date().optional() }))).toEqual({
      type: "object",
      properties: { at: { type: "string", format: "date-time" } },
    });
  });

  test("a Buffer is described as it appears in JSON", () => {
    const written = outputOf(ez.buffer());
    const buffer = JSON.parse(JSON.stringify(Buffer.from("a"))) as object;
    expect(Object.keys(written["properties"] as object)).toEqual(Object.keys(buffer));
  });

  test.each<[z.ZodType, string]>([
    [
      z.date(),
      "input.value of POST /a cannot be documented: JSON has no date. Use ez.dateIn(), which accepts ISO 8601 strings.",
    ],
    [z.array(z.object({ at: z.date() })), "input.value[].at of POST /a"],
    [z.bigint(), "JSON has no bigint. Use z.coerce.bigint()"],
    [z.array(z.file()), "JSON has no file. Use ez.upload()"],
    [z.map(z.string(), z.string()), "JSON has no map. Use z.record()"],
    [z.set(z.string()), "JSON has no set. Use z.array()"],
    [z.symbol(), "JSON has no symbol. Use z.enum()"],
    [z.function(), "JSON has no function. Use another type"],
    [z.nan(), "JSON has no nan. Use z.number() or z.null()"],
    [z.literal(5n), "JSON has no bigint"],
  ])("a schema for values that cannot be received causes an error (%#)", (schema, message) => {
    expect(() => inputOf(schema)).toThrow(message);
  });

  test.each<[z.ZodType, string]>([
    [
      z.bigint(),
      "response.data.value of GET /a cannot be documented: JSON has no bigint. Send a string",
    ],
    [
      z.object({ list: z.array(z.map(z.string(), z.int())) }),
      "of GET /a cannot be documented: JSON has no map. Send an object",
    ],
  ])("a schema for values that cannot be sent causes an error (%#)", (schema, message) => {
    expect(() => outputOf(schema)).toThrow(message);
  });

  test("an override can describe kinds that are otherwise unsupported", () => {
    const override: OpenApiOptions["override"] = {
      schema: ({ schema, json, direction }) => {
        if (schema._zod.def.type === "bigint")
          Object.assign(json, { type: "string", "x-of": direction });
        return schema._zod.def.type === "boolean" ? { type: "integer" } : undefined;
      },
    };
    expect(inputOf(z.bigint(), { override })).toEqual({ type: "string", "x-of": "input" });
    expect(outputOf(z.bigint(), { override })).toEqual({ type: "string", "x-of": "output" });
    expect(inputOf(z.array(z.boolean()), { override })).toEqual({
      type: "array",
      items: { type: "integer" },
    });
  });
});

describe("components", () => {
  const post = (input: z.ZodType<object>, output: z.ZodType = z.object({})) =>
    factory.build({ input, output, handler: () => ({}) });
  const componentsOf = (...endpoints: readonly ReturnType<typeof post>[]) =>
    generate(Object.fromEntries(endpoints.map((endpoint, at) => [`post /a${at}`, endpoint])))
      .components?.["schemas"] ?? {};
  const namesOf = (...endpoints: readonly ReturnType<typeof post>[]): readonly string[] =>
    Object.keys(componentsOf(...endpoints)).filter((name) => name !== "Error");

  test("are named by the `id` of a schema, and are used for both input and output if these are the same", () => {
    const user = z.object({ name: z.string() }).meta({ id: "User" });
    expect(namesOf(post(z.object({ user }), z.object({ user })))).toEqual(["User"]);
  });

  test("have two names if input and output differ, even if only in a schema that they refer to", () => {
    const user = z.object({ at: ez.dateIn() }).meta({ id: "User" });
    const team = z.object({ users: z.array(user) }).meta({ id: "Team" });
    const twice = z.object({ role: z.string().default("x") }).meta({ id: "Role" });
    const both = z.object({ team, role: twice });
    const output = z.object({ role: twice });
    expect(namesOf(post(both, output))).toEqual(["Role", "RoleInput", "Team", "User"]);
    const group = z.object({ roles: z.array(twice) }).meta({ id: "Group" });
    expect(namesOf(post(z.object({ group }), z.object({ group })))).toEqual([
      ...["Group", "GroupInput", "Role", "RoleInput"],
    ]);
  });

  test("of a schema in ez.encode are those of the opposite direction", () => {
    const user = z.object({ at: ez.dateIn() }).meta({ id: "User" });
    expect(namesOf(post(z.object({ user }), z.object({ user: ez.encode(user) })))).toEqual([
      "User",
    ]);
  });

  test("can refer to themselves and to each other", () => {
    const tree = z.object({
      get children() {
        return z.array(tree);
      },
    });
    const schemas = componentsOf(post(tree), post(z.object({ tree })));
    expect(schemas["PostA0"]).toEqual({
      type: "object",
      properties: { children: { type: "array", items: { $ref: "#/components/schemas/PostA0" } } },
      required: ["children"],
    });
    expect(Object.keys(schemas)).toEqual(["Error", "PostA0"]);
  });

  test("of discriminated unions have a discriminator with a mapping", () => {
    const option = (kind: string) => z.object({ kind: z.literal(kind) }).meta({ id: kind });
    const shape = z.discriminatedUnion("kind", [option("A"), option("B")]).meta({ id: "Shape" });
    expect(componentsOf(post(z.object({ shape })))["Shape"]).toMatchObject({
      discriminator: {
        propertyName: "kind",
        mapping: { A: "#/components/schemas/A", B: "#/components/schemas/B" },
      },
    });
  });

  test("are created for unnamed options, and named after the discriminator values of these options", () => {
    const shape = z.discriminatedUnion("kind", [
      z.object({ kind: z.literal("round"), radius: z.number() }),
      z.object({ kind: z.enum(["flat-top", "flat"]), side: z.number() }),
    ]);
    const schemas = componentsOf(post(z.object({ shape }), z.object({ shape })), post(shape));
    expect(Object.keys(schemas)).toEqual(["Error", "PostA0FlatTop", "PostA0Round"]);
    expect(inputOf(shape)).toEqual({
      oneOf: [{ $ref: toReference("PostARound") }, { $ref: toReference("PostAFlatTop") }],
      discriminator: {
        propertyName: "kind",
        mapping: {
          round: toReference("PostARound"),
          "flat-top": toReference("PostAFlatTop"),
          flat: toReference("PostAFlatTop"),
        },
      },
    });
    const named = z.discriminatedUnion("a", [z.object({ a: z.literal("b") })]);
    expect(namesOf(post(z.object({ shape: named.meta({ id: "Shape" }) })))).toEqual([
      ...["Shape", "ShapeB"],
    ]);
  });

  test("of options are named after the component around them, even if the application uses the name", () => {
    const size = z.discriminatedUnion("size", [z.object({ size: z.literal("small") })]);
    const dog = z.object({ size, below: size.optional() }).meta({ id: "Dog" });
    expect(namesOf(post(z.object({ dog })))).toEqual(["Dog", "DogSmall"]);
    const own = z.object({ a: z.string() }).meta({ id: "DogSmall" });
    expect(namesOf(post(z.object({ dog, own })))).toEqual(["Dog", "DogSmall", "DogSmall2"]);
    const pet = z.discriminatedUnion("kind", [z.object({ kind: z.literal("dog"), size })]);
    expect(namesOf(post(z.object({ pet })))).toEqual(["PostA0Dog", "PostA0DogSmall"]);
    const tree = z.object({
      get children() {
        return z.array(tree);
      },
    });
    const team = z.object({ tree }).meta({ id: "Team" });
    expect(namesOf(post(z.object({ team })))).toEqual(["Team", "TeamTree"]);
  });

  test.each<[string, z.ZodType, z.ZodType]>([
    ["is not a string", z.literal(1), z.literal(2)],
    ["may be null", z.literal(["a", null]), z.literal("b")],
    ["may be missing", z.literal("a").default("a"), z.literal("b")],
  ])("are not created for options if the discriminator %s", (_name, one, other) => {
    const option = (kind: z.ZodType) => z.object({ kind: kind as z.ZodLiteral<string> });
    const shape = z.discriminatedUnion("kind", [option(one), option(other)]);
    expect(Object.keys(inputOf(shape))).toEqual(["oneOf"]);
    expect(inputOf(shape)).toHaveProperty("oneOf.0.properties.kind");
  });

  test("that reject unknown fields are inlined if they are merged with other schemas", () => {
    const strict = z.strictObject({ a: z.string() }).meta({ id: "Strict" });
    expect(inputOf(strict.and(z.object({ b: z.int() })))).toEqual({
      allOf: [
        { type: "object", properties: { a: { type: "string" } }, required: ["a"] },
        { type: "object", properties: { b: { type: "integer" } }, required: ["b"] },
      ],
    });
    expect(namesOf(post(z.object({ strict, both: strict.and(z.object({})) })))).toEqual(["Strict"]);
  });

  test("of the framework are renamed if the application uses their names", () => {
    const error = z.object({ a: z.string() }).meta({ id: "Error" });
    const { Error: own, Error2: other } = componentsOf(post(z.object({ error })));
    expect(own).toHaveProperty("properties.a");
    expect(other).toHaveProperty("properties.status");
  });

  test("of schemas that contain each other are complete, whichever of them is met first", () => {
    const folder = z.object({
      get files(): z.ZodType {
        return z.array(file);
      },
    });
    const file = z.object({ name: z.string(), folder: folder.optional() });
    const first = post(z.object({}), z.object({ folder }));
    const written = componentsOf(first);
    expect(written["PostA0"]).toHaveProperty(
      "properties.files.items.properties.folder.$ref",
      toReference("PostA0"),
    );
    for (const input of [file, z.object({ file })])
      expect(componentsOf(first, post(input))).toEqual(written);
  });

  test("with the same name must be the same schema", () => {
    const make = (type: z.ZodType) => z.object({ type }).meta({ id: "Same" });
    const two = (one: z.ZodType, other: z.ZodType) =>
      post(
        z.object({ one: make(one), other: z.object({ in: z.array(z.string()) }) }),
        z.object({ other: make(other) }),
      );
    expect(namesOf(two(z.string(), z.string()))).toEqual(["Same"]);
    expect(() =>
      componentsOf(post(z.object({ a: make(z.string()) })), post(z.object({ b: make(z.int()) }))),
    ).toThrow(
      'Two different schemas have the id "Same": one in the input of POST /a0, the other in the input of POST /a1. Give one of them a different .meta({ id }).',
    );
    expect(() => componentsOf(two(z.string(), z.int()))).toThrow('have the id "Same"');
    const role = () => z.object({ role: z.string().default("x") }).meta({ id: "Role" });
    expect(namesOf(post(z.object({ role: role() }), role()))).toEqual(["Role", "RoleInput"]);
    const equal = z.object({ a: make(z.string()), b: z.array(make(z.string())) });
    expect(componentsOf(post(equal, equal))).toHaveProperty("Same.properties.type");
    const together = z.object({ a: make(z.string()), b: make(z.int()) });
    for (const [name, endpoint] of [
      ["input", post(together)],
      ["response", post(z.object({}), together)],
    ] as const)
      expect(() => componentsOf(endpoint)).toThrow(
        expect.objectContaining({
          code: "SLP_OPENAPI_COMPONENT",
          cause: { method: "post", path: "/a0" },
          message: `Two different schemas have the id "Same": one in the ${name} of POST /a0, the other in the ${name} of POST /a0. Give one of them a different .meta({ id }).`,
        }),
      );
  });

  test.each<[string, (other: z.ZodType) => z.ZodType]>([
    [
      "a union",
      (other) => z.discriminatedUnion("size", [z.object({ size: z.literal("small"), other })]),
    ],
    [
      "a recursive schema",
      (other) => {
        const tree = z.object({
          other,
          get children(): z.ZodType {
            return z.array(tree);
          },
        });
        return tree;
      },
    ],
  ])("with the same name may be equal schemas that contain %s", (_name, makeInner) => {
    const dog = (other: z.ZodType = z.int()) =>
      z.object({ inner: makeInner(other) }).meta({ id: "Dog" });
    const names = namesOf(post(z.object({ dog: dog() })));
    expect(names).toHaveLength(2);
    expect(
      namesOf(post(z.object({}), dog()), post(z.object({}), z.object({ dog: dog() }))),
    ).toEqual(names);
    expect(namesOf(post(z.object({ one: dog(), other: dog() }), dog()))).toEqual(names);
    expect(() => namesOf(post(dog()), post(z.object({ dog: dog(z.string()) })))).toThrow(
      'Two different schemas have the id "Dog"',
    );
  });

  test.each(["User first", "UserInput first"])(
    "cause an error if their id is the name of another schema's input (%s)",
    (first) => {
      const user = z.object({ at: ez.dateIn() }).meta({ id: "User" });
      const other = z.object({ a: z.string() }).meta({ id: "UserInput" });
      const both = { output: z.object({ user, other }), input: z.object({ user, other }) };
      const reversed = { output: z.object({ other, user }), input: z.object({ other, user }) };
      const definition = first === "User first" ? both : reversed;
      const endpoint = factory.build({ ...definition, handler: () => ({}) as never });
      expect(() => generate({ "post /a": endpoint })).toThrow(
        'Two schemas would become the component "UserInput": the one with this id, and the input of the one with the id "User", whose input and output differ. Give one of them a different .meta({ id }).',
      );
    },
  );

  test("cause an error if their id cannot be a component name", () => {
    const user = z.object({}).meta({ id: "a/b" });
    expect(() => componentsOf(post(z.object({ user })))).toThrow(
      'The id "a/b" of a schema, at POST /a0, cannot be a component name',
    );
  });
});

test("schemas use the dialect of OpenAPI 3.0", () => {
  const options = { openapi: "3.0" } as const;
  const named = z.object({ a: z.string() }).meta({ id: "Named" });
  const onlyNull = { type: "string", nullable: true, enum: [null] };
  const cases: readonly (readonly [z.ZodType, JsonObject])[] = [
    [z.string().nullable(), { type: "string", nullable: true }],
    [z.enum(["a"]).nullable(), { type: "string", enum: ["a", null], nullable: true }],
    [
      named.nullable(),
      {
        anyOf: [{ $ref: "#/components/schemas/Named" }, { $ref: "#/components/schemas/Null" }],
      },
    ],
    [z.null(), onlyNull],
    [z.literal("a"), { type: "string", enum: ["a"] }],
    [z.number().gt(1), { type: "number", minimum: 1, exclusiveMinimum: true }],
    [
      z.tuple([z.string(), z.string()]),
      { type: "array", items: { type: "string" }, minItems: 2, maxItems: 2 },
    ],
    [
      z.tuple([z.string(), z.string()]).nullable(),
      { type: "array", items: { type: "string" }, minItems: 2, maxItems: 2, nullable: true },
    ],
    [
      z.union([z.string(), z.int(), z.null()]),
      { anyOf: [{ type: "string", nullable: true }, { type: "integer" }] },
    ],
    [z.string().meta({ examples: ["a", "b"], odd: 1 }), { type: "string", example: "a" }],
    [
      z.partialRecord(z.enum(["a", "b"]), z.int()),
      {
        type: "object",
        properties: { a: { type: "integer" }, b: { type: "integer" } },
        additionalProperties: false,
      },
    ],
    [
      named.describe("More"),
      { description: "More", allOf: [{ $ref: "#/components/schemas/Named" }] },
    ],
  ];
  for (const [schema, expected] of cases) expect(inputOf(schema, options)).toEqual(expected);
});
