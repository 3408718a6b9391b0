import {
  createConfig,
  defaultEndpointsFactory as factory,
  defaultResultHandler,
  EndpointsFactory,
  EventStreamFactory,
  ez,
  Middleware,
  problemEndpointsFactory,
  problemResultHandler,
  ResultHandler,
  type Routing,
} from "sallyport";
import type { JsonObject, OpenApiOptions } from "sallyport/openapi";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { findOperation, generate, generateOne } from "./generate.ts";

const handler = () => ({});
const key = new Middleware({ security: { type: "basic" }, handler });

/** Returns the statuses of an operation. */
const statusesOf = (at: string, routing: Routing, options: Partial<OpenApiOptions> = {}) =>
  Object.keys(generateOne(at, routing, options).responses).map(Number);

describe("the statuses of an operation", () => {
  const input = z.object({ a: z.string().optional() });
  test.each<[string, string, Routing, Partial<OpenApiOptions>, readonly number[]]>([
    ["without input", "GET /a", { a: factory.build({ handler }) }, {}, [200, 500]],
    ["with input", "GET /a", { a: factory.build({ input, handler }) }, {}, [200, 400, 500]],
    [
      "with a path parameter",
      "GET /a/{b}",
      { "a/:b": factory.build({ handler }) },
      {},
      [200, 400, 500],
    ],
    [
      "with a body",
      "POST /a",
      { "post /a": factory.build({ handler }) },
      {},
      [200, 400, 413, 415, 500],
    ],
    [
      "with input of a middleware",
      "GET /a",
      { a: factory.addMiddleware({ input, handler }).build({ handler }) },
      {},
      [200, 400, 500],
    ],
    [
      "with security",
      "GET /a",
      { a: factory.addMiddleware(key).build({ handler }) },
      {},
      [200, 401, 500],
    ],
    [
      "with a timeout",
      "GET /a",
      { a: factory.build({ timeout: 9, handler }) },
      {},
      [200, 500, 503],
    ],
    [
      "with a timeout for all stages",
      "GET /a",
      { a: factory.build({ handler }) },
      { config: { requestTimeout: 9 } },
      [200, 500, 503],
    ],
    [
      "with a timeout for handlers",
      "GET /a",
      { a: factory.build({ handler }) },
      { config: { requestTimeout: 9 } },
      [200, 500, 503],
    ],
    [
      "declared",
      "GET /a",
      { a: factory.build({ statusCode: 202, errors: { 404: "No", 502: "Far" }, handler }) },
      {},
      [202, 404, 500, 502],
    ],
    [
      "declared by a middleware",
      "GET /a",
      { a: factory.addMiddleware({ errors: { 429: "Slow" }, handler }).build({ handler }) },
      {},
      [200, 429, 500],
    ],
    [
      "without content",
      "DELETE /a",
      { "delete /a": factory.buildVoid({ statusCode: 204, handler }) },
      {},
      [204, 500],
    ],
  ])("%s", (_name, at, routing, options, expected) => {
    expect(statusesOf(at, routing, options)).toEqual(expected);
  });

  test("are those that a result handler declares", () => {
    const own = new EndpointsFactory(
      new ResultHandler({
        positive: (data) => [
          { schema: data, statusCode: [200, 201] },
          { schema: z.null(), statusCode: 202, mimeType: null },
        ],
        negative: [
          { schema: z.literal("gone"), statusCode: 410, mimeType: "text/plain" },
          { schema: z.string(), mimeType: ["text/plain", "text/html"] },
        ],
        handler,
      }),
    );
    const { responses } = generateOne("GET /a", { a: own.build({ handler }) });
    expect(Object.keys(responses)).toEqual(["200", "201", "202", "410", "500"]);
    expect(responses["202"]).toEqual({ description: "Accepted" });
    const document = generate({ a: own.build({ handler }) });
    const shared = document.components?.["responses"] as Record<string, JsonObject>;
    expect(Object.keys(shared["GoneText"]?.["content"] as object)).toEqual(["text/plain"]);
    expect(Object.keys(shared["InternalServerError"]?.["content"] as object)).toEqual([
      "text/plain",
      "text/html",
    ]);
  });
});

