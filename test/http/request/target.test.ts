import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { defaultEndpointsFactory, ServeStatic, type Routing } from "sallyport";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { errorEnvelope, start, successEnvelope, type TestServer } from "../harness.ts";

/** An endpoint that responds with the path parameter `id` as received. */
const echoId = defaultEndpointsFactory.build({
  method: ["get", "post", "put"],
  input: z.object({ id: z.string() }),
  output: z.object({ id: z.string() }),
  handler: ({ input }) => input,
});

/** An endpoint that responds with its whole input. */
const echo = defaultEndpointsFactory.build({
  method: ["get", "post"],
  input: z.looseObject({}),
  handler: ({ input }) => ({ input }),
});

const ping = defaultEndpointsFactory.build({ handler: () => ({ pong: true }) });

const routing: Routing = { items: { ":id": echoId }, echo, ping };

/** Reads one response on a connection that stays open. */
const readReply = async (socket: Awaited<ReturnType<TestServer["open"]>>): Promise<string> => {
  let text = "";
  const isWhole = (): boolean => {
    const end = text.indexOf("\r\n\r\n");
    const length = /^content-length: (\d+)\r$/im.exec(text)?.[1];
    return end > 0 && text.length >= end + 4 + Number(length ?? 0);
  };
  while (!isWhole()) {
    const chunk = socket.read() as Buffer | null;
    if (chunk) text += chunk.toString("latin1");
    else if (socket.destroyed || socket.readableEnded) return text;
    else await Promise.race([once(socket, "readable"), once(socket, "close")]);
  }
  return text;
};

/** Sends a target, then a valid request on the same socket, and returns both statuses. */
const statusesOf = async (server: TestServer, target: string): Promise<number[]> => {
  const socket = await server.open();
  const statuses: number[] = [];
  for (const path of [target, "/ping"]) {
    socket.write(`GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`);
    statuses.push(Number((await readReply(socket)).slice(9, 12)));
  }
  socket.destroy();
  return statuses;
};

const malformed = ["%zz", "%E0%A4%A", "%", "a%2", "%C3"];

