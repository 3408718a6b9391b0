import { once } from "node:events";
import express from "express";
import {
  attachRouting,
  defaultEndpointsFactory,
  ez,
  type InputSources,
  type Routing,
  type ServerConfig,
} from "sallyport";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { errorEnvelope, send, start, successEnvelope, type Sent } from "../harness.ts";

/** An endpoint that responds with its whole input, whatever the sources. */
const echo = defaultEndpointsFactory.build({
  method: ["get", "post", "put", "patch", "delete", "query"],
  input: z.looseObject({}),
  handler: ({ input }) => ({ input }),
});
const routing: Routing = { echo, items: { ":id": echo } };
const defaults: InputSources = {
  get: ["query", "params"],
  post: ["body", "params", "files"],
  put: ["body", "params"],
  patch: ["body", "params"],
  delete: ["query", "params"],
  query: ["body", "params"],
};
const received = (input: object): object => successEnvelope({ input });

/** Sends one request, and returns the status and the body. */
const ask = async (
  target: string,
  sent: Sent = {},
  config: Partial<ServerConfig> = {},
): Promise<{ status: number; body: unknown }> => {
  const server = await start(routing, config);
  const answer = await server.send(target, sent);
  return { status: answer.status, body: answer.json() };
};

/** Sets properties on each request, as native Express middlewares do. */
const withRequest = (properties: object): Partial<ServerConfig> => ({
  beforeRouting: ({ app }) => {
    app.use((request, _response, next) => {
      Object.assign(request, properties);
      next();
    });
  },
});

describe("the default input sources of each method", () => {
  it.each([
    ["GET", "query, params", { q: "query", id: "path" }],
    ["POST", "body, params, files", { b: "body", id: "path", f: "file" }],
    ["PUT", "body, params", { b: "body", id: "path" }],
    ["PATCH", "body, params", { b: "body", id: "path" }],
    ["DELETE", "query, params", { q: "query", id: "path" }],
    ["QUERY", "body, params", { b: "body", id: "path" }],
  ])("for %s: %s, and nothing else", async (method, _sources, expected) => {
    const sent = { method, body: { b: "body" }, headers: { "x-header": "header" } };
    const config = withRequest({ files: { f: "file" }, cookies: { c: "cookie" } });
    expect(await ask("/items/path?q=query", sent, config)).toEqual({
      status: 200,
      body: received(expected),
    });
  });

  it.each(["POST", "PUT", "PATCH"])("for %s: a form is read as well as JSON", async (method) => {
    const headers = { "content-type": "application/x-www-form-urlencoded" };
    expect(await ask("/items/1", { method, headers, body: "a=b+c&d=%C3%A9&e=1&e=2" })).toEqual({
      status: 200,
      body: received({ a: "b c", d: "é", e: ["1", "2"], id: "1" }),
    });
  });

  it.each(["POST", "PUT", "PATCH"])(
    "for %s without a body: only the path parameters",
    async (method) => {
      expect(await ask("/items/1?q=2", { method })).toEqual({
        status: 200,
        body: received({ id: "1" }),
      });
    },
  );

  it("for HEAD: the sources of GET", async () => {
    const seen: unknown[] = [];
    const watch = defaultEndpointsFactory.build({
      input: z.looseObject({}),
      handler: ({ input }) => void seen.push(input),
    });
    const server = await start({ ":id": watch }, { inputSources: { get: ["headers", "query"] } });
    const { status, text } = await server.send("/1?a=2", {
      method: "HEAD",
      headers: { "x-name": "b" },
    });
    expect([status, text]).toEqual([200, ""]);
    expect(seen).toEqual([expect.objectContaining({ a: "2", "x-name": "b" })]);
    expect(seen[0]).not.toHaveProperty("id");
  });

  it("values from the path and the query are strings, and the values of a repeated name form an array", async () => {
    expect(await ask("/items/7?n=1&n=2&flag&empty=&one=1")).toEqual({
      status: 200,
      body: received({ id: "7", n: ["1", "2"], flag: "", empty: "", one: "1" }),
    });
  });

  it("values from JSON keep their types", async () => {
    const body = { n: 1, yes: true, nothing: null, list: [1, "2"], deep: { a: [{}] } };
    expect(await ask("/echo", { method: "POST", body })).toEqual({
      status: 200,
      body: received(body),
    });
  });

  it("the input of a request has no field from the previous request", async () => {
    const server = await start(routing);
    expect((await server.send("/echo?a=1")).json()).toEqual(received({ a: "1" }));
    expect((await server.send("/echo?b=2")).json()).toEqual(received({ b: "2" }));
    expect((await server.send("/echo")).json()).toEqual(received({}));
  });
});

