import {
  defaultEndpointsFactory as factory,
  ez,
  Middleware,
  type InputSource,
  type Method,
} from "sallyport";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { findOfficialErrors } from "./official-schemas.ts";
import { findOperation, generate, generateOne, placesOf } from "./generate.ts";

const fields = (...names: readonly string[]) =>
  z.object(Object.fromEntries(names.map((name) => [name, z.string()])));

/** Returns where a document places the fields of an input, for a method and its input sources. */
const place = (
  method: Method,
  sources: readonly InputSource[] | undefined,
  ...names: readonly string[]
): Record<string, string> => {
  const endpoint = factory.build({ method, input: fields(...names), handler: () => ({}) });
  const config = sources && { inputSources: { [method]: sources } };
  return placesOf(
    generateOne(`${method} /a/{id}`, { "a/:id": endpoint }, config ? { config } : {}),
  );
};

describe("a field is described in the first input source that can contain it", () => {
  test.each<[string, Method, readonly InputSource[] | undefined, Record<string, string>]>([
    ["for get: path, query", "get", undefined, { id: "path", a: "query", "x-b": "query" }],
    ["for delete: path, query", "delete", undefined, { id: "path", a: "query" }],
    ["for post: path, body", "post", undefined, { id: "path", a: "body", "x-b": "body" }],
    ["for put: path, body", "put", undefined, { id: "path", a: "body" }],
    ["for patch: path, body", "patch", undefined, { id: "path", a: "body" }],
    [
      "headers take the fields with custom header names",
      "get",
      ["headers", "query", "params"],
      { id: "path", "x-b": "header", "if-match": "query", a: "query" },
    ],
    [
      "headers beside a body take only custom header names",
      "post",
      ["headers", "body", "params"],
      { id: "path", "x-b": "header", a: "body" },
    ],
    ["cookies alone take all fields", "get", ["cookies", "params"], { id: "path", a: "cookie" }],
    [
      "signed cookies alone take all fields, too",
      "get",
      ["signedCookies", "params"],
      { id: "path", a: "cookie" },
    ],
    [
      "cookies beside a query take no fields",
      "get",
      ["cookies", "query", "params"],
      { id: "path", a: "query" },
    ],
    [
      "the query takes precedence over the body",
      "post",
      ["body", "query", "params"],
      { id: "path", a: "query" },
    ],
  ])("%s", (_name, method, sources, expected) => {
    expect(place(method, sources, ...Object.keys(expected))).toEqual(expected);
  });

  test("a field that the query cannot represent is in the body if there is one", () => {
    const input = z.object({ a: z.string(), filter: z.object({ b: z.string() }) });
    const endpoint = factory.build({ method: "post", input, handler: () => ({}) });
    const config = { inputSources: { post: ["query", "body"] } } as const;
    expect(placesOf(generateOne("POST /a", { a: endpoint }, { config }))).toEqual({
      a: "query",
      filter: "body",
    });
  });

  test("a path parameter is described even if the input takes the field of that name from the query", () => {
    const endpoint = factory.build({ input: fields("id"), handler: () => ({}) });
    const config = { inputSources: { get: ["query"] } } as const;
    const { parameters } = generateOne("GET /{id}", { ":id": endpoint }, { config });
    expect(parameters?.map((one) => `${one.in} ${one.name}`)).toEqual(["query id", "path id"]);
  });

  test("the sources of an endpoint take precedence over those of the configuration", () => {
    const inputSources = ["query"] as const;
    const endpoint = factory.build({
      method: "post",
      input: fields("a"),
      inputSources,
      handler: () => ({}),
    });
    const config = { inputSources: { post: ["body"] } } as const;
    expect(placesOf(generateOne("POST /a", { a: endpoint }, { config }))).toEqual({ a: "query" });
  });

  test("headers that OpenAPI describes elsewhere are not parameters", () => {
    const input = fields("authorization", "content-type", "accept", "x-a");
    const endpoint = factory.build({ input, handler: () => ({}) });
    const config = { inputSources: { get: ["headers"] } } as const;
    const { parameters } = generateOne("GET /a", { a: endpoint }, { config });
    expect(parameters?.map(({ name }) => name)).toEqual(["x-a"]);
  });
});

