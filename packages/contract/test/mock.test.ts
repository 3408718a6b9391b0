import { fileTypeFromBuffer } from "file-type";
import { createClient } from "sallyport/client";
import {
  arrayEndpointsFactory,
  defaultEndpointsFactory,
  EventStreamFactory,
  ez,
  Middleware,
  problemEndpointsFactory,
  ServeStatic,
  type Routing,
} from "sallyport";
import { afterEach, describe, expect, test, vi } from "vitest";
import { z } from "zod";
import { listenMock, mockServer, type MockOptions, type MockServer } from "../src/index.ts";
import { toBytes } from "../src/mock/generate-content.ts";

const user = z.object({
  id: z.uuid(),
  name: z.string().meta({ examples: ["Ada"] }),
  bornOn: ez.dateOut(),
});
const id = "0b5e1a36-7c1e-4a8e-9a60-3a6f2f1f4f10";

/** What must never run in a mock. */
const handler = vi.fn((): never => {
  throw new Error("The application's own handler runs");
});

const authentication = new Middleware({
  security: { or: [{ type: "bearer" }, { type: "cookie", name: "session" }] },
  headers: z.object({ "x-tenant": z.string().regex(/^\d+$/).optional() }),
  input: z.object({ dry: z.stringbool().optional() }),
  errors: { 401: "Log in" },
  handler,
});
const offsetPages = ez.paginated({ style: "offset", itemSchema: user, itemsName: "users" });
const cursorPages = ez.paginated({ style: "cursor", itemSchema: user });
const signedPages = ez.paginated({
  style: "cursor",
  itemSchema: user,
  cursor: ez.cursor(z.object({ id: z.int(), at: ez.dateIn() }), { secret: "s".repeat(40) }),
});

const codedPages = ez.paginated({
  style: "cursor",
  itemSchema: user,
  cursor: z.codec(z.string(), z.int(), { decode: Number, encode: String }),
});

const routing = {
  users: {
    get: defaultEndpointsFactory.build({ ...offsetPages, handler }),
    post: defaultEndpointsFactory.addMiddleware(authentication).build({
      input: z.object({ name: z.string().min(1) }),
      output: user,
      statusCode: 201,
      errors: {
        taken: { status: 409, description: "Taken", schema: z.object({ by: z.uuid() }) },
        closed: { status: 409, description: "Closed" },
      },
      handler,
    }),
    ":id": defaultEndpointsFactory.build({
      input: z.object({ id: z.uuid() }),
      output: user.meta({
        examples: [{ id, name: "Grace", bornOn: "1906-12-09T00:00:00.000Z" }] as never[],
      }),
      errors: { 404: "No such user" },
      handler,
    }),
  },
  cursors: defaultEndpointsFactory.build({ ...cursorPages, handler }),
  coded: defaultEndpointsFactory.build({ ...codedPages, handler }),
  signed: defaultEndpointsFactory.build({ ...signedPages, handler }),
  list: arrayEndpointsFactory.build({
    output: z.object({ items: z.array(z.int()).min(1) }),
    handler,
  }),
  "delete things/:thing": problemEndpointsFactory.buildVoid({
    errors: { 410: { description: "Gone", type: "https://example.com/gone" } },
    statusCode: 204,
    handler,
  }),
  versions: {
    get: defaultEndpointsFactory.build({
      output: z.object({ version: z.int() }),
      responseHeaders: z.object({ "x-count": z.int() }),
      version: handler,
      handler,
    }),
    patch: defaultEndpointsFactory.build({ ifMatch: "required", current: handler, handler }),
  },
  picture: defaultEndpointsFactory.build({ output: ez.buffer("image/png"), handler }),
  report: defaultEndpointsFactory.build({
    output: ez.file("text/csv", { fileName: "report.csv" }),
    handler,
  }),
  rows: defaultEndpointsFactory.build({ output: ez.stream("application/jsonl"), handler }),
  events: new EventStreamFactory({
    joined: user,
    left: z.object({ id: z.uuid() }),
  }).build({ handler }),
  old: defaultEndpointsFactory.build({ handler }).deprecated({ since: "2026-01-31" }),
  files: new ServeStatic("packages/contract/src"),
} satisfies Routing;