describe("a success", () => {
  test("has the schema of the result handler, which contains the output schema", () => {
    const output = z.object({ at: ez.dateOut() });
    const routing = {
      a: factory.build({ output, handler: () => ({ at: new Date() }) }),
      b: problemEndpointsFactory.build({ output, handler: () => ({ at: new Date() }) }),
    };
    const schemaOf = (at: string) =>
      generateOne(at, routing).responses["200"]?.content?.["application/json"]?.schema;
    expect(schemaOf("GET /a")).toMatchObject({
      properties: {
        status: { const: "success" },
        data: { properties: { at: { format: "date-time" } } },
      },
      required: ["status", "data"],
    });
    expect(schemaOf("GET /b")).toMatchObject({ properties: { at: { format: "date-time" } } });
  });

  test("with status 204 has no content", () => {
    const endpoint = factory.build({ statusCode: 204, handler });
    const { responses } = generateOne("GET /a", { a: endpoint });
    expect(responses["204"]).toEqual({ description: "No Content" });
  });

  test("has the description of its output schema", () => {
    const output = z.object({ a: z.string() }).describe("What it is");
    const endpoint = factory.build({ output, handler: () => ({ a: "" }) });
    expect(generateOne("GET /a", { a: endpoint }).responses["200"]?.description).toBe("What it is");
  });

  test("has links to other pages if the endpoint declares them", () => {
    const page = (links: boolean) =>
      ez.paginated({ style: "offset", itemSchema: z.object({ id: z.int() }), links });
    const responsesOf = (links: boolean) => {
      const { input, output } = page(links);
      const endpoint = factory.build({
        input,
        output,
        handler: () => ({ items: [], total: 0, limit: 1, offset: 0 }),
      });
      return generateOne("GET /a", { a: endpoint });
    };
    expect(responsesOf(true).responses["200"]?.headers).toHaveProperty("Link");
    expect(responsesOf(false).responses["200"]).not.toHaveProperty("headers");
    expect(responsesOf(false).parameters).toMatchObject([
      { name: "limit", schema: { type: "integer", minimum: 1, maximum: 100, default: 20 } },
      { name: "offset", schema: { type: "integer", minimum: 0, default: 0 } },
    ]);
  });

  test("that is sent without an envelope has the media type of the content, whatever the result handler declares", () => {
    const contentOf = (output: z.ZodType) =>
      generateOne("GET /a", { a: factory.build({ output, handler: () => ({}) }) }).responses;
    const csv = contentOf(ez.stream("text/csv; charset=utf-8"));
    expect(csv["200"]?.content).toEqual({ "text/csv": { schema: { type: "string" } } });
    expect(Object.keys(csv)).toEqual(["200", "500"]);
    const png = contentOf(ez.buffer("image/png"));
    expect(png["200"]?.content).toEqual({
      "image/png": { schema: { type: "string", format: "binary", contentMediaType: "image/png" } },
    });
    const json = contentOf(ez.buffer("application/geo+json"));
    expect(json["200"]?.content).toEqual({ "application/geo+json": { schema: {} } });
    expect(Object.keys(contentOf(ez.file()))).toEqual([
      "200",
      "206",
      "304",
      "404",
      "412",
      "416",
      "500",
    ]);
  });

  test("that is an event stream describes its events, as far as the OpenAPI version allows", () => {
    const stream = new EventStreamFactory({ tick: z.object({ n: z.int() }) }).build({
      handler: () => undefined,
    });
    const mediaOf = (openapi: "3.0" | "3.1" | "3.2") =>
      generateOne("GET /a", { a: stream }, { openapi }).responses["200"]?.content?.[
        "text/event-stream"
      ];
    expect(mediaOf("3.2")).toEqual({
      itemSchema: {
        type: "object",
        properties: {
          event: { type: "string", const: "tick" },
          data: {
            type: "string",
            contentMediaType: "application/json",
            contentSchema: {
              type: "object",
              properties: { n: { type: "integer" } },
              required: ["n"],
            },
          },
          id: { type: "string" },
          retry: { type: "integer", minimum: 0 },
        },
        required: ["event", "data"],
      },
    });
    expect(mediaOf("3.1")).toHaveProperty("schema", { type: "string" });
    expect(mediaOf("3.1")).toHaveProperty("x-itemSchema.properties.event.const", "tick");
    expect(mediaOf("3.0")).toHaveProperty("x-itemSchema.properties.event.enum", ["tick"]);
  });
});