describe("parameters", () => {
  const deep = { style: "deepObject", explode: true };
  const parametersOf = (input: z.ZodType<object>, config = {}) =>
    Object.fromEntries(
      (
        generateOne("GET /a", { a: factory.build({ input, handler: () => ({}) }) }, { config })
          .parameters ?? []
      ).map(({ name, in: _in, ...parameter }) => [name, parameter]),
    );

  test("are required if the schema requires them", () => {
    const input = z.object({
      a: z.string(),
      b: z.string().optional(),
      c: z.string().default("x"),
      d: z.string().catch("x"),
      e: z.string().optional().catch("x"),
      f: z.coerce.number(),
      g: z.preprocess((value) => value, z.string().optional()),
    });
    const required = Object.entries(parametersOf(input)).filter(([, one]) => one["required"]);
    expect(required.map(([name]) => name)).toEqual(["a", "f"]);
  });

  test("have the description and the `deprecated` flag of their schemas", () => {
    const input = z.object({ a: z.string().meta({ description: "Text", deprecated: true }) });
    expect(parametersOf(input)).toEqual({
      a: { description: "Text", deprecated: true, required: true, schema: { type: "string" } },
    });
  });

  test("have the examples of the whole input, unless they have their own", () => {
    const input = z
      .object({
        a: z.string(),
        b: z
          .string()
          .optional()
          .meta({ examples: ["own"] }),
      })
      .and(z.object({ c: z.int() }).meta({ examples: [{ c: 1 }, { c: 2 }] }));
    const whole = input.meta({ examples: [{ a: "x", b: "y" }, { a: "x" }] });
    expect(parametersOf(whole)).toMatchObject({
      a: { schema: { examples: ["x"] } },
      b: { schema: { examples: ["own"] } },
      c: { schema: { examples: [1, 2] } },
    });
  });

  test("that are arrays are repeated", () => {
    const input = z.object({ a: z.array(z.string()) });
    const schema = { type: "array", items: { type: "string" } };
    expect(parametersOf(input)).toEqual({
      a: { required: true, schema, style: "form", explode: true },
    });
  });

  test("that are objects are deep objects with the extended query parser, and rejected with the simple one", () => {
    const input = z.object({ a: z.object({ b: z.string() }) });
    const { a } = parametersOf(input, { queryParser: "extended" });
    expect(a).toMatchObject(deep);
    expect(() => parametersOf(input)).toThrow(
      'input.a of GET /a is an object, which the query parser "simple" never returns. Set `queryParser: "extended"`',
    );
    const either = z.object({ a: z.union([z.string(), z.object({ b: z.string() })]) });
    expect(parametersOf(either)["a"]).not.toHaveProperty("style");
    expect(parametersOf(either, { queryParser: "extended" })["a"]).toMatchObject(deep);
  });

  test("that are objects or null are treated as objects", () => {
    const orNull = [z.object({ b: z.string() }), z.looseRecord(z.url(), z.string())];
    for (const input of orNull.map((object) => z.object({ a: object.nullable() }))) {
      expect(parametersOf(input, { queryParser: "extended" })["a"]).toMatchObject(deep);
      expect(() => parametersOf(input)).toThrow("input.a of GET /a is an object");
    }
    const text = z.object({ a: z.string().nullable(), b: z.null() });
    expect(parametersOf(text, { queryParser: "extended" })["a"]).not.toHaveProperty("style");
    expect(parametersOf(text)["b"]).not.toHaveProperty("style");
  });

  test("that refer to themselves have an end", () => {
    const loop: z.ZodType = z.lazy(() => z.union([z.string(), loop]));
    const input = z.object({ a: loop });
    const wide: z.ZodType = z.lazy(() =>
      z.union([z.string(), ...Array.from({ length: 6 }, () => z.array(wide))]).describe("Wide"),
    );
    for (const queryParser of ["simple", "extended"] as const)
      expect(parametersOf(input.extend({ b: wide }), { queryParser })).toHaveProperty("b");
  });

  test("of unions are required if all options require them, and accept any value that an option accepts", () => {
    const input = z.discriminatedUnion("by", [
      z.object({ by: z.literal("name"), name: z.string(), n: z.string() }),
      z.object({ by: z.literal("age"), age: z.coerce.number(), n: z.stringbool() }),
    ]);
    const endpoint = factory.build({ input, handler: () => ({}) });
    const { parameters = [] } = generateOne("GET /a", { a: endpoint });
    expect(parameters.map(({ name, required = false }) => [name, required])).toEqual([
      ["by", true],
      ["name", false],
      ["n", true],
      ["age", false],
    ]);
    expect(parameters[0]?.["schema"]).toEqual({ type: "string", enum: ["name", "age"] });
  });

  test("in the path are always required, even if the input does not contain them", () => {
    const endpoint = factory.build({ input: fields("a").partial(), handler: () => ({}) });
    const { parameters } = generateOne("GET /x/{a}/{b}", { "x/:a/:b": endpoint });
    expect(parameters?.map(({ name, required }) => [name, required])).toEqual([
      ["a", true],
      ["b", true],
    ]);
  });

  test("for the rest of a path say how its slashes are sent", () => {
    const examples = [["invoices", "1.pdf"]];
    const input = z.object({
      rest: z.array(z.string()).meta({ description: "A file.", examples }),
    });
    const routing = { "files/*rest": factory.build({ input, handler: () => ({}) }) };
    const expected = {
      name: "rest",
      in: "path",
      description:
        "A file. The rest of the path: its segments, with slashes between them that are not encoded; `%2F` is a slash within a segment.",
      required: true,
      example: "invoices/1.pdf",
      schema: { type: "string" },
    };
    expect(generateOne("GET /files/{rest}", routing).parameters).toEqual([expected]);
    const document = generate(routing, { openapi: "3.2" });
    expect(findOperation(document, "GET /files/{rest}").parameters).toEqual([
      { ...expected, allowReserved: true },
    ]);
    expect(findOfficialErrors(document, "3.2")).toEqual([]);
  });

  test("have the examples of their schemas, but none of their formats unless they are required", () => {
    const day = z.iso.datetime();
    const input = z.object({
      page: z.coerce
        .number()
        .meta({ examples: [2, 3] })
        .optional(),
      title: z.string().meta({ example: "Emma" }).optional(),
      since: day,
      until: day.optional(),
      named: z.enum(["a", "b"]).meta({ id: "Letter", examples: ["b"] }),
    });
    const { parameters = [] } = generateOne("GET /a", {
      a: factory.build({ input, handler: () => ({}) }),
    });
    const at = "2026-01-31T12:30:00Z";
    expect(
      parameters.map(({ name, example, schema }) => [name, example, Object(schema).examples]),
    ).toEqual([
      ["page", 2, [2, 3]],
      ["title", "Emma", ["Emma"]],
      ["since", at, [at]],
      ["until", undefined, undefined],
      ["named", "b", undefined],
    ]);
  });

  test("with arbitrary names are described as one parameter", () => {
    const endpoint = factory.build({
      input: z.object({ a: z.string() }).catchall(z.string()),
      handler: () => ({}),
    });
    const { parameters } = generateOne("GET /a", { a: endpoint });
    expect(parameters?.[1]).toMatchObject({
      name: "otherParameters",
      schema: { type: "object", additionalProperties: { type: "string" } },
      style: "form",
      explode: true,
    });
  });
});