const mocks: { readonly close: () => Promise<void> }[] = [];
const start = async (options: Omit<MockOptions<typeof routing>, "routing"> = {}) => {
  const mock = await mockServer({ routing, ...options });
  mocks.push(mock);
  return mock;
};
afterEach(async () => {
  for (const mock of mocks.splice(0)) await mock.close();
  expect(handler).not.toHaveBeenCalled();
});

const json = (body: object, headers: Record<string, string> = {}): RequestInit => ({
  method: "POST",
  body: JSON.stringify(body),
  headers: { "content-type": "application/json", ...headers },
});
const token = { authorization: "Bearer any" };
const read = async ({ fetch }: MockServer, path: string, init?: RequestInit) => {
  const response = await fetch(path, init);
  const text = await response.text();
  return { status: response.status, headers: response.headers, text };
};

describe("a mock", () => {
  test("sends what fits the schemas, with the values of the input", async () => {
    const mock = await start();
    const { status, text } = await read(mock, "/users", json({ name: "Linus" }, token));
    expect(status).toBe(201);
    const { data } = JSON.parse(text) as { data: Record<string, string> };
    expect(data).toMatchObject({ name: "Linus" });
    expect(z.uuid().safeParse(data["id"]).success).toBe(true);
    expect(data["bornOn"]).toMatch(/^2026-.*Z$/);
  });

  test("sends the same for the same input, in every mock with the same seed", async () => {
    const [one, other, seeded] = [await start(), await start(), await start({ seed: "other" })];
    const ask = async (mock: MockServer, name: string) =>
      (await read(mock, "/users", json({ name }, token))).text;
    expect(await ask(one, "A")).toBe(await ask(one, "A"));
    expect(await ask(one, "A")).toBe(await ask(other, "A"));
    expect(await ask(one, "A")).not.toBe(await ask(one, "B"));
    expect(await ask(one, "A")).not.toBe(await ask(seeded, "A"));
  });

  test("validates the input, that of middlewares, and their header fields", async () => {
    const mock = await start();
    const ask = async (body: object, headers = {}) =>
      (await read(mock, "/users", json(body, { ...token, ...headers }))).status;
    expect(await ask({ name: "" })).toBe(400);
    expect(await ask({ name: "A", dry: "perhaps" })).toBe(400);
    expect(await ask({ name: "A" }, { "x-tenant": "x" })).toBe(400);
    expect(await ask({ name: "A" }, { "x-tenant": "1" })).toBe(201);
    expect((await read(mock, "/users/1")).status).toBe(400);
    expect((await read(mock, "/nothing")).status).toBe(404);
  });

  test("demands credentials, whatever they are", async () => {
    const mock = await start();
    const ask = async (headers: Record<string, string>) =>
      read(mock, "/users", json({ name: "A" }, headers));
    const refused = await ask({});
    expect([refused.status, refused.text]).toEqual([401, expect.stringContaining("Log in")]);
    expect((await ask({ authorization: "Basic YTpi" })).status).toBe(401);
    expect((await ask({ cookie: "theme=dark; session=x" })).status).toBe(201);
  });

  test("says how to authenticate", async () => {
    const { headers } = await read(await start(), "/users", json({ name: "A" }));
    expect(headers.get("www-authenticate")).toBe('Bearer realm="api"');
  });

  test("guards files and documentation as the API does, with any credentials", async () => {
    const guarded = defaultEndpointsFactory.addMiddleware(authentication);
    const mock = await mockServer({
      routing: { files: new ServeStatic("packages/contract/src", {}, guarded) },
      config: { access: "explicit", docs: { factory: guarded, ui: "swagger" } },
    });
    mocks.push(mock);
    for (const path of ["/files/index.ts", "/docs", "/docs/openapi.json"]) {
      const refused = await read(mock, path);
      expect([refused.status, refused.text]).toEqual([401, expect.stringContaining("Log in")]);
      expect(refused.headers.get("www-authenticate")).toBe('Bearer realm="api"');
      expect((await read(mock, path, { headers: token })).status).toBe(200);
    }
  });

  test("sends arrays, nothing, problem details, and the fields of deprecated endpoints", async () => {
    const mock = await start();
    expect(JSON.parse((await read(mock, "/list")).text)).toEqual(
      expect.arrayContaining([expect.any(Number)]),
    );
    expect((await read(mock, "/things/1", { method: "DELETE" })).status).toBe(204);
    const gone = await read(mock, "/things/1", {
      method: "DELETE",
      headers: { prefer: "code=410" },
    });
    expect(JSON.parse(gone.text)).toMatchObject({
      ...{ status: 410, type: "https://example.com/gone" },
    });
    expect((await read(mock, "/old")).headers.get("deprecation")).toBe("@1769817600");
  });

  test("sends bytes, files and streams of the declared media types", async () => {
    const mock = await start();
    const picture = await read(mock, "/picture");
    expect([picture.headers.get("content-type"), picture.text]).toEqual([
      "image/png",
      expect.stringContaining("PNG"),
    ]);
    const report = await read(mock, "/report");
    expect(report.headers.get("content-type")).toContain("text/csv");
    expect(report.headers.get("content-disposition")).toContain("report.csv");
    expect(report.text).toMatch(/^id,name\n/);
    const rows = await read(mock, "/rows");
    expect(
      rows.text
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line) as unknown),
    ).toHaveLength(2);
    expect((await read(mock, "/files/index.ts")).text).toContain("mockServer");
  });

  test.each([
    ["image/gif", "image/gif"],
    ["image/jpeg", "image/jpeg"],
    ["image/webp", "image/webp"],
    ["image/*", "image/png"],
    ["application/pdf", "application/pdf"],
    ["application/zip", "application/zip"],
    ["application/gzip", "application/gzip"],
  ])("sends for %s what is one", async (type, wanted) => {
    expect(await fileTypeFromBuffer(toBytes(type))).toMatchObject({ mime: wanted });
  });

  test("is not kept busy by a pattern of the output on what a client sends", async () => {
    const mock = await mockServer({
      routing: {
        slow: defaultEndpointsFactory.build({
          input: z.object({ name: z.string() }),
          output: z.object({ name: z.string().regex(/^(a+)+b$/i) }),
          handler,
        }),
      },
    });
    mocks.push(mock);
    const { status, text } = await read(mock, `/slow?name=${"a".repeat(60)}`);
    expect([status, text]).toEqual([200, expect.stringMatching(/"name":"a+b"/i)]);
  });

  test("sets the declared header fields, and asks for versions", async () => {
    const mock = await start();
    const first = await read(mock, "/versions");
    expect(first.headers.get("etag")).toMatch(/^"[\da-f]+"$/);
    expect(first.headers.get("x-count")).toMatch(/^\d+$/);
    expect((await read(mock, "/versions", { method: "PATCH" })).status).toBe(428);
    const headers = { "if-match": String(first.headers.get("etag")) };
    expect((await read(mock, "/versions", { method: "PATCH", headers })).status).toBe(200);
  });

  test("listens at a port", async () => {
    const mock = await listenMock({ routing, port: 0, config: { logger: { level: "silent" } } });
    mocks.push(mock);
    expect((await fetch(`${mock.url}/list`)).status).toBe(200);
    expect(mock.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  });

  test("listens at another address if it is told", async () => {
    const config = { logger: { level: "silent" } } as const;
    const mock = await listenMock({ routing, port: 0, host: "::1", config });
    mocks.push(mock);
    expect(mock.url).toMatch(/^http:\/\/\[::1\]:\d+$/);
    expect((await fetch(`${mock.url}/list`)).status).toBe(200);
  });

  test("runs none of the hooks, resources and health checks", async () => {
    const mock = await start({
      config: {
        ...{ beforeRouting: handler, afterRouting: handler, onStart: handler, onStop: handler },
        resources: [{ name: "database", start: handler, stop: handler }],
        health: { checks: { database: handler } },
      },
    });
    expect((await read(mock, "/readyz")).status).toBe(200);
  });
});

