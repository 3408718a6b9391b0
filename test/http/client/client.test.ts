import createHttpError from "http-errors";
import {
  arrayEndpointsFactory,
  defaultEndpointsFactory as factory,
  EndpointsFactory,
  ez,
  problemEndpointsFactory,
  ResultHandler,
  type Routing,
  type ServerConfig,
} from "sallyport";
import { Client, createClient, type ClientOptions } from "sallyport/client";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { start } from "../harness.ts";

/** Serves a routing map, and returns a client for it. */
const connect = async <const R extends Routing>(
  routing: R,
  config: Partial<ServerConfig> = {},
  options: Partial<ClientOptions> = {},
) => {
  const { port } = await start(routing, config);
  return createClient<R>({ baseUrl: `http://127.0.0.1:${port}`, ...options });
};

const echo = factory.build({
  method: ["get", "post"],
  input: z.object({ id: z.string(), at: ez.dateIn().optional() }),
  output: z.object({ id: z.string(), at: ez.dateOut().optional() }),
  handler: async ({ input }) => input,
});

describe("the value that `provide` resolves to", () => {
  test("is the envelope, both for a success and for an error", async () => {
    const client = await connect({ v1: { echo: { ":id": echo } } });
    const at = new Date(0);
    expect(await client.provide("get /v1/echo/:id", { id: "a/b?c", at })).toEqual({
      status: "success",
      data: { id: "a/b?c", at: at.toISOString() },
    });
    const response = await client.provide("get /v1/echo/:id", { id: "x", at: "no date" });
    expect(response).toMatchObject({ status: "error", error: { issues: [{ path: ["at"] }] } });
  });

  test("is the body that a custom result handler sends", async () => {
    const csv = new ResultHandler({
      positive: { schema: z.string(), mimeType: "text/csv" },
      negative: { schema: z.object({ oops: z.string() }), mimeType: "application/json" },
      handler: ({ error, response }) => {
        if (error) response.status(500).json({ oops: error.message });
        else response.type("text/csv").send("a,b");
      },
    });
    const bytes = new ResultHandler({
      positive: { schema: z.instanceof(Uint8Array), mimeType: "image/png" },
      negative: { schema: z.string(), mimeType: null },
      handler: ({ response }) => void response.type("image/png").send(Buffer.from([1, 2])),
    });
    const output = z.object({ items: z.array(z.number()) });
    const handler = async () => ({ items: [1, 2] });
    const client = await connect(
      {
        csv: new EndpointsFactory(csv).build({ output, handler }),
        bytes: new EndpointsFactory(bytes).build({ output, handler }),
        list: arrayEndpointsFactory.build({ output, handler }),
        plain: problemEndpointsFactory.build({ output, handler }),
        failing: arrayEndpointsFactory.build({
          output,
          handler: () => {
            throw createHttpError(404, "None");
          },
        }),
      },
      {},
      { mediaTypes: ["text/plain"] },
    );
    expect(await client.provide("get /csv")).toBe("a,b");
    const blob = await client.provide("get /bytes");
    expect(blob).toBeInstanceOf(Blob);
    expect(await client.provide("get /list")).toEqual([1, 2]);
    expect(await client.provide("get /plain")).toEqual({ items: [1, 2] });
    expect(await client.provide("get /failing")).toBe("None");
  });
});

test("content without an envelope is received as a Blob, or as a string if it is text", async () => {
  const client = await connect({
    bytes: factory.build({ output: ez.buffer("image/png"), handler: () => Buffer.from([1, 2, 3]) }),
    text: factory.build({
      output: ez.stream("text/csv"),
      handler: async function* () {
        yield "a,";
        yield "b";
      },
    }),
  });
  const bytes = await client.provide("get /bytes");
  expect(bytes instanceof Blob && [bytes.size, bytes.type]).toEqual([3, "image/png"]);
  expect(await client.provide("get /text")).toBe("a,b");
});

describe("the value that `request` resolves to", () => {
  test("distinguishes statuses, and has the data of declared errors", async () => {
    const create = factory.build({
      method: "post",
      statusCode: 201,
      errors: { 409: { description: "Taken", schema: z.object({ field: z.string() }) } },
      input: z.object({ name: z.string() }),
      output: z.object({ name: z.string() }),
      handler: async ({ input }) => {
        if (input.name === "Ada") throw createHttpError(409, "Taken", { data: { field: "name" } });
        return input;
      },
    });
    const remove = factory.buildVoid({ method: "delete", statusCode: 204, handler: () => {} });
    const client = await connect({ users: { post: create, delete: remove } });
    const created = await client.request("post /users", { name: "Bob" });
    expect(created).toMatchObject({ ok: true, status: 201 });
    const taken = await client.request("post /users", { name: "Ada" });
    if (taken.status !== 409) throw new Error("Not taken");
    expect(taken.body.error.data.field).toBe("name");
    expect(taken.headers.get("content-type")).toContain("json");
    const removed = await client.request("delete /users");
    expect([removed.status, removed.body]).toEqual([204, undefined]);
  });
});

