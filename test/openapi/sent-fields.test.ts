import createHttpError from "http-errors";
import { defaultEndpointsFactory as factory, Middleware } from "sallyport";
import { idempotency, memoryStore } from "sallyport/idempotency";
import { rateLimit } from "sallyport/rate-limit";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { start } from "../http/harness.ts";
import { findOperation, generate, generateOne, type Operation } from "./generate.ts";

const handler = () => ({});
const store = memoryStore();

/** Lists the statuses of an operation whose responses have a header field. */
const listStatuses = (document: ReturnType<typeof generate>, at: string, field: string) => {
  const { responses } = findOperation(document, at);
  const shared = document.components?.["responses"] as unknown as Operation["responses"];
  return Object.entries(responses).flatMap(([status, response]) => {
    const { headers = {} } = shared?.[response.$ref?.split("/").at(-1) ?? ""] ?? response;
    return Object.keys(headers).some((name) => name.toLowerCase() === field.toLowerCase())
      ? [Number(status)]
      : [];
  });
};

describe("The header fields of a deprecated endpoint", () => {
  const guard = new Middleware({
    security: { type: "bearer" },
    errors: { 403: "Not you" },
    handler: ({ request }) => {
      const refusal = Number(request.headers["x-refuse"]);
      if (refusal) throw createHttpError(refusal, "No");
    },
  });
  const dates = { since: "2026-01-01", sunset: "2099-01-01", policy: "/policy" };
  const guarded = factory.addMiddleware(guard);
  const routing = {
    "post old": guarded.build({
      deprecated: dates,
      timeout: 5000,
      input: z.object({ fail: z.int().optional() }),
      errors: { 404: "Missing" },
      handler: ({ input: { fail } }) => {
        if (fail) throw createHttpError(fail, "No");
        return {};
      },
    }),
    gone: guarded.build({ deprecated: { ...dates, sunset: "2026-02-01", gone: true }, handler }),
  };
  const document = generate(routing);

  test.each(["Deprecation", "Sunset", "Link"])("are documented where they are sent: %s", (name) => {
    expect(listStatuses(document, "POST /old", name)).toEqual([200, 400, 404, 413, 415, 500, 503]);
    expect(listStatuses(document, "GET /gone", name)).toEqual([200, 410, 500]);
  });

  test("are sent where they are documented", async () => {
    const server = await start(routing);
    const call = async (body: object, more = {}) => {
      const headers = { "content-type": "application/json", ...more };
      const reply = await server.send("/old", {
        ...{ method: "POST", headers, body: JSON.stringify(body) },
      });
      return [reply.status, reply.headers.deprecation !== undefined];
    };
    expect([
      await call({}),
      await call({ fail: "a" }),
      await call({}, { "x-refuse": "401" }),
      await call({}, { "x-refuse": "403" }),
      await call({ fail: 404 }),
      await call({}, { "content-type": "text/x" }),
      await call({ fail: 500 }),
    ]).toEqual([
      ...[
        [200, true],
        [400, true],
        [401, false],
        [403, false],
        [404, true],
        [415, true],
      ],
      [500, true],
    ]);
    const gone = await server.send("/gone");
    expect([gone.status, gone.headers.sunset]).toEqual([410, "Sun, 01 Feb 2026 00:00:00 GMT"]);
  });
});

test("The fields of a middleware are documented for what it and later ones send", () => {
  const first = new Middleware({ errors: { 409: "Busy" }, handler: () => ({}) });
  const limited = factory
    .addMiddleware(first)
    .addMiddleware(rateLimit({ limit: 1, key: () => "1" }))
    .build({ handler });
  const document = generate({ limited });
  expect(listStatuses(document, "GET /limited", "RateLimit")).toEqual([200, 429, 500]);
});

