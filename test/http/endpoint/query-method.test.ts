import { METHODS } from "node:http";
import {
  defaultEndpointsFactory as factory,
  ez,
  problemEndpointsFactory,
  type CorsFunction,
  type DefinitionError,
} from "sallyport";
import { createClient, type Fetch } from "sallyport/client";
import { idempotency, memoryStore } from "sallyport/idempotency";
import { MutationObserver, QueryClient, QueryObserver } from "@tanstack/query-core";
import { mutationOptions, queryKey, queryOptions } from "sallyport/tanstack-query";
import { testEndpoint, testServer } from "sallyport/testing";
import { describe, expect, expectTypeOf, test, vi } from "vitest";
import { z } from "zod";
import { importGenerated } from "../generated-client.ts";
import { errorEnvelope, start, successEnvelope } from "../harness.ts";

const books = ["Emma", "Persuasion", "Sanditon"];
const output = z.object({ found: z.array(z.string()) });
const find = (part: string) => ({ found: books.filter((title) => title.includes(part)) });

const search = factory.build({
  method: "query",
  input: z.object({ title: z.string().default("") }),
  output,
  handler: ({ input }) => find(input.title),
});
const inShelf = factory.build({
  input: z.object({ shelf: z.string(), title: z.string() }),
  output: z.object({ shelf: z.string(), found: z.array(z.string()) }),
  handler: ({ input: { shelf, title } }) => ({ shelf, ...find(title) }),
});
const list = factory.build({ output, handler: () => find("") });
const routing = {
  books: { get: list, query: search },
  "query /shelves/:shelf": inShelf,
  plain: list,
};

/** As of Node.js 20.19.2, its parser knows the method. */
const isKnown = METHODS.includes("QUERY");
const onSockets = isKnown ? test : test.skip;
const json = { "content-type": "application/json" };
const asQuery = (body: object, headers: Record<string, string> = {}) => ({
  method: "QUERY",
  body,
  headers,
});

describe("an endpoint with the method QUERY", () => {
  onSockets("reads its input from the body and the path, and not from the query", async () => {
    const server = await start(routing);
    const answer = await server.send("/books?title=Emma", asQuery({ title: "San" }));
    expect([answer.status, answer.json()]).toEqual([200, successEnvelope({ found: ["Sanditon"] })]);
    const other = await server.send("/shelves/7?title=x", asQuery({ shelf: "1", title: "Em" }));
    expect(other.json()).toEqual(successEnvelope({ shelf: "7", found: ["Emma"] }));
    expect((await server.send("/books")).json()).toEqual(successEnvelope({ found: books }));
  });

  onSockets("takes a form, and bytes, as a POST does", async () => {
    const raw = factory.build({
      method: "query",
      input: ez.raw({}, { contentMediaType: "text/csv" }),
      output: z.object({ bytes: z.number() }),
      handler: ({ input }) => ({ bytes: input.raw.length }),
    });
    const server = await start({ ...routing, raw });
    const type = (text: string) => ({ "content-type": text });
    const form = type("application/x-www-form-urlencoded");
    const sent = { method: "QUERY", body: "title=Em", headers: form };
    expect((await server.send("/books", sent)).json()).toEqual(
      successEnvelope({ found: ["Emma"] }),
    );
    const bytes = { method: "QUERY", body: "a,b", headers: type("text/csv") };
    expect((await server.send("/raw", bytes)).json()).toEqual(successEnvelope({ bytes: 3 }));
    const untyped = await server.send("/raw", { method: "QUERY", body: "a,b" });
    expect([untyped.status, untyped.headers.accept]).toEqual([415, "text/csv"]);
  });

  onSockets.each([
    ["without a body", { method: "QUERY" }],
    ["with a body", { method: "QUERY", body: "{}" }],
  ])("refuses a request %s that has no media type", async (_case, sent) => {
    const server = await start(routing);
    const answer = await server.send("/books", sent);
    expect([answer.status, answer.json()]).toEqual([415, errorEnvelope("Unsupported Media Type")]);
    expect(answer.headers.accept).toBe("application/json, application/x-www-form-urlencoded");
  });

  onSockets("accepts no body if there is a media type, or if no body is a source", async () => {
    const open = factory.build({ method: "query", inputSources: ["query"], handler: () => ({}) });
    const server = await start({ ...routing, open });
    const empty = await server.send("/books", { method: "QUERY", headers: json });
    expect(empty.json()).toEqual(successEnvelope({ found: books }));
    expect((await server.send("/open", { method: "QUERY" })).status).toBe(200);
  });

  onSockets("is listed in Allow, also for the server as a whole", async () => {
    const server = await start(routing, { cors: true });
    const wrong = await server.send("/books", { method: "PUT" });
    expect([wrong.status, wrong.headers.allow]).toEqual([405, "GET, QUERY, HEAD, OPTIONS"]);
    const refused = await server.send("/plain", asQuery({}));
    expect([refused.status, refused.headers.allow]).toEqual([405, "GET, HEAD, OPTIONS"]);
    expect(await server.raw("OPTIONS * HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")).toMatch(
      /^allow: DELETE, GET, PATCH, POST, PUT, QUERY, HEAD, OPTIONS\r?$/im,
    );
  });

  onSockets("points at an invalid part of its body in problem details", async () => {
    const problem = problemEndpointsFactory.build({
      method: "query",
      input: z.object({ n: z.number() }),
      handler: () => ({}),
    });
    const server = await start({ problem });
    const answer = await server.send("/problem", asQuery({ n: "x" }));
    expect(answer.json()).toMatchObject({ status: 400, errors: [{ pointer: "#/n" }] });
  });
});