describe("Malformed percent-encoding", () => {
  test.each(malformed)(
    "Q1: malformed percent-encoding in the path gets a 400 (%j)",
    async (segment) => {
      const server = await start(routing);
      const answer = await server.send(`/items/${segment}`);
      expect(answer.status).toBe(400);
      expect(answer.json()).toEqual(errorEnvelope("Malformed path"));
      expect(answer.headers["content-type"]).toBe("application/json; charset=utf-8");
      expect(answer.headers["cache-control"]).toBe("no-store");
      expect(answer.headers["x-content-type-options"]).toBe("nosniff");
      expect(await statusesOf(server, `/items/${segment}`)).toEqual([400, 200]);
    },
  );

  test("Q1: a malformed path is logged as one debug line and nothing more", async () => {
    const server = await start(routing, { accessLogger: null });
    server.lines.length = 0;
    await server.send("/items/%zz");
    expect(server.lines.map(({ severity }) => severity)).toEqual(["debug"]);
  });

  test("Q1: a malformed path gets a 400 for every method and for unknown paths as well", async () => {
    const server = await start(routing);
    for (const method of ["POST", "PUT", "DELETE", "OPTIONS"])
      expect((await server.send("/items/%zz", { method })).status).toBe(400);
    expect((await server.send("/nowhere/%zz")).status).toBe(400);
  });

  test("Q2: malformed percent-encoding in the query is kept unchanged", async () => {
    const server = await start(routing);
    const answer = await server.send("/echo?a=%zz&b=%E0%A4%A&c=%&%zz=d&e=%41");
    expect(answer.status).toBe(200);
    expect(answer.json()).toEqual(
      successEnvelope({ input: { a: "%zz", b: "%E0%A4%A", c: "%", "%zz": "d", e: "A" } }),
    );
    expect(await statusesOf(server, "/echo?a=%")).toEqual([200, 200]);
  });

  test("Q3: a NUL in a parameter reaches the schema untruncated", async () => {
    const server = await start(routing);
    const answer = await server.send("/items/a%00b");
    expect(answer.json()).toEqual(successEnvelope({ id: "a\0b" }));
    const query = await server.send("/echo?a=b%00c");
    expect(query.json()).toEqual(successEnvelope({ input: { a: "b\0c" } }));
    expect(await statusesOf(server, "/items/%00")).toEqual([200, 200]);
  });

  test("Q3: a NUL in the path of a static file gets a 400", async () => {
    const directory = await mkdtemp(join(tmpdir(), "sallyport-"));
    try {
      await writeFile(join(directory, "a.txt"), "text");
      const server = await start({ files: new ServeStatic(directory), ping });
      const answer = await server.send("/files/a.txt%00.png");
      expect(answer.status).toBe(400);
      expect(answer.json()).toMatchObject({ status: "error" });
      expect(answer.text).not.toContain(directory);
      expect(await statusesOf(server, "/files/a.txt%00")).toEqual([400, 200]);
    } finally {
      await rm(directory, { recursive: true });
    }
  });

  test.each([0x01, 0x0b, 0x1f, 0x7f, 0x80, 0xc3, 0xff])(
    "Q4: the raw byte %i in the target gets a 400, and the connection closes",
    async (byte) => {
      let calls = 0;
      const count = defaultEndpointsFactory.build({ handler: () => ({ calls: ++calls }) });
      const server = await start({ items: { ":id": count } });
      const text = await server.raw(
        Buffer.concat([
          Buffer.from("GET /items/a"),
          Buffer.from([byte]),
          Buffer.from("b HTTP/1.1\r\nHost: a\r\n\r\n"),
        ]),
      );
      expect(text).toMatch(/^HTTP\/1\.1 400 /);
      expect(text).toMatch(/^connection: close\r$/im);
      expect(calls).toBe(0);
    },
  );

  test.each(["%C0%AF", "%c0%ae%c0%ae", "%E0%80%AF", "%F0%80%80%AF", "%ED%A0%80"])(
    "Q5: overlong or surrogate UTF-8 in the path gets a 400 (%j)",
    async (segment) => {
      const server = await start(routing);
      const answer = await server.send(`/items/${segment}`);
      expect(answer.status).toBe(400);
      expect(answer.json()).toEqual(errorEnvelope("Malformed path"));
      expect(await statusesOf(server, `/items/${segment}`)).toEqual([400, 200]);
    },
  );
});

describe("The canonical path", () => {
  const forms: Routing = {
    a: { "": ping, b: ping, ":id": echoId },
    "A/c": ping,
    deep: { b: ping },
    "w/*rest": ping,
    "p/:id": echoId,
  };

  test.each([
    "//a",
    "/a//b",
    "/deep//b",
    "/a/../deep/b",
    "/deep/./b",
    "/x/../a",
    "/deep/x/%2e%2e/b",
    "/deep/%2e/b",
    "/deep%2Fb",
    "/deep%2fb",
    "/deep/b;x",
    "/deep;x/b",
    "/Deep/b",
    "/deep/B",
    "/a/c",
    "/deep/b//",
    "/p/..",
    "/p/.",
    "/p/../",
    "/p/%2e%2E",
    "/w/x/../y",
    "/w/%2e./y",
    "/w/..",
  ])("Q6: %s is not another spelling of a route, and gets a 404", async (target) => {
    const server = await start({ ...forms, a: { "": ping, b: ping } });
    const answer = await server.send(target);
    expect(answer.status).toBe(404);
    expect(answer.json()).toEqual(errorEnvelope("Not Found"));
  });

  test.each(["/a", "/a/", "/a/b", "/a/b/", "/deep/b/", "/deep/%62", "/%64eep/b"])(
    "Q6: %s is another spelling of a route",
    async (target) => {
      const server = await start(forms);
      const answer = await server.send(target);
      expect(answer.json()).toEqual(successEnvelope({ pong: true }));
    },
  );

  test.each([
    ["/a/x%2Fy", "x/y"],
    ["/a/%2F", "/"],
    ["/a/x;y", "x;y"],
    ["/a/...", "..."],
    ["/a/..%2fx", "../x"],
    ["/a/B", "B"],
    ["/a/x/", "x"],
    ["/a/%252F", "%2F"],
    ["/a/x+y", "x+y"],
  ])("Q6: the path %s has the parameter %j", async (target, id) => {
    const server = await start(forms);
    const answer = await server.send(target);
    expect(answer.json()).toEqual(successEnvelope({ id }));
  });

  test.each(["/a#frag", "/a/x#frag/y", "/a?x#", "/#"])(
    "Q6: the fragment of %s, which clients keep to themselves, gets a 400",
    async (target) => {
      const server = await start(forms);
      expect((await server.send(target)).json()).toEqual(errorEnvelope("Malformed request target"));
    },
  );

  test("Q6: the connection stays open after a request for an unknown path", async () => {
    const server = await start(routing);
    for (const target of ["//ping", "/x/../ping", "/ping;x"])
      expect(await statusesOf(server, target)).toEqual([404, 200]);
  });
});

