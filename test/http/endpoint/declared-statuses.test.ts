import type { ErrorRequestHandler } from "express";
import createHttpError from "http-errors";
import {
  arrayEndpointsFactory,
  defaultEndpointsFactory as factory,
  EndpointsFactory,
  EventStreamFactory,
  Middleware,
  problemEndpointsFactory,
  ResultHandler,
  ez,
} from "sallyport";
import { describe, expect, test, vi } from "vitest";
import { z } from "zod";
import { errorEnvelope, start, successEnvelope } from "../harness.ts";

const taken = { description: "Taken", schema: z.object({ field: z.string() }) };
const throwing =
  (status: number, more: object = {}) =>
  (): never => {
    throw createHttpError(status, "Oh", more);
  };

describe("the declared status of a success", () => {
  test("is sent, unless a middleware or the handler sets another status", async () => {
    const accepted = new Middleware({
      handler: async ({ response }) => void response.status(202),
    });
    const server = await start({
      created: factory.build({ statusCode: 201, handler: () => ({}) }),
      same: factory.build({
        statusCode: 201,
        handler: ({ response }) => void response.status(200),
      }),
      other: factory.addMiddleware(accepted).build({ statusCode: 201, handler: () => ({}) }),
      list: arrayEndpointsFactory.build({ statusCode: 203, handler: () => ({ items: [1] }) }),
      problem: problemEndpointsFactory.build({ statusCode: 203, handler: () => ({ a: 1 }) }),
      failing: factory.build({ statusCode: 201, handler: throwing(404) }),
      wrong: factory.build({
        statusCode: 201,
        output: z.object({ a: z.string() }),
        handler: () => ({}) as never,
      }),
    });
    const statusOf = async (path: string): Promise<number> => (await server.send(path)).status;
    expect(await statusOf("/created")).toBe(201);
    expect(await statusOf("/same")).toBe(200);
    expect(await statusOf("/other")).toBe(202);
    expect(await statusOf("/list")).toBe(203);
    expect(await statusOf("/problem")).toBe(203);
    expect(await statusOf("/failing")).toBe(404);
    expect(await statusOf("/wrong")).toBe(500);
  });

  test("is set when a custom result handler sends the response", async () => {
    const custom = new EndpointsFactory(
      new ResultHandler({
        positive: (data) => data,
        negative: z.object({}),
        handler: ({ response, output }) => response.json(output),
      }),
    );
    const server = await start({ a: custom.build({ statusCode: 202, handler: () => ({ b: 1 }) }) });
    const answer = await server.send("/a");
    expect([answer.status, answer.json()]).toEqual([202, { b: 1 }]);
  });

  test.each([204, 205])("may be %i, without a body", async (statusCode) => {
    const server = await start({
      "delete /a": factory.buildVoid({ statusCode, handler: () => 1 }),
    });
    const answer = await server.send("/a", { method: "DELETE" });
    expect([answer.status, answer.text]).toEqual([statusCode, ""]);
    expect(answer.headers["content-length"] ?? "0").toBe("0");
  });

  test.each([99, 199, 300, 404, 200.5, "201", null])("cannot be %s", (statusCode) => {
    expect(() => factory.build({ statusCode: statusCode as 200, handler: () => ({}) })).toThrow(
      /`statusCode` must be a success status \(200 to 299\); got /,
    );
  });

  test("cannot be declared for an event stream", () => {
    const events = new EventStreamFactory({ a: z.string() });
    const definition = { statusCode: 201, handler: (): void => undefined };
    expect(() => events.build(definition)).toThrow("there is no key `statusCode`");
  });
});