describe("precedence of input sources", () => {
  it.each([
    [["query", "body"], "body"],
    [["body", "query"], "query"],
    [["headers", "query"], "query"],
    [["query", "headers"], "header"],
    [["headers", "cookies", "body", "query"], "query"],
    [["query", "body", "headers", "cookies"], "cookie"],
    [["query", "signedCookies"], "signed"],
    [["body", "files"], "file"],
    [["files", "body"], "body"],
  ] as const)("of the sources %j, the later one takes precedence: %s", async (sources, winner) => {
    const config = {
      inputSources: { post: sources },
      ...withRequest({
        cookies: { "x-same": "cookie" },
        signedCookies: { "x-same": "signed" },
        files: { "x-same": "file" },
      }),
    };
    const sent = { method: "POST", headers: { "x-same": "header" }, body: { "x-same": "body" } };
    const { body } = await ask("/echo?x-same=query", sent, config);
    expect(body).toMatchObject({ data: { input: { "x-same": winner } } });
  });

  it.each([
    ["GET", "query", defaults.get],
    ["DELETE", "query", defaults.delete],
    ["POST", "body and files", defaults.post],
    ["PUT", "body", defaults.put],
    ["PATCH", "body", defaults.patch],
    [
      "POST",
      "all other sources, although params is listed first",
      ["params", "files", "body", "query"],
    ],
    ["GET", "headers, although params is listed first", ["params", "query", "headers"]],
  ] as const)(
    "%s: the path parameter takes precedence over %s",
    async (method, _others, sources) => {
      const config = {
        inputSources: { [method.toLowerCase()]: sources },
        ...withRequest({ files: { id: "file" } }),
      };
      const sent = { method, body: { id: "body" }, headers: { id: "header" } };
      const { body } = await ask("/items/path?id=query", sent, config);
      expect(body).toMatchObject({ data: { input: { id: "path" } } });
    },
  );

  it("sources are merged field by field, without merging the values", async () => {
    const config = { inputSources: { post: ["query", "body"] } } as const;
    const sent = { method: "POST", body: { b: 2, same: { x: 1 } } };
    expect((await ask("/echo?a=1&same=3", sent, config)).body).toEqual(
      received({ a: "1", b: 2, same: { x: 1 } }),
    );
  });
});

describe("configuration: inputSources", () => {
  it.each([
    ["POST", ["query"], { q: "query" }],
    ["GET", ["params"], { id: "path" }],
    ["GET", ["query"], { q: "query" }],
    ["PUT", ["params"], { id: "path" }],
    ["DELETE", ["body"], { b: "body" }],
    ["DELETE", ["query", "body", "params"], { q: "query", b: "body", id: "path" }],
    ["GET", ["body"], { b: "body" }],
    ["PATCH", [], {}],
  ] as const)("%s: the input has only the fields of %j", async (method, sources, expected) => {
    const config = { inputSources: { [method.toLowerCase()]: sources } };
    expect(await ask("/items/path?q=query", { method, body: { b: "body" } }, config)).toEqual({
      status: 200,
      body: received(expected),
    });
  });

  it("unlisted methods keep their defaults", async () => {
    const server = await start(routing, { inputSources: { get: ["params"] } });
    expect((await server.send("/items/1?q=2")).json()).toEqual(received({ id: "1" }));
    const deleted = await server.send("/items/1?q=2", { method: "DELETE" });
    expect(deleted.json()).toEqual(received({ q: "2", id: "1" }));
    const put = await server.send("/items/1?q=2", { method: "PUT", body: { b: 3 } });
    expect(put.json()).toEqual(received({ b: 3, id: "1" }));
  });

  it("undefined for a method keeps that method's default", async () => {
    const config = { inputSources: { get: undefined } as never };
    expect(await ask("/items/1?q=2", {}, config)).toEqual({
      status: 200,
      body: received({ q: "2", id: "1" }),
    });
  });

  it("headers: opt-in, custom fields alone, by lower-case name", async () => {
    const sent = { headers: { "X-Api-Key": "secret", "content-type": "text/x", priority: "u=1" } };
    const { body } = await ask("/echo", sent, { inputSources: { get: ["headers"] } });
    expect(body).toEqual(received({ "x-api-key": "secret" }));
  });

  it("cookies and signedCookies: opt-in, and empty if no middleware has created them", async () => {
    const config = { inputSources: { get: ["cookies", "signedCookies"] } } as const;
    expect((await ask("/echo?q=1", { headers: { cookie: "a=1" } }, config)).body).toEqual(
      received({}),
    );
    const made = withRequest({ cookies: { a: "1" }, signedCookies: { b: "2" } });
    expect((await ask("/echo", {}, { ...config, ...made })).body).toEqual(
      received({ a: "1", b: "2" }),
    );
  });

  it("a body that is not a source is not even parsed", async () => {
    const sent = {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: "{malformed",
    };
    expect(await ask("/echo?q=1", sent, { inputSources: { post: ["query"] } })).toEqual({
      status: 200,
      body: received({ q: "1" }),
    });
    expect(await ask("/echo", sent)).toEqual({ status: 400, body: errorEnvelope("Invalid JSON") });
  });
});