describe("a routing key", () => {
  onSockets("`/query` is a segment of the path, whatever its endpoint declares", async () => {
    const server = await start({ books: { "/query": list, query: search } });
    expect((await server.send("/books/query")).json()).toEqual(successEnvelope({ found: books }));
    expect((await server.send("/books", asQuery({}))).status).toBe(200);
  });

  test.each<[string, object, string]>([
    [
      "`query` with an endpoint of another method",
      { books: { query: factory.build({ method: "post", handler: () => ({}) }) } },
      'The method query at "/books" is not supported by the endpoint, which declares post. If the key is a segment of the path, write "/query".',
    ],
    ["`QUERY` in upper case", { QUERY: list }, 'names a method in upper case; write "query".'],
    ["`QUERY /a` in upper case", { "QUERY /a": list }, 'in upper case; write "query".'],
    ["a misspelt `qeury /a`", { "qeury /a": list }, "Did you mean `query`?"],
  ])("%s is refused with the fix", async (_case, wrong, message) => {
    await expect(start(wrong as typeof routing)).rejects.toThrow(message);
  });
});

describe("conditions of a QUERY", () => {
  const versioned = factory.build({
    method: "query",
    input: z.object({ title: z.string() }),
    output,
    version: () => new Date(1_700_000_000_000),
    handler: ({ input }) => find(input.title),
  });
  const date = new Date(1_700_000_000_000).toUTCString();

  onSockets("are those of a read: an unchanged result is a 304", async () => {
    const server = await start({ versioned });
    const body = { title: "Em" };
    const first = await server.send("/versioned", asQuery(body));
    expect([first.status, first.headers["last-modified"]]).toEqual([200, date]);
    const again = await server.send("/versioned", asQuery(body, { "if-modified-since": date }));
    expect([again.status, again.text, again.headers["last-modified"]]).toEqual([304, "", date]);
    const older = { "if-unmodified-since": "Mon, 01 Jan 2001 00:00:00 GMT" };
    expect((await server.send("/versioned", asQuery(body, older))).status).toBe(412);
  });

  test("make `ifMatch` a mistake, because there is nothing to change", () => {
    const options = { ifMatch: "required", current: () => "1", handler: () => ({}) } as const;
    expect(() => factory.build({ method: ["get", "query"], ...options })).toThrow(
      expect.objectContaining({
        code: "SLP_DEFINITION_VALUE",
        message:
          "build: `ifMatch` is for methods that write, but `method` is get and query. Remove it.",
      } satisfies Partial<DefinitionError>),
    );
  });

  onSockets("no idempotency key is needed, and none is looked at", async () => {
    const ran = vi.fn();
    const keyed = factory
      .addMiddleware(idempotency({ store: memoryStore(), scope: () => "all", required: true }))
      .build({
        method: ["query", "post"],
        handler: () => {
          ran();
          return {};
        },
      });
    const server = await start({ keyed });
    for (const headers of [{}, { "idempotency-key": "a" }, { "idempotency-key": "a" }]) {
      const answer = await server.send("/keyed", asQuery({}, headers));
      expect([answer.status, answer.headers["idempotency-replayed"]]).toEqual([200, undefined]);
    }
    expect(ran).toHaveBeenCalledTimes(3);
    expect((await server.send("/keyed", { method: "POST", body: {} })).status).toBe(400);
  });
});