describe("declared errors", () => {
  test("send their data, parsed by their schema", async () => {
    const errors = { 409: taken };
    const handler = throwing(409, { data: { field: "email", secret: 1 } });
    const server = await start({
      default: factory.build({ errors, handler }),
      problem: problemEndpointsFactory.build({ errors, handler }),
      text: arrayEndpointsFactory.build({ errors, handler }),
      stream: new EventStreamFactory({ a: z.string() }).build({ errors, handler }),
    });
    const expected = { status: "error", error: { message: "Oh", data: { field: "email" } } };
    expect((await server.send("/default")).json()).toEqual(expected);
    expect((await server.send("/stream")).json()).toEqual(expected);
    expect((await server.send("/problem")).json()).toEqual({
      ...{ type: "about:blank", title: "Conflict", status: 409, detail: "Oh" },
      data: { field: "email" },
    });
    expect((await server.send("/text")).text).toBe("Oh");
  });

  test("H19: do not send undeclared data", async () => {
    const handler = throwing(409, { data: { field: "email" } });
    const server = await start({
      none: factory.build({ handler }),
      text: factory.build({ errors: { 409: "Taken" }, handler }),
      other: factory.build({ errors: { 404: taken }, handler }),
    });
    for (const path of ["/none", "/text", "/other"])
      expect((await server.send(path)).json()).toEqual(errorEnvelope("Oh"));
  });

  test.each([undefined, null, {}, { field: 1 }])(
    "H19: result in a 500 if the data %j does not fit",
    async (data) => {
      const server = await start({
        a: factory.build({ errors: { 409: taken }, handler: throwing(409, { data }) }),
      });
      const answer = await server.send("/a");
      expect(answer.status).toBe(500);
      expect(answer.json()).not.toHaveProperty("error.data");
      const [line] = server.linesOf("error");
      const { error } = (line as { meta: unknown }).meta as { error: Error };
      expect(error).toMatchObject({ code: "SLP_ERROR_DATA", cause: { message: "Oh" } });
      expect(error.message).toMatch(/^The data of a thrown 409 error does not fit .*: data/);
    },
  );

  test("parse their data asynchronously if the schema is asynchronous", async () => {
    const schema = z.object({ n: z.number() }).transform(async ({ n }) => ({ n: n + 1 }));
    const server = await start({
      a: factory.build({
        errors: { 409: { description: "Taken", schema } },
        handler: throwing(409, { data: { n: 1 } }),
      }),
    });
    expect((await server.send("/a")).json()).toMatchObject({ error: { data: { n: 2 } } });
  });

  test("of a middleware and of the endpoint with the same status are alternatives", async () => {
    const login = new Middleware({
      input: z.object({ by: z.string() }),
      errors: { 409: { description: "Busy", schema: z.object({ seconds: z.number() }) } },
      handler: async ({ input: { by } }) => {
        if (by === "middleware") throw createHttpError(409, "Busy", { data: { seconds: 3 } });
      },
    });
    const errors = { 409: taken };
    const handler = throwing(409, { data: { field: "x" } });
    const server = await start({ a: factory.addMiddleware(login).build({ errors, handler }) });
    const dataOf = async (by: string): Promise<unknown> =>
      (await server.send(`/a?by=${by}`)).json();
    expect(await dataOf("middleware")).toMatchObject({ error: { data: { seconds: 3 } } });
    expect(await dataOf("endpoint")).toMatchObject({ error: { data: { field: "x" } } });
  });

  test("may have no data if one of the declarations has no schema", async () => {
    const plain = new Middleware({ errors: { 409: "Busy" }, handler: throwing(409) });
    const endpoint = factory
      .addMiddleware(plain)
      .build({ errors: { 409: taken }, handler: () => ({}) });
    const answer = await (await start({ endpoint })).send("/endpoint");
    expect([answer.status, answer.json()]).toEqual([409, errorEnvelope("Oh")]);
  });

  test("do not affect errors that the framework throws", async () => {
    const input = z.object({ n: z.string() });
    const errors = { 400: taken, 415: taken };
    const server = await start({
      "post /a": factory.build({ input, errors, handler: throwing(400, { data: { field: "n" } }) }),
    });
    const post = async (body: object | string, type = "application/json") =>
      server.send("/a", { method: "POST", body, headers: { "content-type": type } });
    expect((await post({})).json()).toMatchObject({
      error: { issues: [{ code: "invalid_type" }] },
    });
    expect((await post("a", "text/plain")).status).toBe(415);
    expect((await post({ n: "1" })).json()).toMatchObject({ error: { data: { field: "n" } } });
  });

  test("reach custom result handlers, whose schema function receives the data schema", async () => {
    const resultHandler = new ResultHandler({
      positive: (data) => data,
      negative: (data) => z.object({ why: z.string(), ...(data && { details: data }) }),
      handler: ({ error, errorData, output, response }) =>
        error
          ? response
              .status(error.statusCode ?? 500)
              .json({ why: error.message, details: errorData })
          : response.json(output),
    });
    const endpoint = new EndpointsFactory(resultHandler).build({
      errors: { 409: taken },
      handler: throwing(409, { data: { field: "a" } }),
    });
    const answer = await (await start({ endpoint })).send("/endpoint");
    expect(answer.json()).toEqual({ why: "Oh", details: { field: "a" } });
    const shapeOf = (data?: z.ZodType): string[] =>
      resultHandler
        .listNegative(data)
        .flatMap(({ schema }) => Object.keys((schema as z.ZodObject).shape));
    expect([shapeOf(), shapeOf(taken.schema)]).toEqual([["why"], ["why", "details"]]);
  });

  test("send no data with the error that an error handler puts in their place", async () => {
    const endpoint = factory.build({
      errors: { 503: { description: "Later", schema: z.object({ why: z.string() }) } },
      handler: throwing(503, { data: { why: "of the first error" } }),
    });
    const next: ErrorRequestHandler = (_error, _request, _response, goOn) =>
      goOn(createHttpError(418, "Another"));
    const server = await start({ a: endpoint }, { afterRouting: ({ app }) => void app.use(next) });
    const answer = await server.send("/a");
    expect([answer.status, answer.json()]).toEqual([418, errorEnvelope("Another")]);
  });

  test.each<[string, object]>([
    ["`errors` must be an object whose keys are statuses", []],
    ['`errors` has "200", which is not an error status', { 200: "Fine" }],
    ['`errors` has "a-b", which is neither a status nor a name', { "a-b": "What" }],
    [
      'has "taken" without an error status; write taken: { status: 409, description: "When the error is thrown" }',
      { taken: "What" },
    ],
    ['`errors` has "taken" without an error status', { taken: { status: 200, description: "" } }],
    ['`errors` has "404" with another `status`, 409', { 404: { status: 409, description: "" } }],
    [
      'has "SLP_MINE", but only codes of sallyport begin with SLP_',
      { SLP_MINE: { status: 409, description: "" } },
    ],
    ['`errors` has "404" without a description', { 404: undefined }],
    ['`errors` has "404" without a `description`', { 404: { schema: z.object({}) } }],
    ["there is no key `shema`. Did you mean `schema`?", { 404: { description: "", shema: 1 } }],
    [
      "the `schema` of `errors[404]` must be a Zod 4 schema",
      { 404: { description: "", schema: {} } },
    ],
    ["`headers` that are not strings", { 404: { description: "", headers: { a: 1 } } }],
  ])("are rejected if they are invalid: %s", (message, errors) => {
    const definition = { errors: errors as Record<number, string>, handler: () => ({}) };
    expect(() => factory.build(definition)).toThrow(message);
    expect(() => new Middleware(definition)).toThrow(message);
  });
});

