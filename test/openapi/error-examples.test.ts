import {
  arrayEndpointsFactory,
  defaultEndpointsFactory as factory,
  EndpointsFactory,
  ez,
  EventStreamFactory,
  problemEndpointsFactory,
  ResultHandler,
  type Routing,
} from "sallyport";
import type { JsonObject } from "sallyport/openapi";
import { rateLimit } from "sallyport/rate-limit";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { start } from "../http/harness.ts";
import { findOperation, generate, type Operation } from "./generate.ts";

const handler = () => ({});
const input = z.object({ name: z.string() });

/** Returns the media type of an error's body. */
const mediaOf = (routing: Routing, at: string, status: number): JsonObject => {
  const document = generate(routing);
  const response = findOperation(document, at).responses[status];
  const shared = document.components?.["responses"] as unknown as Operation["responses"];
  const { content } = shared?.[response?.$ref?.split("/").at(-1) ?? ""] ?? response ?? {};
  return Object.values(content ?? {})[0] ?? {};
};

describe("An error that the framework sends has the example of what is sent", () => {
  const declared = { input, errors: { 404: "There is none" }, handler };
  const build = {
    default: factory.build({ ...declared, method: ["get", "post"] }),
    problem: problemEndpointsFactory.build({ ...declared, method: ["get", "post"] }),
    array: arrayEndpointsFactory.build({
      ...{ ...declared, method: ["get", "post"] },
      handler: () => ({ items: [] }),
    }),
  };
  test.each<[keyof typeof build, string, number, object]>([
    ["default", "GET", 400, {}],
    ["problem", "GET", 400, {}],
    ["array", "GET", 400, {}],
    ["default", "POST", 400, { "content-type": "application/json" }],
    ["problem", "POST", 400, { "content-type": "application/json" }],
    ["default", "POST", 415, { "content-type": "image/png" }],
    ["problem", "POST", 415, { "content-type": "image/png" }],
  ])("%s %s %i", async (name, method, status, headers) => {
    const routing: Routing = { [`${method.toLowerCase()} a`]: build[name] };
    const server = await start(routing);
    const body = method === "POST" && { body: "{}" };
    const reply = await server.send("/a", { method, headers: { ...headers }, ...body });
    const sent = name === "array" ? reply.text : (JSON.parse(reply.text) as unknown);
    expect([reply.status, sent]).toEqual([
      status,
      mediaOf(routing, `${method} /a`, status).example,
    ]);
  });

  test.each([
    [413, { message: "Content Too Large", code: "SLP_BODY_TOO_LARGE" }],
    [500, { message: "Internal Server Error" }],
    [503, { message: "Service Unavailable", code: "SLP_HANDLER_TIMEOUT" }],
  ])("%i", (status, error) => {
    const routing = { "post a": factory.build({ timeout: 1000, handler }) };
    expect(mediaOf(routing, "POST /a", status)["example"]).toEqual({ status: "error", error });
  });
});

describe("The example of a 400 names a field of its operation", () => {
  const ids = z.object({ id: z.uuid() });
  const header = z.object({ "if-match": z.string() });
  test.each<[string, string, Parameters<typeof factory.build>[0], string, object]>([
    ["that is missing", "GET /a", { input: z.object({ limit: z.int() }), handler }, "/a", {}],
    ["of the path", "GET /a/{id}", { input: ids, handler }, "/a/1", {}],
    [
      "that is optional in the query",
      "GET /a",
      {
        input: z.object({ text: z.string().optional(), size: z.coerce.number().max(5).optional() }),
        handler,
      },
      "/a?size=?",
      {},
    ],
    ["of the header", "GET /a", { headers: header, handler }, "/a", {}],
    [
      "of the body, rather than of the path",
      "PUT /a/{id}",
      { input: ids.extend({ price: z.number() }), handler },
      "/a/7d444840-9dc0-41d3-b0c6-8f0d2c1ad1b9",
      { "content-type": "application/json" },
    ],
    [
      "that is optional in the body",
      "POST /a",
      { input: z.object({ price: z.number().optional() }), handler },
      "/a",
      { "content-type": "application/json" },
    ],
  ])("%s", async (name, at, definition, target, headers) => {
    const [method = "", path = ""] = at.split(" ");
    for (const own of [factory, problemEndpointsFactory]) {
      const endpoint = own.build({ ...definition, method: method.toLowerCase() as "get" });
      const routing = { [path.replace("{id}", ":id")]: endpoint };
      const server = await start(routing);
      const body = name.includes("optional in the body") ? '{"price":null}' : "{}";
      const reply = await server.send(target, {
        ...{ method, headers: { ...headers } },
        ...(method !== "GET" && { body }),
      });
      expect([reply.status, reply.json()]).toEqual([400, mediaOf(routing, at, 400)["example"]]);
    }
  });

  test("and is what a malformed body causes, if no field can be invalid", () => {
    const codeOf = (input: z.ZodObject) => {
      const media = mediaOf({ "post a": factory.build({ input, handler }) }, "POST /a", 400);
      return (media["example"] as { readonly error: JsonObject }).error["code"];
    };
    const text = z.unknown().optional();
    expect(codeOf(z.object({ text }))).toBe("SLP_BODY_MALFORMED_JSON");
    expect(codeOf(ez.form({ text }))).toBe("SLP_BODY_MALFORMED_FORM");
    expect(codeOf(z.object({ text, file: ez.upload() }))).toBe("SLP_INPUT_INVALID");
    const raw = factory.build({ method: "post", input: ez.raw(), handler });
    expect(mediaOf({ a: raw }, "POST /a", 400)["example"]).toBeUndefined();
    const routing = {
      a: factory.build({ input: z.object({ text: z.string().optional() }), handler }),
    };
    expect(mediaOf(routing, "GET /a", 400)["example"]).toBeUndefined();
  });

  test("and a 413 is the one of uploads if there are files", () => {
    const upload = factory.build({ input: z.object({ file: ez.upload() }), handler });
    expect(mediaOf({ "post a": upload }, "POST /a", 413)["example"]).toEqual({
      status: "error",
      error: { message: "Content Too Large", code: "SLP_UPLOAD_TOO_LARGE" },
    });
  });
});