describe("A middleware for idempotency", () => {
  const keyed = factory
    .addMiddleware(idempotency({ store, scope: () => 1 }))
    .build({ method: ["get", "post"], errors: { 404: "Missing" }, handler });

  test("adds its errors to writes alone", () => {
    const statusesOf = (at: string) => Object.keys(generateOne(at, { keyed }).responses);
    expect(statusesOf("GET /keyed")).toEqual(["200", "400", "404", "500"]);
    expect(statusesOf("POST /keyed")).toEqual(
      [200, 400, 404, 409, 413, 415, 422, 500, 503].map(String),
    );
  });

  test("documents the field of a repeated reply", () => {
    const document = generate({ keyed });
    expect(listStatuses(document, "GET /keyed", "Idempotency-Replayed")).toEqual([]);
    expect(listStatuses(document, "POST /keyed", "Idempotency-Replayed")).toEqual(
      expect.arrayContaining([200, 404]),
    );
  });
});

test.each([
  ["required", undefined, ["200", "400", "500"]],
  ["required", () => "1", ["200", "304", "400", "412", "500"]],
  ["optional", undefined, ["200", "400", "500"]],
] as const)(
  "Conditions of writes (%s) are not documented as errors of a GET",
  (ifMatch, version, expected) => {
    const endpoint = factory.build({
      method: ["get", "put"],
      input: z.object({ id: z.string().optional() }),
      ifMatch,
      current: () => "1",
      ...(version && { version }),
      handler,
    });
    const statusesOf = (at: string) => Object.keys(generateOne(at, { notes: endpoint }).responses);
    expect(statusesOf("GET /notes")).toEqual(expected);
    expect(statusesOf("PUT /notes")).toEqual(
      expect.arrayContaining(ifMatch === "required" ? ["412", "428"] : ["412"]),
    );
  },
);

describe("The id of a request", () => {
  const problem = { 409: "Taken" };
  const routing = {
    "post a/:id": factory.build({ input: z.object({ id: z.uuid() }), errors: problem, handler }),
  };
  const at = "POST /a/{id}";

  test("is in each response, as documented, and does not change the names of responses", async () => {
    const config = { requestId: true } as const;
    const document = generate(routing, { config });
    const { responses, parameters = [] } = findOperation(document, at);
    expect(listStatuses(document, at, "X-Request-Id")).toEqual(Object.keys(responses).map(Number));
    expect(parameters.filter((one) => one.in === "header")).toEqual([]);
    const named = (one: ReturnType<typeof generate>) =>
      Object.keys(one.components?.["responses"] ?? {});
    expect(named(document)).toEqual(named(generate(routing)));
    const server = await start(routing, config);
    const json = { "content-type": "application/json" };
    for (const [target, headers, status] of [
      ["/a/7d444840-9dc0-41d3-b0c6-8f0d2c1ad1b9", json, 200],
      ["/a/1", json, 400],
      ["/a/1", { "content-type": "image/png" }, 415],
    ] as const) {
      const reply = await server.send(target, { method: "POST", headers, body: "{}" });
      expect([reply.status, reply.headers["x-request-id"]]).toEqual([status, expect.any(String)]);
    }
  });

  test("is a parameter if clients may send it", () => {
    const config = { requestId: { header: "X-Correlation-Id" } };
    const document = generate(routing, { config });
    const { responses, parameters = [] } = findOperation(document, at);
    expect(listStatuses(document, at, "X-Correlation-Id")).toEqual(
      Object.keys(responses).map(Number),
    );
    expect(parameters.filter((one) => one.in === "header")).toMatchObject([
      { name: "X-Correlation-Id", schema: { type: "string" } },
    ]);
    const own = factory.build({ headers: z.object({ "x-correlation-id": z.uuid() }), handler });
    expect(generateOne("GET /a", { a: own }, { config }).parameters).toMatchObject([
      { name: "x-correlation-id", required: true },
    ]);
    expect(listStatuses(generate(routing), at, "X-Request-Id")).toEqual([]);
  });
});