describe("CORS for a path with QUERY", () => {
  const specified = "GET, POST, PUT, PATCH, DELETE, OPTIONS";
  const preflight = (wanted: string) => ({
    method: "OPTIONS",
    headers: { origin: "https://a.example", "access-control-request-method": wanted },
  });
  const methodsOf = "access-control-allow-methods";

  test("a preflight also allows QUERY, and one for another path does not", async () => {
    const server = await start(routing, { cors: true });
    for (const wanted of ["QUERY", "GET"]) {
      const answer = await server.send("/books", preflight(wanted));
      expect([answer.status, answer.headers[methodsOf]]).toEqual([200, `${specified}, QUERY`]);
    }
    for (const path of ["/plain", "/missing"])
      expect((await server.send(path, preflight("QUERY"))).headers[methodsOf]).toBe(specified);
    expect((await server.send("/books")).headers[methodsOf]).toBe(specified);
  });

  test("the default headers that a function receives for a preflight contain it", async () => {
    const cors: CorsFunction = ({ defaultHeaders }) => defaultHeaders;
    const server = await start(routing, { cors });
    const answer = await server.send("/books", preflight("QUERY"));
    expect(answer.headers[methodsOf]).toBe(`${specified}, QUERY`);
    expect((await server.send("/plain", preflight("GET"))).headers[methodsOf]).toBe(specified);
    const none = await start(routing, { cors: () => ({}) });
    expect((await none.send("/books", preflight("QUERY"))).headers).not.toHaveProperty(methodsOf);
  });

  test("and so does testEndpoint", async () => {
    const { responseMock } = await testEndpoint({
      endpoint: search,
      requestProps: { method: "OPTIONS" },
      configProps: { cors: true },
    });
    expect(responseMock._getHeaders()[methodsOf]).toBe(`${specified}, QUERY`);
  });

  onSockets("forms from other sites are refused", async () => {
    const server = await start(routing);
    const form = { "content-type": "application/x-www-form-urlencoded" };
    const sent = { method: "QUERY", body: "title=x" };
    const foreign = { ...form, origin: "https://evil.example", "sec-fetch-site": "cross-site" };
    expect((await server.send("/books", { ...sent, headers: foreign })).status).toBe(403);
    const own = { ...form, "sec-fetch-site": "same-origin" };
    expect((await server.send("/books", { ...sent, headers: own })).status).toBe(200);
  });
});

interface PlainClient {
  readonly provide: (key: string, input?: object, options?: object) => Promise<unknown>;
}