describe("names that could change a prototype", () => {
  const forbidden = { status: 400, body: errorEnvelope("Forbidden key in the body") };

  it.each([
    '{"__proto__":{"a":1}}',
    '{"__proto__":1}',
    '{"deep":[{"__proto__":null}]}',
    String.raw`{"\u005f_proto__":{"a":1}}`,
    '{"constructor":{"prototype":{"a":1}}}',
    '{"deep":{"constructor":{"prototype":1}}}',
  ])("the JSON body %s gets a 400", async (body) => {
    const headers = { "content-type": "application/json" };
    expect(await ask("/echo", { method: "POST", headers, body })).toEqual(forbidden);
  });

  it("a form field named __proto__ gets a 400", async () => {
    const headers = { "content-type": "application/x-www-form-urlencoded" };
    expect(await ask("/echo", { method: "POST", headers, body: "__proto__=1" })).toEqual(forbidden);
  });

  it.each(["simple", "extended"] as const)(
    "names in the query change no prototype and add no field (%s)",
    async (queryParser) => {
      const target = "/echo?__proto__=1&__proto__[a]=1&constructor[prototype][a]=1&b=2";
      const { status, body } = await ask(target, {}, { queryParser });
      expect([status, body]).toMatchObject([200, { data: { input: { b: "2" } } }]);
      expect(body).not.toHaveProperty("data.input.a");
      expect(Object.keys((body as { data: { input: object } }).data.input)).not.toContain(
        "__proto__",
      );
      expect({}).not.toHaveProperty("a");
    },
  );

  it("the extended query parser drops each constructor with a prototype, at any depth", async () => {
    const target =
      "/echo?constructor[prototype][isAdmin]=1&a[constructor][prototype][b]=1&a[c]=2&d[0][%63onstructor][prototype]=1&d[0][e]=3";
    expect((await ask(target, {}, { queryParser: "extended" })).body).toEqual(
      received({ a: { c: "2" }, d: [{ e: "3" }] }),
    );
  });

  it("a path parameter named __proto__ is rejected at startup, and the value __proto__ is plain data", async () => {
    await expect(start({ ":__proto__": echo })).rejects.toMatchObject({
      code: "SLP_ROUTING_PATH_SYNTAX",
      cause: { path: "/:__proto__" },
    });
    expect((await ask("/items/__proto__")).body).toEqual(received({ id: "__proto__" }));
  });

  it.each(["constructor", "toString", "hasOwnProperty"])(
    "the name %s is plain data",
    async (name) => {
      expect((await ask(`/echo?${name}=1`)).body).toEqual(received({ [name]: "1" }));
      const sent = { method: "POST", body: { [name]: 1 } };
      expect((await ask("/echo", sent)).body).toEqual(received({ [name]: 1 }));
    },
  );
});

describe("configuration: queryParser", () => {
  it.each([
    [undefined, { "n[x]": "1", "l[]": ["2", "3"] }],
    ["simple", { "n[x]": "1", "l[]": ["2", "3"] }],
    ["extended", { n: { x: "1" }, l: ["2", "3"] }],
  ] as const)("%s: names with brackets", async (queryParser, expected) => {
    expect((await ask("/echo?n[x]=1&l[]=2&l[]=3", {}, { queryParser })).body).toEqual(
      received(expected),
    );
  });

  it("a function: receives the unparsed query, and returns the fields", async () => {
    const queryParser = (query: string): object => ({ query });
    expect((await ask("/echo?a=%20b", {}, { queryParser })).body).toEqual(
      received({ query: "a=%20b" }),
    );
  });
});