describe("Parameters", () => {
  test.each([
    ["hyphens", "-".repeat(8000), 404],
    ["letters and hyphens", "a-".repeat(4000), 404],
    ["segments", "/a-a".repeat(2000), 404],
    ["letters", "a".repeat(8000), 404],
    ["the end of a route", `${"a-".repeat(4000)}!`, 200],
  ])(
    "Q7: a path of 8 KiB (%s) is matched against routes with several parameters in one pass",
    async (_of, tail, status) => {
      const pair = defaultEndpointsFactory.build({
        input: z.object({ a: z.string(), b: z.string() }),
        handler: () => ({}),
      });
      // trying each position for each parameter would take 8000 ** 10 attempts
      const server = await start({
        ":a-:b": { ":c-:d": { ":e-:f": pair, end: pair }, end: pair },
        ":a-:b-:c-:d-:e-:f-:g-:h-:i-:j!": pair,
        ":a-:b/:c-:d/:e-:f/:g-:h/:i-:j/end": pair,
        ":a.:b-:c": pair,
      });
      expect((await server.send(`/${tail}`)).status).toBe(status);
    },
  );

  test.each(["__proto__", "constructor", "toString", "hasOwnProperty", "valueOf"])(
    "Q8: %s is plain data as a path segment, and no method",
    async (name) => {
      const server = await start(routing);
      expect((await server.send(`/items/${name}`)).json()).toEqual(successEnvelope({ id: name }));
      expect((await server.send(`/${name}`)).status).toBe(404);
      expect((await server.send(`/items/${name}`, { method: "DELETE" })).status).toBe(405);
      expect((await server.send("/items/x", { method: name.toUpperCase() })).status).not.toBe(200);
    },
  );

  test("Q8: path parameters and query are objects without a prototype", async () => {
    const seen: unknown[] = [];
    const look = defaultEndpointsFactory.build({
      input: z.looseObject({}),
      handler: ({ request, input }) => {
        for (const object of [request.params, request.query])
          seen.push("toString" in object, "hasOwnProperty" in object, "__proto__" in object);
        return { keys: Object.keys(input).sort() };
      },
    });
    const server = await start({ look: { ":constructor": look } });
    const answer = await server.send("/look/x?toString=1&__proto__=2&__proto__[a]=3&%5F_proto__=4");
    // brackets are literal, so only the exact name is left out
    expect(answer.json()).toEqual(
      successEnvelope({ keys: ["__proto__[a]", "constructor", "toString"] }),
    );
    expect(seen).toEqual([false, false, false, true, false, false]);
    expect(Reflect.get({}, "a")).toBeUndefined();
  });

  test("Q9: a long parameter is left to the schema; a target of more than 8 KiB gets a 414", async () => {
    const server = await start(routing);
    const id = "x".repeat(8192 - "/items/".length);
    expect((await server.send(`/items/${id}`)).json()).toEqual(successEnvelope({ id }));
    const answer = await server.send(`/items/${id}x`);
    expect(answer.status).toBe(414);
    expect(answer.json()).toEqual(errorEnvelope("URI Too Long"));
    // W5: the connection is closed
    expect(await statusesOf(server, `/items/${id}x`)).toEqual([414, 0]);
  });

  test("Q10: a name that is repeated in the query gets a 400 if a scalar is expected", async () => {
    const one = defaultEndpointsFactory.build({
      input: z.object({ a: z.string() }),
      handler: ({ input }) => input,
    });
    const server = await start({ one, ping });
    const answer = await server.send("/one?a=1&a=2");
    expect(answer.status).toBe(400);
    expect(answer.json()).toMatchObject({
      status: "error",
      error: { issues: [{ path: ["a"], code: "invalid_type" }] },
    });
    expect(await statusesOf(server, "/one?a=1&a=2")).toEqual([400, 200]);
    expect((await server.send("/one?a=1")).json()).toEqual(successEnvelope({ a: "1" }));
  });

  test("Q11: the path parameter takes precedence over query and body fields of the same name", async () => {
    const server = await start({ items: { ":id": echoId } });
    const path = successEnvelope({ id: "path" });
    expect((await server.send("/items/path?id=query")).json()).toEqual(path);
    for (const method of ["POST", "PUT"]) {
      const answer = await server.send("/items/path?id=query", { method, body: { id: "body" } });
      expect(answer.json()).toEqual(path);
    }
  });

  test("Q11: the path parameter takes precedence, whatever the order of the sources", async () => {
    const server = await start(
      { items: { ":id": echoId } },
      { inputSources: { get: ["params", "query"], post: ["params", "query", "body"] } },
    );
    const path = successEnvelope({ id: "path" });
    expect((await server.send("/items/path?id=query")).json()).toEqual(path);
    const answer = await server.send("/items/path", { method: "POST", body: { id: "body" } });
    expect(answer.json()).toEqual(path);
  });

  test("Q11: of the other sources, a later one takes precedence", async () => {
    const server = await start({ echoId }, { inputSources: { post: ["body", "query"] } });
    const answer = await server.send("/echoId?id=query", { method: "POST", body: { id: "body" } });
    expect(answer.json()).toEqual(successEnvelope({ id: "query" }));
  });

  const query = (pairs: number): string => `/echo?${"a&".repeat(pairs - 1)}a`;

  test("Q12: a thousand query parameters are accepted", async () => {
    const server = await start(routing);
    expect((await server.send(query(1000))).json()).toEqual(
      successEnvelope({ input: { a: Array.from({ length: 1000 }, () => "") } }),
    );
  });

  test("Q12: more than a thousand query parameters get a 400", async () => {
    const server = await start(routing);
    const answer = await server.send(query(1001));
    expect(answer.status).toBe(400);
    expect(answer.json()).toEqual(errorEnvelope("Too many query parameters"));
    expect(await statusesOf(server, query(1001))).toEqual([400, 200]);
  });

  test("Q12: parameters that make the target too long are rejected by its length", async () => {
    const server = await start(routing);
    expect((await server.send(query(4000))).status).toBe(400);
    expect((await server.send(query(6000))).status).toBe(414);
    // the parser rejects a target that exceeds the limit for the header block
    expect([414, 431]).toContain((await server.send(query(10_000))).status);
  });

  test("Q12: brackets in names are literal", async () => {
    const server = await start(routing);
    const answer = await server.send("/echo?a[b][c]=1&a[999999999]=x&d[]=2");
    expect(answer.json()).toEqual(
      successEnvelope({ input: { "a[b][c]": "1", "a[999999999]": "x", "d[]": "2" } }),
    );
  });

  const whole = z
    .string()
    .regex(/^\d{1,15}$/)
    .transform(Number);
  const page = defaultEndpointsFactory.build({
    input: z.object({ limit: whole.pipe(z.int().min(1).max(100)).optional(), offset: whole }),
    handler: ({ input }) => input,
  });

  test.each([
    "offset=1e309",
    "offset=0&limit=-1",
    "offset=0&limit=1e3",
    "offset=0&limit=",
    "offset=",
    "offset",
    "offset=0x10",
    "offset=true",
    "offset=+1",
    "offset=%201",
    "offset=1.5",
    "offset=Infinity",
    "offset=NaN",
    "offset=%D9%A1",
    "offset=9007199254740993",
    "offset=0&limit=101",
    "offset=0&limit=0",
    "offset=1&offset=2",
  ])("Q13: a schema for plain base-10 integers rejects %s with 400", async (text) => {
    const server = await start({ page, ping });
    expect(await statusesOf(server, `/page?${text}`)).toEqual([400, 200]);
  });

  test("Q13: a schema for plain base-10 integers accepts such integers", async () => {
    const server = await start({ page });
    const answer = await server.send("/page?offset=0&limit=100");
    expect(answer.json()).toEqual(successEnvelope({ offset: 0, limit: 100 }));
  });
});