describe("An error that is declared", () => {
  const until = z.object({ until: z.iso.date() });
  const exampleOf = (errors: JsonObject, own: Pick<typeof factory, "build"> = factory) => {
    const routing = { a: own.build({ errors: errors as never, handler }) };
    const { example, examples } = mediaOf(routing, "GET /a", 409);
    return examples ?? example;
  };
  const declare = (schema?: z.ZodType) => ({
    soldOut: { status: 409, description: "Sold out", schema },
  });
  const error = { message: "Sold out", code: "soldOut" };

  test("has its description and its code in its example", () => {
    expect(exampleOf({ 409: "Sold out" })).toEqual({
      status: "error",
      error: { message: "Sold out" },
    });
    expect(exampleOf(declare())).toEqual({ status: "error", error });
  });

  test("has its type and title in problem details", () => {
    const described = {
      status: 409,
      description: "Sold out",
      type: "/sold-out",
      title: "Too late",
    };
    expect(exampleOf({ soldOut: described }, problemEndpointsFactory as never)).toEqual({
      type: "/sold-out",
      title: "Too late",
      status: 409,
      detail: "Sold out",
      code: "soldOut",
    });
  });

  test.each<[string, z.ZodType | undefined, unknown]>([
    [
      "an example of its data that is made of those of its parts",
      z.object({
        until,
        at: ez.dateOut({ examples: ["2026-11-30T09:00:00Z"] }),
        left: z.int().meta({ example: 3 }),
        kind: z.enum(["book", "card"]),
        titles: z.array(z.string().meta({ examples: ["Emma"] })),
        note: z.string().optional(),
        closed: z.boolean(),
      }),
      {
        ...error,
        data: {
          until: { until: "2026-01-31" },
          at: "2026-11-30T09:00:00.000Z",
          ...{ left: 3, kind: "book", titles: ["Emma"], note: "text", closed: true },
        },
      },
    ],
    ["no example if none of its data fits", z.object({ sku: z.string().regex(/^q$/) }), undefined],
    [
      "the first fitting example of its data",
      until.meta({ examples: [{}, { until: "2026-12-31" }] }),
      { ...error, data: { until: "2026-12-31" } },
    ],
    [
      "no example that the schema would change",
      z.coerce.number().meta({ examples: ["1"] }),
      undefined,
    ],
    [
      "no example of a schema that is asynchronous",
      z
        .string()
        .refine(async () => true)
        .meta({ examples: ["a"] }),
      undefined,
    ],
  ])("has %s", (_name, schema, expected) => {
    const example = exampleOf(declare(schema));
    expect(example).toEqual(expected && { status: "error", error: expected });
  });

  test("has an example without data if its data is optional", () => {
    const expected = { status: "error", error: { message: "Sold out" } };
    const own = z.object({ sku: z.string().regex(/^q$/) });
    const optional = { description: "Sold out", schema: own.optional() };
    expect(exampleOf({ 409: optional })).toEqual(expected);
    const other = factory.addMiddleware({ errors: { 409: "Sold out" }, handler });
    expect(exampleOf({ 409: { ...optional, schema: own } }, other)).toEqual(expected);
  });

  test("has an example by name if several share a status", () => {
    const taken = { taken: { status: 409, description: "Taken" } };
    expect(exampleOf({ ...declare(), ...taken, 409: "Other" })).toEqual({
      soldOut: { value: { status: "error", error } },
      taken: { value: { status: "error", error: { message: "Taken", code: "taken" } } },
      error: { value: { status: "error", error: { message: "Other" } } },
    });
  });

  test("by the framework has the message of the framework", () => {
    const limited = factory.addMiddleware(rateLimit({ limit: 1 })).build({ handler });
    expect(mediaOf({ a: limited }, "GET /a", 429)["example"]).toEqual({
      status: "error",
      error: { message: "Too Many Requests", code: "SLP_RATE_LIMITED" },
    });
  });

  test("with a 5xx status has the message that production sends", () => {
    const routing = { a: factory.build({ errors: { 502: "The shop is down" }, handler }) };
    expect(mediaOf(routing, "GET /a", 502)["example"]).toEqual({
      status: "error",
      error: { message: "Bad Gateway" },
    });
  });

  test("of an event stream has the example of the stream's errors", () => {
    const streams = new EventStreamFactory({ tick: z.int() }, { factory: problemEndpointsFactory });
    expect(exampleOf({ 409: "Sold out" }, streams as never)).toMatchObject({ detail: "Sold out" });
  });

  test("has no example if the application's own result handler sends it", () => {
    const own = new EndpointsFactory(
      new ResultHandler({
        positive: (data) => data,
        negative: z.record(z.string(), z.unknown()),
        handler: () => undefined,
      }),
    );
    expect(exampleOf({ 409: "Sold out" }, own as never)).toBeUndefined();
  });
});