describe("the body of a request", () => {
  const bodyOf = (input: z.ZodType<object>, path = "a", config = { upload: true }) =>
    generateOne(
      `POST /${path.replaceAll(/:(\w+)/g, "{$1}")}`,
      { [`post /${path}`]: factory.build({ input, handler: () => ({}) }) },
      { config },
    ).requestBody;

  test.each<[string, z.ZodType<object>, readonly string[]]>([
    ["JSON", z.object({ a: z.string() }), ["application/json"]],
    ["a form", ez.form({ a: z.string() }), ["application/x-www-form-urlencoded"]],
    [
      "an extended form",
      ez.form({}).extend({ a: z.string() }),
      ["application/x-www-form-urlencoded"],
    ],
    [
      "a form in an intersection",
      ez.form({}).and(z.object({ a: z.string() })),
      ["application/x-www-form-urlencoded"],
    ],
    ["a form with files", ez.form({ a: ez.upload() }), ["multipart/form-data"]],
    ["files", z.object({ a: z.array(ez.upload()) }), ["multipart/form-data"]],
    [
      "files, or JSON if no file is required",
      z.object({ a: z.array(ez.upload()).optional(), b: z.string() }),
      ["multipart/form-data", "application/json"],
    ],
    [
      "files, if an option of a union requires one",
      z.union([z.object({ a: ez.upload() }), z.object({ b: z.string() })]),
      ["multipart/form-data"],
    ],
    ["of any type for ez.raw", ez.raw(), ["*/*"]],
    [
      "of the declared type for ez.raw",
      ez.raw({}, { contentMediaType: "image/png" }),
      ["image/png"],
    ],
  ])("is %s", (_name, input, types) => {
    expect(Object.keys(bodyOf(input)?.content ?? {})).toEqual(types);
  });

  const bytes = { type: "string", format: "binary" };
  test.each<[string | undefined, object]>([
    [undefined, bytes],
    ["*/*", bytes],
    ["image/*", bytes],
    ["image/png", { ...bytes, contentMediaType: "image/png" }],
    ["text/csv", { type: "string" }],
    ["text/csv; charset=utf-8", { type: "string" }],
    ["application/xml", { type: "string" }],
    ["application/geo+json", {}],
  ])("that is raw is described by its media type: %s", (type, schema) => {
    const input = ez.raw({}, type === undefined ? {} : { contentMediaType: type });
    expect(bodyOf(input)?.content).toEqual({ [type ?? "*/*"]: { schema } });
  });

  test("that is raw has the description, the examples and the media type of `raw` itself", () => {
    const described = ez.raw().shape.raw.meta({
      description: "The rows",
      examples: ["a,b"],
      contentMediaType: "text/csv",
    });
    expect(bodyOf(z.object({ raw: described }))?.content).toEqual({
      "text/csv": { schema: { type: "string", description: "The rows", examples: ["a,b"] } },
    });
  });

  test("has deep objects in a form with the extended query parser", () => {
    const input = ez.form({ a: z.object({ b: z.string() }).optional(), c: z.string() });
    const endpoint = factory.build({ input, handler: () => ({}) });
    const encodingOf = (queryParser: "extended" | "simple") => {
      const { requestBody } = generateOne(
        "POST /a",
        { "post /a": endpoint },
        { config: { queryParser } },
      );
      return requestBody?.content["application/x-www-form-urlencoded"]?.["encoding"];
    };
    expect(encodingOf("extended")).toEqual({ a: { style: "deepObject", explode: true } });
    expect(encodingOf("simple")).toBeUndefined();
  });

  test("is JSON alone for an endpoint with `forms: false`", () => {
    const endpoint = factory.build({ input: fields("a"), forms: false, handler: () => ({}) });
    const { requestBody } = generateOne("POST /a", { "post a": endpoint });
    expect(Object.keys(requestBody?.content ?? {})).toEqual(["application/json"]);
  });

  test("in JSON has no files", () => {
    const input = z.object({ a: ez.upload().optional(), b: z.string() });
    expect(bodyOf(input)?.content).toMatchObject({
      "multipart/form-data": { schema: { properties: { a: {}, b: {} } } },
      "application/json": {
        schema: { type: "object", properties: { b: { type: "string" } }, required: ["b"] },
      },
    });
  });

  test("has the examples of the whole input, without the fields that come from elsewhere", () => {
    const input = z.object({ id: z.string(), a: z.string().optional() });
    const examples = (...all: readonly z.input<typeof input>[]) =>
      bodyOf(input.meta({ examples: [...all] }), ":id")?.content["application/json"]?.schema;
    expect(examples({ id: "1", a: "x" })).toHaveProperty("examples", [{ a: "x" }]);
    expect(examples({ id: "1" })).not.toHaveProperty("examples");
  });

  test("is required if one of its fields is required", () => {
    expect(bodyOf(z.object({ a: z.string() }))?.required).toBe(true);
    expect(bodyOf(z.object({ a: z.string().optional() }))?.required).toBe(false);
    const union = z.union([z.object({ a: z.string() }), z.object({ b: z.string() })]);
    expect(bodyOf(union)?.required).toBe(true);
    expect(bodyOf(union.or(z.object({})))?.required).toBe(false);
  });

  test("is absent if it would have no fields", () => {
    expect(bodyOf(z.object({ id: z.string() }), ":id")).toBeUndefined();
    expect(bodyOf(z.object({}))).toBeUndefined();
  });

  test("lacks fields that come from elsewhere, even inside unions and named schemas", () => {
    const named = z.object({ id: z.string(), a: z.string() }).meta({ id: "Named" });
    const input = z.union([named, z.object({ id: z.string(), b: z.string() })]);
    expect(bodyOf(input, ":id")?.content["application/json"]?.schema).toEqual({
      anyOf: [
        { type: "object", properties: { a: { type: "string" } }, required: ["a"] },
        { type: "object", properties: { b: { type: "string" } }, required: ["b"] },
      ],
    });
  });

  test("refers to a named schema that describes it entirely", () => {
    const input = z.object({ a: z.string() }).meta({ id: "Named" });
    expect(bodyOf(input)?.content["application/json"]?.schema).toEqual({
      $ref: "#/components/schemas/Named",
    });
  });

  test("includes the fields of middlewares, even if the schema of the endpoint is strict", () => {
    const key = new Middleware({ input: z.object({ key: z.string() }), handler: () => ({}) });
    const endpoint = factory
      .addMiddleware(key)
      .build({ method: "post", input: z.strictObject({ a: z.string() }), handler: () => ({}) });
    const { requestBody } = generateOne("POST /a", { a: endpoint });
    expect(requestBody?.content["application/json"]?.schema).toEqual({
      type: "object",
      properties: { key: { type: "string" }, a: { type: "string" } },
      required: ["key", "a"],
      additionalProperties: false,
    });
  });

  test("includes the fields of middlewares, even if the endpoint takes one of several strict schemas", () => {
    const key = new Middleware({ input: z.object({ key: z.string() }), handler: () => ({}) });
    const [a, b] = ["a", "b"].map((kind) => z.strictObject({ kind: z.literal(kind) }));
    const input = z.discriminatedUnion("kind", [a as z.ZodObject, b as z.ZodObject]);
    const endpoint = factory
      .addMiddleware(key)
      .build({ method: "post", input, handler: () => ({}) });
    const { requestBody } = generateOne("POST /a", { a: endpoint });
    const schema = JSON.stringify(requestBody?.content["application/json"]?.schema);
    expect(schema).toContain('"const":"a"');
    expect(schema).not.toMatch(/additionalProperties|discriminator/);
  });

  test("uses allOf to combine schemas that cannot be merged", () => {
    const key = new Middleware({ input: z.object({ key: z.string() }), handler: () => ({}) });
    const input = z.union([z.object({ a: z.string() }), z.object({ b: z.string() })]);
    const endpoint = factory
      .addMiddleware(key)
      .build({ method: "post", input, handler: () => ({}) });
    const { requestBody } = generateOne("POST /a", { a: endpoint });
    expect(requestBody?.content["application/json"]?.schema).toHaveProperty("allOf.length", 2);
  });

  test("exists for a GET if the configuration adds `body` to its input sources", () => {
    const config = { inputSources: { get: ["body"] } } as const;
    const endpoint = factory.build({ input: fields("a"), handler: () => ({}) });
    const { requestBody } = generateOne("GET /a", { a: endpoint }, { config });
    expect(requestBody?.required).toBe(true);
  });
});

test("the document respects methodLikeRouteBehavior", () => {
  const endpoint = factory.build({ handler: () => ({}) });
  const { paths } = generate({ get: endpoint }, { config: { methodLikeRouteBehavior: "path" } });
  expect(Object.keys(paths)).toEqual(["/get"]);
});
