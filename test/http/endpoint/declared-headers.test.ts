import {
  createConfig,
  defaultEndpointsFactory as factory,
  EventStreamFactory,
  Middleware,
} from "sallyport";
import { generateOpenApi } from "sallyport/openapi";
import { describe, expect, test, vi } from "vitest";
import { z } from "zod";
import { start, successEnvelope } from "../harness.ts";

const ifMatch = z.object({ "if-match": z.string().optional(), "x-count": z.coerce.number() });

const write = factory.build({
  method: "put",
  headers: ifMatch,
  input: z.looseObject({ subject: z.string() }),
  handler: async ({ headers, input }) => ({ headers, input }),
});

const put = { method: "PUT", body: { subject: "a" } };

describe("declared header fields of a request", () => {
  test("may be named like members of objects", async () => {
    const read = factory.build({
      headers: z.object({ constructor: z.string().optional() }),
      handler: ({ headers }) => ({ headers: { ...headers } }),
    });
    const server = await start({ read });
    const answer = await server.send("/read");
    expect(answer.json()).toEqual(successEnvelope({ headers: {} }));
  });

  test("are parsed on their own, and never become part of the input", async () => {
    const server = await start({ write });
    const headers = { "If-Match": '"1"', "X-Count": "5", Priority: "u=1, i" };
    const answer = await server.send("/write", { ...put, headers });
    expect(answer.json()).toEqual(
      successEnvelope({ headers: { "if-match": '"1"', "x-count": 5 }, input: { subject: "a" } }),
    );
  });

  test("are rejected with the path headers, before the body is read", async () => {
    const server = await start({ write });
    const answer = await server.send("/write", {
      method: "PUT",
      body: "{",
      headers: { "x-count": "a" },
    });
    expect([answer.status, answer.json()]).toMatchObject([
      400,
      { error: { issues: [{ path: ["headers", "x-count"] }] } },
    ]);
  });

  test("of middlewares reach the middleware alone", async () => {
    const tenant = new Middleware({
      headers: z.strictObject({ "x-tenant": z.string() }),
      handler: async ({ headers }) => ({ tenant: headers["x-tenant"] }),
    });
    const run = factory.addMiddleware(tenant).build({
      handler: async ({ ctx, headers, input }) => ({ ...ctx, headers, input }),
    });
    const server = await start({ run });
    const answer = await server.send("/run", { headers: { "X-Tenant": "acme" } });
    expect(answer.json()).toEqual(successEnvelope({ tenant: "acme", headers: {}, input: {} }));
    expect((await server.send("/run")).json()).toMatchObject({
      error: { issues: [{ path: ["headers", "x-tenant"] }] },
    });
  });

  test("are parsed before a middleware with afterValidation, and once", async () => {
    const parse = vi.fn((value: string) => value.length);
    const begun = vi.fn(async () => undefined);
    const run = factory.addMiddleware({ afterValidation: true, handler: begun }).build({
      headers: z.object({ "x-a": z.string().transform(async (value) => parse(value)) }),
      handler: async ({ headers }) => ({ ...headers }),
    });
    const server = await start({ run });
    expect((await server.send("/run")).status).toBe(400);
    expect(begun).not.toHaveBeenCalled();
    expect((await server.send("/run", { headers: { "x-a": "abc" } })).json()).toEqual(
      successEnvelope({ "x-a": 3 }),
    );
    expect(parse).toHaveBeenCalledOnce();
  });

  test("reach the handler of an event stream", async () => {
    const stream = new EventStreamFactory({ id: z.string() }).build({
      headers: z.object({ "last-event-id": z.string() }),
      handler: ({ headers, ctx }) => ctx.emit("id", headers["last-event-id"]),
    });
    const server = await start({ stream });
    const answer = await server.send("/stream", { headers: { "Last-Event-Id": "7" } });
    expect(answer.text).toContain('data: "7"');
  });

  test.each([
    [z.object({ "If-Match": z.string() }), 'got the name "If-Match"'],
    [z.object({ "a b": z.string() }), 'got the name "a b"'],
    [z.record(z.string(), z.string()), "it names none"],
    [z.string(), "must be an object schema"],
  ])("must be an object schema with names in lower case (%#)", (headers, message) => {
    expect(() => factory.build({ headers: headers as never, handler: async () => ({}) })).toThrow(
      message,
    );
    expect(
      () => new Middleware({ headers: headers as never, handler: async () => undefined }),
    ).toThrow(message);
  });
});

describe("declared header fields of a response", () => {
  const read = factory.build({
    input: z.object({ etag: z.string().optional() }),
    responseHeaders: z.object({
      etag: z.string().describe("The version."),
      location: z.string().optional(),
    }),
    handler: async ({ input: { etag }, response }) => {
      if (etag !== undefined) response.set("ETag", etag);
      return {};
    },
  });

  test("cause a warning in development, once, if a required one is missing", async () => {
    const server = await start({ read });
    await server.send("/read?etag=1");
    expect(server.linesOf("warn")).toEqual([]);
    await server.send("/read");
    await server.send("/read");
    const texts = server.linesOf("warn").map(({ message }) => message);
    expect(texts).toEqual([
      "SLP_WARN_RESPONSE_HEADER: a response of GET /read lacks or changes what `responseHeaders` declares: etag: Invalid input: expected string, received undefined.",
    ]);
  });

  test("are documented, as are those of requests", () => {
    const key = new Middleware({
      headers: z.object({ "x-key": z.string() }),
      handler: async () => undefined,
    });
    const routing = {
      read,
      write,
      guarded: factory.addMiddleware(key).build({ handler: async () => ({}) }),
    };
    const document = generateOpenApi({
      routing,
      config: createConfig({
        http: { listen: 1 },
        cors: false,
        inputSources: { put: ["headers", "body"] },
      }),
      info: { title: "t", version: "1" },
    }) as never as {
      readonly paths: Record<
        string,
        Record<
          string,
          {
            parameters?: object[];
            requestBody?: object;
            responses: Record<string, { headers?: object }>;
          }
        >
      >;
    };
    const { paths } = document;
    expect(paths["/write"]?.["put"]?.parameters).toEqual([
      { name: "if-match", in: "header", schema: { type: "string" } },
      { name: "x-count", in: "header", required: true, schema: expect.anything() },
    ]);
    expect(JSON.stringify(paths["/write"]?.["put"]?.requestBody)).not.toContain("if-match");
    expect(paths["/guarded"]?.["get"]?.parameters).toEqual([
      { name: "x-key", in: "header", required: true, schema: { type: "string" } },
    ]);
    expect(Object.keys(paths["/guarded"]?.["get"]?.responses ?? {})).toContain("400");
    expect(paths["/read"]?.["get"]?.responses["200"]?.headers).toEqual({
      etag: { description: "The version.", required: true, schema: { type: "string" } },
      location: { schema: { type: "string" } },
    });
  });
});