describe("configuration: bodyLimit", () => {
  const toBody = (bytes: number): object => ({ a: "x".repeat(bytes - '{"a":""}'.length) });

  it.each([
    ["100", 100, { bodyLimit: 100 }],
    ["1 MiB by default", 1_048_576, {}],
  ])(
    "%s: a body of exactly that size is accepted, and one byte more gets a 413",
    async (_case, limit, config) => {
      expect((await ask("/echo", { method: "POST", body: toBody(limit) }, config)).status).toBe(
        200,
      );
      const method = "PUT";
      expect(await ask("/echo", { method, body: toBody(limit + 1) }, config)).toEqual({
        status: 413,
        body: errorEnvelope("Content Too Large"),
      });
    },
  );
});

describe("B13: a body that is not an object", () => {
  it.each(["null", "5", '"text"', "[1,2]", "true"])("%s gets a 400", async (body) => {
    const headers = { "content-type": "application/json" };
    expect(await ask("/echo", { method: "POST", headers, body })).toEqual({
      status: 400,
      body: errorEnvelope("Expected an object"),
    });
  });
});

describe("a field with an array schema in a query", () => {
  const strings = z.array(z.string());
  it.each<readonly [string, z.ZodType, unknown]>([
    ["an array", strings, ["a"]],
    ["an optional array", strings.optional(), ["a"]],
    ["an array with a default", strings.default([]).nullable(), ["a"]],
    ["a transformed array", strings.transform((all) => all.length), 1],
    ["a union of arrays", z.union([z.array(z.coerce.number().int()), strings]), ["a"]],
    ["a union with a string", z.union([strings, z.string()]), "a"],
    ["a string", z.string(), "a"],
  ])("accepts a single value: %s", async (_name, tag, expected) => {
    const endpoint = defaultEndpointsFactory.build({
      input: z.object({ tag }),
      handler: ({ input }) => ({ tag: input.tag }),
    });
    const server = await start({ x: endpoint });
    expect((await server.send("/x?tag=a")).json()).toEqual(successEnvelope({ tag: expected }));
  });

  it("accepts a single value in a form, too", async () => {
    const endpoint = defaultEndpointsFactory.build({
      method: "post",
      input: z.object({ tag: strings, file: ez.upload().optional() }),
      handler: ({ input: { tag } }) => ({ tag }),
    });
    const server = await start({ x: endpoint }, { upload: true });
    const body = 'name="tag"\r\n\r\na';
    const part = `--b\r\nContent-Disposition: form-data; ${body}\r\n--b--\r\n`;
    for (const [type, sent] of [
      ["application/x-www-form-urlencoded", "tag=a"],
      ["multipart/form-data; boundary=b", part],
    ] as const) {
      const headers = { "content-type": type };
      const answer = await server.send("/x", { method: "POST", headers, body: sent });
      expect(answer.json()).toEqual(successEnvelope({ tag: ["a"] }));
    }
  });

  it("keeps several values; a single value in a JSON body is not converted to an array", async () => {
    const input = z.object({ tag: strings });
    const server = await start({
      lists: defaultEndpointsFactory.build({ input, handler: ({ input: { tag } }) => ({ tag }) }),
      posted: defaultEndpointsFactory.build({
        method: "post",
        input,
        handler: ({ input: { tag } }) => ({ tag }),
      }),
    });
    const answer = await server.send("/lists?tag=a&tag=b");
    expect(answer.json()).toEqual(successEnvelope({ tag: ["a", "b"] }));
    expect((await server.send("/posted", { method: "POST", body: { tag: "a" } })).status).toBe(400);
  });
});

it("parameters of a custom router are part of the input", async () => {
  const app = express();
  const router = express.Router({ mergeParams: true });
  const input = z.object({ tenant: z.string(), id: z.string() });
  const endpoint = defaultEndpointsFactory.build({ input, handler: async (args) => args.input });
  const { logger } = await start({});
  attachRouting({ app: router, cors: false, logger }, { "x/:id": endpoint });
  const own = app.use("/t/:tenant", router).listen(0, "127.0.0.1");
  await once(own, "listening");
  const { port } = own.address() as { port: number };
  const answer = await send(port, "/t/acme/x/7");
  own.close();
  expect(answer.json()).toEqual(successEnvelope({ tenant: "acme", id: "7" }));
});
