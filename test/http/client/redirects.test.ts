import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { defaultEndpointsFactory as factory, EventStreamFactory } from "sallyport";
import { createClient, RedirectError, type CallOptions } from "sallyport/client";
import { describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { importGenerated } from "../generated-client.ts";

const endpoint = factory.build({
  method: ["get", "post", "put"],
  input: z.object({ name: z.string().optional() }),
  output: z.object({}).loose(),
  handler: async () => ({}),
});
const routing = {
  start: endpoint,
  events: new EventStreamFactory({ message: z.string() }).build({ handler: async () => undefined }),
};
type Client = ReturnType<typeof createClient<typeof routing>>;

/** Starts a server for a test, and returns its origin. */
const listen = async (
  handle: (request: IncomingMessage, response: ServerResponse) => unknown,
): Promise<string> => {
  const server = createServer((request, response) => void handle(request, response));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
};

/** A request as a server received it. */
interface Seen {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly key: unknown;
  readonly type: unknown;
  readonly body: string;
}

const record = async (request: IncomingMessage, seen: Seen[]): Promise<void> => {
  const { method, url, headers } = request;
  const { "x-api-key": key, "content-type": type } = headers;
  seen.push({ method, url, key, type, body: await text(request) });
};

/** Starts an API at whose path `/start` there is a redirect, and another origin. */
const open = async (status: number, toLocation: (other: string) => string) => {
  const [seen, seenByOther]: [Seen[], Seen[]] = [[], []];
  const success = '{"status":"success","data":{}}';
  const answer = (response: ServerResponse): void =>
    void response.writeHead(200, { "content-type": "application/json" }).end(success);
  const other = await listen(async (request, response) => {
    await record(request, seenByOther);
    answer(response);
  });
  const api = await listen(async (request, response) => {
    await record(request, seen);
    const location = toLocation(other);
    if (request.url === "/end") answer(response);
    else response.writeHead(status, { location }).end("moved");
  });
  return { api, other, seen, seenByOther };
};

const key = { "x-api-key": "secret" };
const clients = ["inferred", "generated"] as const;

describe.each(clients)("the %s client", (kind) => {
  const create = async (baseUrl: string, options: CallOptions = {}): Promise<Client> => {
    const all = { baseUrl, ...options };
    if (kind === "inferred") return createClient<typeof routing>(all);
    return (await importGenerated<Client>(routing, {})).createClient(all);
  };

  const toOther = (other: string): string => `${other}/end`;

  test.each<[string, "get /start" | "post /start", CallOptions]>([
    ["header fields of the client or the call", "get /start", { headers: key }],
    [
      "header fields that a hook adds",
      "get /start",
      { onRequest: ({ headers }) => headers.set("x-api-key", "secret") },
    ],
    ["a body", "post /start", {}],
    ["cookies", "get /start", { credentials: "include" }],
  ])("does not follow a redirect to another origin with %s", async (_name, route, options) => {
    const { api, other, seenByOther } = await open(307, toOther);
    const input = route === "post /start" ? { name: "Ada" } : {};
    const client = await create(api);
    const method = route.slice(0, -7).toUpperCase();
    const expected = {
      ...{ name: "RedirectError", code: "SLP_CLIENT_REDIRECT" },
      message: `${method} /start: redirected to ${other}; allow this with \`crossOriginRedirects: true\``,
    };
    await expect(client.provide(route, input, options)).rejects.toMatchObject(expected);
    const strict = await create(api, { ...options, retry: 3 });
    await expect(strict.provide(route, input)).rejects.toMatchObject(expected);
    expect(seenByOther).toEqual([]);
  });

  test.each([
    [
      "with header fields if this is allowed",
      { headers: key, crossOriginRedirects: true },
      "secret",
    ],
    ["with nothing to protect", {}, undefined],
  ])("follows a redirect to another origin %s", async (_name, options, key) => {
    const { api, seenByOther } = await open(302, toOther);
    const client = await create(api, options);
    expect(await client.provide("get /start")).toEqual({ status: "success", data: {} });
    expect(seenByOther).toMatchObject([{ method: "GET", url: "/end", key }]);
  });

  test.each([
    ["a path", () => "/end"],
    ["a relative path", () => "end"],
  ])("follows a redirect to %s within the origin", async (_name, toLocation) => {
    const { api, seen } = await open(308, toLocation);
    const client = await create(api, { headers: key });
    expect(await client.provide("get /start")).toEqual({ status: "success", data: {} });
    expect(seen).toMatchObject([{ url: "/start" }, { url: "/end", key: "secret" }]);
  });

  test.each([
    [301, "post", "GET"],
    [302, "post", "GET"],
    [303, "post", "GET"],
    [307, "post", "POST"],
    [308, "post", "POST"],
    [301, "put", "PUT"],
    [303, "put", "GET"],
    [308, "put", "PUT"],
  ] as const)("after a %d to a %s, sends a %s, as `fetch` does", async (status, method, then) => {
    const { api, seen } = await open(status, () => "/end");
    const client = await create(api, { headers: key });
    await client.provide(`${method} /start` as "post /start", { name: "Ada" });
    const { status: plain } = await fetch(`${api}/start`, {
      ...{ method, headers: { ...key, "content-type": "application/json" } },
      body: '{"name":"Ada"}',
    });
    const [, followed, , byFetch] = seen;
    expect([plain, followed?.method, followed]).toEqual([200, then, byFetch]);
  });

  test("gives up after as many redirects as `fetch`", async () => {
    const { api, seen } = await open(307, () => "/start");
    const client = await create(api, { headers: key });
    await expect(client.provide("get /start")).rejects.toMatchObject({
      name: "NetworkError",
      message: "GET /start: no complete response: too many redirects",
    });
    const count = seen.length;
    await expect(fetch(`${api}/start`)).rejects.toThrow("fetch failed");
    expect(seen.length).toBe(2 * count);
  });

  test("reports a malformed location as a network error", async () => {
    const { api } = await open(307, () => "http://[");
    const client = await create(api, { headers: key });
    await expect(client.provide("get /start")).rejects.toMatchObject({ name: "NetworkError" });
  });

  test("refuses a redirect that the platform hides, as browsers do", async () => {
    const hidden = Object.defineProperty(Response.error(), "type", { value: "opaqueredirect" });
    const client = await create("http://localhost", { headers: key, fetch: async () => hidden });
    await expect(client.provide("get /start")).rejects.toMatchObject({
      message:
        "GET /start: redirected to an origin that browsers hide; allow this with `crossOriginRedirects: true`",
    });
  });

  test("ends a subscription that is redirected to another origin", async () => {
    const { api, seen, seenByOther } = await open(307, toOther);
    const client = await create(api);
    const events = client.subscribe("get /events", {}, { delay: 1 });
    await expect(events.next()).rejects.toMatchObject({ code: "SLP_CLIENT_REDIRECT" });
    expect([seen.length, seenByOther]).toEqual([1, []]);
  });
});

test("a refused redirect is a `RedirectError`", async () => {
  const { api } = await open(307, () => "data:,x");
  const client = createClient<typeof routing>({ baseUrl: api, headers: key });
  await expect(client.provide("get /start")).rejects.toBeInstanceOf(RedirectError);
});