describe("an error", () => {
  const taken = { description: "Taken", schema: z.object({ field: z.string() }) };
  const errorsOf = (status: number, routing: Routing, options: Partial<OpenApiOptions> = {}) => {
    const document = generate(routing, options);
    const response = findOperation(document, "POST /a").responses[String(status)];
    const name = response?.$ref?.replace("#/components/responses/", "");
    const own = name ? (document.components?.["responses"]?.[name] as typeof response) : response;
    return own;
  };
  const build = (errors: Record<number, string | typeof taken>, own = factory) => ({
    "post /a": own.build({ errors, input: z.object({ a: z.string() }), handler }),
  });

  test("has the declared description, headers and data", () => {
    expect(errorsOf(409, build({ 409: taken }))).toMatchObject({
      description: "Taken",
      content: {
        "application/json": {
          schema: {
            properties: {
              error: {
                properties: { message: {}, data: { properties: { field: { type: "string" } } } },
                required: ["message", "data"],
              },
            },
          },
        },
      },
    });
    const headers = { "Retry-After": "Seconds" };
    const limited = new Middleware({ errors: { 429: { description: "Slow", headers } }, handler });
    expect(errorsOf(429, build({}, factory.addMiddleware(limited)))?.headers).toEqual({
      "Retry-After": { description: "Seconds", schema: { type: "string" } },
    });
  });

  test("has optional data if the framework sends the same status, too", () => {
    const schema = errorsOf(400, build({ 400: taken }))?.content?.["application/json"]?.schema;
    expect(schema).toHaveProperty("properties.error.required", ["message"]);
    expect(schema).toHaveProperty("properties.error.properties.data");
  });

  test("has no data unless data is declared, and shares one body schema with other errors without data", () => {
    for (const status of [400, 404, 413, 415, 500])
      expect(
        errorsOf(status, build({ 404: "None" }))?.content?.["application/json"]?.schema,
      ).toEqual({
        $ref: "#/components/schemas/Error",
      });
  });

  test("with several declarations may have the data of any of them", () => {
    const busy = new Middleware({
      errors: { 409: { description: "Busy", schema: z.object({ seconds: z.number() }) } },
      handler,
    });
    const response = errorsOf(409, build({ 409: taken }, factory.addMiddleware(busy)));
    expect(response?.description).toBe("Taken\n\nBusy");
    expect(response?.content?.["application/json"]?.schema).toHaveProperty(
      "properties.error.properties.data.anyOf.length",
      2,
    );
  });

  test("is described by the endpoint's result handler, whatever the configured error handler", () => {
    const config = createConfig({ cors: false, errorHandler: problemResultHandler });
    const typesOf = (status: number, own: Pick<typeof factory, "build">) =>
      Object.keys(
        errorsOf(
          status,
          { "post /a": own.build({ input: z.object({ a: z.string() }), handler }) },
          { config },
        )?.content ?? {},
      );
    const [json, problem] = ["application/json", "application/problem+json"];
    for (const status of [400, 413, 415, 500]) {
      expect(typesOf(status, factory)).toEqual([json]);
      expect(typesOf(status, problemEndpointsFactory as never)).toEqual([problem]);
      const events = { tick: z.object({ n: z.int() }) };
      const streams = new EventStreamFactory(events, { factory: problemEndpointsFactory });
      expect(typesOf(status, streams as never)).toEqual([problem]);
    }
    const own = new EndpointsFactory(
      new ResultHandler({
        positive: (data) => data,
        negative: () => defaultResultHandler.listNegative() as [],
        handler,
      }),
    );
    expect(typesOf(415, own as never)).toEqual([json]);
  });
});