describe("Prefer", () => {
  const ask = async (path: string, prefer: string, init: RequestInit = {}) => {
    const headers = new Headers(init.headers);
    headers.set("prefer", prefer);
    return read(await start(), path, { ...init, headers });
  };

  test("chooses a declared error", async () => {
    const { status, text, headers } = await ask(`/users/${id}`, "code=404");
    expect(status).toBe(404);
    expect(JSON.parse(text)).toMatchObject({ error: { message: "No such user" } });
    expect(headers.get("preference-applied")).toBe("code=404");
  });

  test("chooses one of several errors with the same status, with its data", async () => {
    const init = json({ name: "A" }, token);
    expect(JSON.parse((await ask("/users", "code=409", init)).text)).toMatchObject({
      error: { code: "taken", data: { by: expect.stringMatching(/^[\da-f-]{36}$/) as string } },
    });
    const closed = await ask("/users", "code=409, example=closed", init);
    expect(JSON.parse(closed.text)).toMatchObject({ error: { code: "closed", message: "Closed" } });
    const unknown = await ask("/users", "code=409, example=none", init);
    expect([unknown.status, unknown.text]).toEqual([
      400,
      expect.stringContaining("use one of taken, closed"),
    ]);
  });

  test("chooses an error of the framework", async () => {
    expect((await ask(`/users/${id}`, "code=400")).status).toBe(400);
    expect((await ask(`/users/${id}`, "code=500")).status).toBe(500);
  });

  test("chooses an example", async () => {
    const grace = await ask(`/users/${id}`, 'example="0"');
    expect(JSON.parse(grace.text)).toMatchObject({ data: { name: "Grace" } });
  });

  test("is refused if nothing like that is declared; other preferences are ignored", async () => {
    const wrongCode = await ask(`/users/${id}`, "code=418");
    expect([wrongCode.status, wrongCode.text]).toEqual([400, expect.stringContaining("200, ")]);
    const wrongExample = await ask(`/users/${id}`, "example=none");
    expect([wrongExample.status, wrongExample.text]).toEqual([
      400,
      expect.stringContaining("use one of 0"),
    ]);
    expect((await ask(`/users/${id}`, "respond-async, wait=5")).status).toBe(200);
  });

  test.each([
    ["true", true, "Content-Type, Authorization, Prefer"],
    ["a function", () => ({ "access-control-allow-headers": "X-Own" }), "X-Own, Prefer"],
    ["an asynchronous function", async () => ({}), "Prefer"],
  ])("is allowed to pages with cors: %s", async (_name, cors, allowed) => {
    const mock = await start({ config: { cors } });
    const preflight = await read(mock, "/list", {
      method: "OPTIONS",
      headers: {
        ...{ origin: "https://example.com", "access-control-request-method": "GET" },
        "access-control-request-headers": "prefer",
      },
    });
    expect(preflight.headers.get("access-control-allow-headers")).toBe(allowed);
    const { headers } = await read(mock, "/list", { headers: { origin: "https://example.com" } });
    expect(headers.get("access-control-expose-headers")).toBe("Preference-Applied");
    expect((await read(await start(), "/list")).headers.has("access-control-expose-headers")).toBe(
      false,
    );
  });

  test("comes after credentials and the input", async () => {
    expect((await ask("/users", "code=409", json({ name: "A" }))).status).toBe(401);
    expect((await ask("/users/1", "code=404")).status).toBe(400);
  });
});