describe("the request that is sent", () => {
  const seen = factory.build({
    method: ["get", "post", "delete"],
    handler: async ({ request }) => ({
      headers: request.headers,
      url: request.originalUrl,
      input: request.body as unknown,
    }),
  });
  const read = (response: { readonly status: string }): Record<string, never> => {
    if (!("data" in response)) throw new Error(JSON.stringify(response));
    return response.data as Record<string, never>;
  };

  test("has the headers of the client and of the call, and a function that returns headers is called for each request", async () => {
    let calls = 0;
    const client = await connect(
      { seen },
      {},
      { headers: async () => ({ authorization: `Bearer ${++calls}`, "x-app": "web" }) },
    );
    const options = { headers: { "x-app": "other", "x-none": undefined } };
    const first = read(await client.provide("get /seen", {}, options));
    expect(first["headers"]).toMatchObject({ authorization: "Bearer 1", "x-app": "other" });
    expect(first["headers"]).not.toHaveProperty("x-none");
    const second = await client.provide("get /seen", {}, { headers: new Headers({ a: "b" }) });
    expect(read(second)["headers"]).toMatchObject({ authorization: "Bearer 2", a: "b" });
  });

  test("keeps the path of the base URL, with or without a trailing slash", async () => {
    const { port } = await start({ api: { v2: { seen } } });
    for (const baseUrl of [
      `http://127.0.0.1:${port}/api/v2`,
      `http://127.0.0.1:${port}/api/v2//`,
    ]) {
      const client = createClient<{ seen: typeof seen }>({ baseUrl });
      expect(read(await client.provide("get /seen"))["url"]).toBe("/api/v2/seen");
    }
  });

  test("carries fields as inputSources says: in headers and the query for GET, and in the body for DELETE", async () => {
    const input = z.object({ "x-trace": z.string(), page: z.string() });
    const endpoint = factory.build({
      method: ["get", "delete"],
      input,
      handler: async ({ input, request }) => ({ input, url: request.url }),
    });
    const inputSources = {
      get: ["headers", "query"],
      delete: ["body"],
    } as const;
    const client = await connect(
      { x: { get: endpoint, delete: endpoint } },
      { inputSources: { ...inputSources, delete: ["body"] } as never },
      { inputSources },
    );
    const given = { "x-trace": "t", page: "2" };
    expect(read(await client.provide("get /x", given))).toEqual({ input: given, url: "/x?page=2" });
    expect(read(await client.provide("delete /x", given))).toEqual({ input: given, url: "/x" });
  });

  test("is passed to hooks, which may change the headers", async () => {
    const log: string[] = [];
    const client = await connect(
      { seen },
      {},
      {
        onRequest: ({ method, path, headers, attempt }) => {
          headers.set("x-hook", "1");
          log.push(`${method} ${path} ${attempt}`);
        },
        onResponse: (_attempt, response) => log.push(String(response.status)),
        onError: (error, { path }) => log.push(`${path} ${(error as Error).name}`),
      },
    );
    expect(read(await client.provide("get /seen"))["headers"]).toMatchObject({ "x-hook": "1" });
    await client
      .provide("get /seen", {}, { fetch: () => Promise.reject(new Error("Off")) })
      .catch(() => undefined);
    expect(log).toEqual(["GET /seen 1", "200", "GET /seen 1", "/seen NetworkError"]);
  });
});

describe("pages", () => {
  const numbers = Array.from({ length: 25 }, (_, n) => ({ n }));
  const calls: unknown[] = [];
  const itemSchema = z.object({ n: z.number() });
  const byOffset = ez.paginated({ style: "offset", itemSchema, itemsName: "numbers" });
  const byCursor = ez.paginated({ style: "cursor", itemSchema });
  const routing = {
    offset: factory.build({
      ...byOffset,
      handler: async ({ input: { limit, offset } }) => {
        calls.push(offset);
        return { numbers: numbers.slice(offset, offset + limit), total: 25, limit, offset };
      },
    }),
    cursor: problemEndpointsFactory.build({
      ...byCursor,
      handler: async ({ input: { limit, cursor = "0" } }) => {
        calls.push(cursor);
        const end = Number(cursor) + limit;
        const nextCursor = end < 25 ? String(end) : null;
        return { items: numbers.slice(Number(cursor), end), nextCursor, limit };
      },
    }),
    broken: factory.build({
      ...byOffset,
      handler: () => {
        throw createHttpError(403, "Not for you");
      },
    }),
  };

  test("`hasMore` of the class and of an instance accepts an envelope, a page and a response", async () => {
    const client = await connect(routing);
    const first = await client.provide("get /offset", { limit: 20 });
    const last = await client.provide("get /offset", { limit: 20, offset: 20 });
    expect([Client.hasMore(first), client.hasMore(last)]).toEqual([true, false]);
    expect(Client.hasMore(first.status === "success" && first.data)).toBe(true);
    const page = await client.provide("get /cursor", { limit: 10 });
    expect([Client.hasMore(page), client.hasMore({ nextCursor: null })]).toEqual([true, false]);
    expect(Client.hasMore(await client.request("get /cursor", { limit: 25 }))).toBe(false);
    const others: readonly unknown[] = [{}, null, undefined, "x", { status: "error" }];
    expect(others.map((one) => Client.hasMore(one))).toEqual(others.map(() => false));
  });

  test.each(["get /offset", "get /cursor"] as const)(
    "of %s yield all items, and are no longer requested when the loop ends",
    async (key) => {
      const client = await connect(routing);
      calls.length = 0;
      const all: number[] = [];
      for await (const { n } of client.iterate(key, { limit: 10 })) all.push(n);
      expect(all).toEqual(numbers.map(({ n }) => n));
      expect(calls).toHaveLength(3);
      calls.length = 0;
      for await (const { n } of client.iterate(key, { limit: 10 })) if (n === 9) break;
      expect(calls).toHaveLength(1);
      const sizes: number[] = [];
      for await (const page of client.iterate(key, { limit: 10 }).pages()) sizes.push(page.limit);
      expect(sizes).toEqual([10, 10, 10]);
    },
  );

  test("throw an error with the status and the body", async () => {
    const client = await connect(routing);
    const run = async (): Promise<void> => {
      for await (const _item of client.iterate("get /broken")) throw new Error("no item");
    };
    await expect(run()).rejects.toMatchObject({
      name: "ReplyError",
      status: 403,
      issues: [],
      body: { status: "error", error: { message: "Not for you" } },
    });
  });
});