describe("in development, an undeclared status", () => {
  const schema = z.object({ status: z.coerce.number(), way: z.string().default("throw") });
  const answering = factory.build({
    method: "get",
    statusCode: 201,
    errors: { 404: "Nothing there" },
    input: schema,
    handler: async ({ input: { status, way }, response }) => {
      if (way === "send") response.status(status).end();
      else if (status < 400) response.status(status);
      else throw createHttpError(status, "Oh");
      return {};
    },
  });
  const warnings = (server: { lines: { message: string }[] }): string[] =>
    server.lines.map(({ message }) => message).filter((line) => line.includes("SLP_WARN_STATUS"));

  test("causes one warning that shows the line to add", async () => {
    const server = await start({ users: { ":id": answering } });
    for (const status of [409, 409, 404, 500, 400, 201, 202])
      await server.send(`/users/1?status=${status}`);
    expect(warnings(server)).toEqual([
      'SLP_WARN_STATUS: GET /users/:id responded with 409, which is not declared. Add `409: "..."` to the `errors` of the endpoint, or of the middleware that throws it.',
      "SLP_WARN_STATUS: GET /users/:id responded with 202, which is not declared. Set `statusCode: 202` in the definition of the endpoint.",
    ]);
  });

  test("causes a warning if the handler sends the response itself", async () => {
    const server = await start({ a: answering });
    for (const status of [410, 302, 304]) await server.send(`/a?status=${status}&way=send`);
    expect(warnings(server)).toHaveLength(1);
  });

  test("causes no warning if the framework sends it, or if security is declared", async () => {
    const key = new Middleware({
      security: { type: "header", name: "x-key" },
      handler: throwing(401),
    });
    const guarded = factory.addMiddleware(key).build({ errors: {}, handler: () => ({}) });
    const body = factory.build({
      method: "post",
      input: schema,
      errors: {},
      handler: throwing(413),
    });
    const server = await start({ a: answering, guarded, body });
    await server.send("/a?status=x");
    await server.send("/guarded");
    for (const type of ["application/json", "text/plain"])
      await server.send("/body", {
        method: "POST",
        body: '{"status":1}',
        headers: { "content-type": type },
      });
    expect(warnings(server)).toEqual([]);
  });

  test("causes no warning if a file is sent in part, or not at all", async () => {
    const file = factory.build({
      output: ez.file("text/plain"),
      errors: { 404: "No such file" },
      handler: async () => import.meta.filename,
    });
    const server = await start({ file });
    const statuses = [];
    for (const headers of [{ range: "bytes=0-1" }, { range: "bytes=999999-" }, { "if-match": "x" }])
      statuses.push((await server.send("/file", { headers })).status);
    expect(statuses).toEqual([206, 416, 412]);
    expect(warnings(server)).toEqual([]);
  });

  test("causes no warning if an endpoint declares no errors, or in production", async () => {
    const silent = factory.build({ handler: throwing(418) });
    expect(warnings(await sendOnce(silent))).toEqual([]);
    const declared = factory.build({ errors: {}, handler: throwing(418) });
    expect(warnings(await sendOnce(declared))).toHaveLength(1);
    vi.stubEnv("NODE_ENV", "production");
    expect(warnings(await sendOnce(declared))).toEqual([]);
    vi.unstubAllEnvs();
  });

  const sendOnce = async (endpoint: typeof answering | ReturnType<typeof factory.build>) => {
    const server = await start({ a: endpoint });
    await server.send("/a");
    return server;
  };
});

test("a success status that an endpoint without declarations sends causes no warning", async () => {
  const server = await start({ a: factory.build({ errors: {}, handler: () => ({ b: 1 }) }) });
  const answer = await server.send("/a");
  expect([answer.status, answer.json()]).toEqual([200, successEnvelope({ b: 1 })]);
  expect(server.linesOf("warn")).toEqual([]);
});