describe("pages", () => {
  const clientOf = ({ fetch }: MockServer) =>
    createClient<typeof routing>({ baseUrl: "http://localhost", fetch });

  test.for(["get /users", "get /cursors", "get /coded", "get /signed"] as const)(
    "of %s end",
    async (route) => {
      const client = clientOf(await start());
      const ids = async (limit: number): Promise<string[]> => {
        const found: string[] = [];
        for await (const item of client.iterate(route, { limit })) found.push(item.id);
        return found;
      };
      const all = await ids(7);
      expect(all.length).toBeGreaterThan(20);
      expect(new Set(all).size).toBe(all.length);
      // whatever the size of the pages
      expect(await ids(10)).toEqual(all);
    },
  );

  test("have a total that fits", async () => {
    const mock = await start();
    const ask = async (query: string) =>
      (JSON.parse((await read(mock, `/users?${query}`)).text) as { data: { total: number } }).data;
    const { total } = await ask("limit=5");
    expect(await ask(`limit=5&offset=${total - 2}`)).toMatchObject({
      ...{ total, limit: 5, offset: total - 2, users: [{ name: "Ada" }, { name: "Ada" }] },
    });
    expect(await ask(`offset=${total}`)).toMatchObject({ total, users: [] });
  });
});

describe("an event stream", () => {
  test("sends each declared event once, also to a client that reconnects", async () => {
    const { fetch } = await start();
    const client = createClient<typeof routing>({ baseUrl: "http://localhost", fetch });
    const events: string[] = [];
    for await (const { event, data } of client.subscribe("get /events", {}, { delay: 1 }))
      events.push(`${event} ${z.uuid().safeParse(data.id).success}`);
    expect(events).toEqual(["joined true", "left true"]);
  });
});