describe.each<[string, (options: Parameters<typeof createClient>[0]) => Promise<PlainClient>]>([
  ["an inferred client", async (options) => createClient(options) as never],
  [
    "a generated client",
    async (options) => (await importGenerated<PlainClient>(routing, {})).createClient(options),
  ],
])("%s", (_kind, create) => {
  onSockets("sends a QUERY with a body, and with `{}` for an empty input", async () => {
    const server = await start(routing);
    const baseUrl = `http://127.0.0.1:${server.port}`;
    const client = await create({ baseUrl });
    const got = await client.provide("query /books", { title: "Per" });
    expect(got).toEqual(successEnvelope({ found: ["Persuasion"] }));
    expect(await client.provide("query /books")).toEqual(successEnvelope({ found: books }));
    const shelf = { shelf: "a/b", title: "Em" };
    expect(await client.provide("query /shelves/:shelf", shelf)).toEqual(
      successEnvelope({ shelf: "a/b", found: ["Emma"] }),
    );
  });

  test("retries it, without a key and despite conditions, which a repeated read still meets", async () => {
    const seen: (string | null)[] = [];
    const lost: Fetch = async (_url, { method, headers }) => {
      expect(method).toBe("QUERY");
      seen.push(new Headers(headers).get("idempotency-key"));
      throw new TypeError("lost");
    };
    const client = await create({ baseUrl: "http://a", fetch: lost, idempotency: true });
    const options = { retry: { limit: 2, delay: 1 }, headers: { "if-none-match": '"1"' } };
    await expect(client.provide("query /books", {}, options)).rejects.toThrow("no complete");
    expect(seen).toEqual([null, null, null]);
  });

  test("keeps the method in a redirect, except for a 303", async () => {
    const sent: (string | undefined)[] = [];
    const answers = [302, 303, 200];
    const redirecting: Fetch = async (url, { method, body }) => {
      sent.push(`${method} ${new URL(url).pathname} ${JSON.stringify(body)}`);
      const status = answers[sent.length - 1] as number;
      if (status === 200) return Response.json(successEnvelope({ found: [] }));
      return new Response(null, { status, headers: { location: `/next${sent.length}` } });
    };
    const client = await create({ baseUrl: "http://a.example", fetch: redirecting });
    await client.provide("query /books", { title: "x" });
    expect(sent).toEqual([
      String.raw`QUERY /books "{\"title\":\"x\"}"`,
      String.raw`QUERY /next1 "{\"title\":\"x\"}"`,
      "GET /next2 null",
    ]);
  });
});

describe("TanStack Query", () => {
  onSockets("a QUERY is a query: cached by its input, and without a mutation", async () => {
    const server = await start(routing);
    const client = createClient<typeof routing>({ baseUrl: `http://127.0.0.1:${server.port}` });
    const options = queryOptions(client, "query /books", { title: "Em" });
    expectTypeOf(options.queryFn).not.toBeAny();
    expect(options.queryKey).toEqual(["books", "query", { title: "Em" }]);
    expect(queryKey("query /books")).toEqual(["books", "query"]);
    const queries = new QueryClient();
    const data = await queries.fetchQuery(options);
    expectTypeOf(data).toEqualTypeOf<{ found: string[] }>();
    expect(data).toEqual({ found: ["Emma"] });
    expect(queries.getQueryData(options.queryKey)).toEqual({ found: ["Emma"] });
    const observer = new QueryObserver(queries, options);
    expect(observer.getCurrentResult().data).toEqual({ found: ["Emma"] });
    const mutation = new MutationObserver(queries, mutationOptions(client, "query /books"));
    expect(await mutation.mutate({ title: "San" })).toEqual({ found: ["Sanditon"] });
    queries.clear();
  });
});

describe("the test utilities", () => {
  onSockets("testEndpoint and testServer send a QUERY", async () => {
    const requestProps = { method: "QUERY", body: { title: "Em" } } as const;
    const { responseMock, loggerMock } = await testEndpoint({ endpoint: search, requestProps });
    expect(responseMock._getJSONData()).toEqual(successEnvelope({ found: ["Emma"] }));
    expect(loggerMock._getLogs().error).toEqual([]);
    const byDefault = await testEndpoint({ endpoint: search, requestProps: { body: {} } });
    expect(byDefault.requestMock.method).toBe("QUERY");
    const server = await testServer({}, routing);
    const init = { method: "QUERY", body: '{"title":"Em"}', headers: json };
    const response = await server.fetch("/books", init);
    expect(await response.json()).toEqual(successEnvelope({ found: ["Emma"] }));
  });
});
