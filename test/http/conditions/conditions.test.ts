import createHttpError from "http-errors";
import {
  defaultEndpointsFactory as factory,
  ez,
  Middleware,
  problemEndpointsFactory,
  type DefinitionError,
} from "sallyport";
import { createClient } from "sallyport/client";
import { idempotency, memoryStore } from "sallyport/idempotency";
import { describe, expect, expectTypeOf, test, vi } from "vitest";
import { z } from "zod";
import { errorEnvelope, start, successEnvelope, type Sent, type TestServer } from "../harness.ts";

const output = z.object({ text: z.string(), revision: z.number() });
const changed = "The resource has another version than the request expects";
const second = 1_700_000_000_000;
const date = new Date(second).toUTCString();

/** Creates a note that is read and written by its revision. */
const createNote = (ifMatch: "optional" | "required" = "optional") => {
  const note: { text: string; revision: number } = { text: "a", revision: 0 };
  const ran = vi.fn();
  const version = ({ output: { revision } }: { output: { revision: number } }) => `v${revision}`;
  const read = factory.build({
    output,
    version,
    handler: ({ response }) => {
      response.set({ "Cache-Control": "no-cache", Vary: "Accept", "X-Other": "1" });
      response.set("Content-Language", "en");
      return { ...note };
    },
  });
  const current = () => (note.revision > 0 ? `v${note.revision}` : undefined);
  const write = factory.build({
    method: ["put", "patch"],
    input: z.object({ text: z.string() }),
    output,
    version,
    ifMatch,
    current,
    handler: ({ input }) => {
      ran();
      note.revision++;
      return Object.assign(note, input);
    },
  });
  const remove = factory.buildVoid({
    method: "delete",
    ifMatch,
    current,
    handler: () => {
      ran();
      note.revision = 0;
    },
  });
  return { note, ran, routing: { note: { get: read, put: write, patch: write, delete: remove } } };
};

const put = (headers: Record<string, string> = {}, text = "b"): Sent => ({
  method: "PUT",
  headers,
  body: { text },
});

describe("A read with a version", () => {
  test.each([
    [200, {}],
    [304, { "If-None-Match": '"v7"' }],
    [304, { "If-None-Match": 'W/"v7"' }],
    [304, { "If-None-Match": '"a,b" , "v7"' }],
    [304, { "If-None-Match": "*" }],
    // fetch adds this field to conditional requests
    [304, { "If-None-Match": '"v7"', "Cache-Control": "no-cache" }],
    [200, { "If-None-Match": '"v6", "v77", v7' }],
    [200, { "If-None-Match": '"v6"', "If-Modified-Since": "Fri, 01 Jan 2100 00:00:00 GMT" }],
    [200, { "If-Modified-Since": "Fri, 01 Jan 2100 00:00:00 GMT" }],
    [200, { "If-Match": '"v7"' }],
    [200, { "If-Match": "*" }],
    [304, { "If-Match": '"v7"', "If-None-Match": '"v7"' }],
    [412, { "If-Match": '"v6"', "If-None-Match": '"v7"' }],
    [412, { "If-Match": 'W/"v7"' }],
    // Express alone would respond with 304
    [200, { "If-None-Match": "v7" }],
    [200, { "If-None-Match": 'w/"v7"' }],
    [200, { "If-None-Match": '*, "v7"' }],
    [304, { "If-None-Match": ', "v6",, W/"v7" ,' }],
  ])("responds with %d to %j", async (status, headers) => {
    const { note, routing } = createNote();
    note.revision = 7;
    const server = await start(routing);
    const answer = await server.send("/note", { headers });
    expect([answer.status, answer.headers.etag]).toEqual([
      status,
      status === 412 ? undefined : '"v7"',
    ]);
    expect(answer.text.includes(changed)).toBe(status === 412);
  });

  test.each(["GET", "HEAD"])("sends the fields of a 304 to %s, but no body", async (method) => {
    const server = await start(createNote().routing);
    const { status, headers, text } = await server.send("/note", {
      method,
      headers: { "If-None-Match": '"v0"' },
    });
    expect([status, text, headers]).toMatchObject([
      304,
      "",
      { etag: '"v0"', "cache-control": "no-cache", vary: "Accept", "x-other": "1" },
    ]);
    const described = ["content-type", "content-length", "content-language", "transfer-encoding"];
    expect(described.filter((name) => name in headers)).toEqual([]);
    expect([...server.linesOf("warn"), ...server.linesOf("error")]).toEqual([]);
  });

  test("is not asked for the version of an error or of what the handler has sent", async () => {
    const version = vi.fn(() => "1");
    const fails = factory.build({
      version,
      handler: () => {
        throw createHttpError(404, "None");
      },
    });
    const sends = factory.build({ version, handler: ({ response }) => response.send("a") });
    const server = await start({ fails, sends });
    expect((await server.send("/fails", { headers: { "If-None-Match": "*" } })).status).toBe(404);
    expect((await server.send("/sends")).text).toBe("a");
    expect(version).not.toHaveBeenCalled();
  });

  test.each(["", "a b", 'a"', "ä", 1, undefined, new Date(Number.NaN)])(
    "is a fault with %j",
    async (version) => {
      const read = factory.build({ version: () => version as string, handler: () => ({}) });
      const server = await start({ read });
      expect((await server.send("/read")).status).toBe(500);
      expect(JSON.stringify(server.linesOf("error")[0]?.meta)).toContain("SLP_VERSION");
    },
  );

  test("is answered after the middlewares around it have ended", async () => {
    const around = vi.fn();
    const read = factory
      .addMiddleware({
        around: async ({ response }, next) => {
          const passed = await next();
          around(response.headersSent);
          response.setHeader("X-Late", "1");
          return passed;
        },
      })
      .build({ version: () => "1", handler: () => ({}) });
    const server = await start({ read });
    const answer = await server.send("/read", { headers: { "If-None-Match": '"1"' } });
    expect([answer.status, answer.headers["x-late"]]).toEqual([304, "1"]);
    expect(around).toHaveBeenCalledExactlyOnceWith(false);
  });

  test("is an error if a middleware around it fails in the end", async () => {
    const failing = new Middleware({
      around: async (_args, next) => {
        await next();
        throw createHttpError(409, "Not committed");
      },
    });
    const read = factory.addMiddleware(failing).build({ version: () => "1", handler: () => ({}) });
    const server = await start({ read });
    const answer = await server.send("/read", { headers: { "If-None-Match": '"1"' } });
    expect([answer.status, answer.json()]).toEqual([409, errorEnvelope("Not committed")]);
  });
});

describe("A conditional write", () => {
  test("runs only if the client knows the version, and responds with the new one", async () => {
    const { note, ran, routing } = createNote();
    note.revision = 1;
    const server = await start(routing);
    const first = await server.send("/note", put({ "If-Match": '"v1"' }));
    expect([first.status, first.headers.etag, first.json()]).toEqual([
      200,
      '"v2"',
      successEnvelope({ text: "b", revision: 2 }),
    ]);
    const late = await server.send("/note", put({ "If-Match": '"v1"' }, "c"));
    expect([late.status, late.headers.etag, late.json()]).toEqual([
      412,
      undefined,
      errorEnvelope(changed),
    ]);
    expect([ran.mock.calls.length, note.text]).toEqual([1, "b"]);
    for (const headers of [{ "If-Match": '"v1"' }, { "If-None-Match": "*" }])
      expect((await server.send("/note", { method: "DELETE", headers })).status).toBe(412);
    const deleted = { method: "DELETE", headers: { "If-Match": '"v1", "v2"' } };
    expect((await server.send("/note", deleted)).status).toBe(200);
  });

  test.each([
    [200, 0, {}],
    [200, 1, {}],
    [200, 1, { "If-Match": "*" }],
    [412, 0, { "If-Match": "*" }],
    [412, 0, { "If-Match": '"v0"' }],
    [412, 1, { "If-Match": 'W/"v1"' }],
    [412, 1, { "If-Match": "v1" }],
    [412, 1, { "If-Match": 'w/"v1"' }],
    [412, 1, { "If-Match": 'W/ "v1"' }],
    [412, 1, { "If-Match": '"v0" "v1"' }],
    [412, 1, { "If-Match": '"v0"x"v1"' }],
    [412, 1, { "If-Match": '"v1", "v0' }],
    [412, 1, { "If-Match": '"v1"W/' }],
    [412, 1, { "If-Match": "" }],
    [200, 1, { "If-Match": '"v0" ,\t"v1"' }],
    [200, 0, { "If-None-Match": "*" }],
    [412, 1, { "If-None-Match": "*" }],
    [412, 1, { "If-None-Match": 'W/"v1"' }],
    [200, 1, { "If-None-Match": '"v2"' }],
    [412, 1, { "If-Match": '"v1"', "If-None-Match": '"v1"' }],
    [200, 1, { "If-Modified-Since": date }],
    [200, 1, { "If-Unmodified-Since": "Tue Nov 14 22:13:20 2000" }],
  ])("responds with %d at revision %d to %j", async (status, revision, headers) => {
    const { note, ran, routing } = createNote();
    note.revision = revision;
    const server = await start(routing);
    expect((await server.send("/note", put(headers))).status).toBe(status);
    expect(ran).toHaveBeenCalledTimes(status === 200 ? 1 : 0);
  });

  test("compares dates, in whole seconds", async () => {
    const write = factory.build({
      method: "post",
      ifMatch: "optional",
      current: () => new Date(second + 500),
      handler: () => ({}),
    });
    const server = await start({ write });
    for (const [status, at] of [
      [200, second],
      [412, second - 1000],
    ] as const) {
      const headers = { "If-Unmodified-Since": new Date(at).toUTCString() };
      expect((await server.send("/write", { method: "POST", headers })).status).toBe(status);
    }
  });

  test("that needs If-Match refuses requests without it, before it looks for the version", async () => {
    const current = vi.fn(() => "1");
    const build = { method: "post", ifMatch: "required", current } as const;
    const server = await start({
      plain: factory.build({ ...build, handler: () => ({}) }),
      problem: problemEndpointsFactory.build({ ...build, handler: () => ({}) }),
    });
    const detail = "Send If-Match with the ETag of the version to change";
    const headers = { "If-None-Match": "*" };
    const plain = await server.send("/plain", { method: "POST", headers });
    expect([plain.status, plain.json()]).toEqual([428, errorEnvelope(detail)]);
    const problem = await server.send("/problem", { method: "POST" });
    expect(problem.headers["content-type"]).toContain("application/problem+json");
    expect(problem.json()).toMatchObject({ status: 428, title: "Precondition Required", detail });
    expect(current).not.toHaveBeenCalled();
  });

  test("may be told that there is nothing to change by a declared error", async () => {
    const write = factory.build({
      method: "post",
      errors: { noNote: { status: 404, description: "There is no such note" } },
      ifMatch: "required",
      current: ({ errors }) => {
        expectTypeOf(errors).not.toHaveProperty("note");
        throw errors.noNote();
      },
      handler: () => ({}),
    });
    const server = await start({ write });
    const reply = await server.send("/write", { method: "POST", headers: { "If-Match": '"1"' } });
    expect([reply.status, reply.json()]).toMatchObject([404, { error: { code: "noNote" } }]);
  });

  test("asks for the version with valid input, within the middlewares around it", async () => {
    const seen: unknown[] = [];
    const write = factory
      .addMiddleware({
        input: z.object({ tenant: z.string() }),
        afterValidation: true,
        around: async (_args, next) => {
          seen.push("begin");
          try {
            return await next({ transaction: 5 });
          } finally {
            seen.push("end");
          }
        },
      })
      .build({
        method: "put",
        input: z.object({ id: z.coerce.number() }),
        ifMatch: "optional",
        current: async ({ input, ctx }) => {
          seen.push(input, ctx.transaction);
          return "1";
        },
        handler: ({ input }) => {
          seen.push(input);
          return {};
        },
      });
    const server = await start({ "write/:id": write });
    const send = (id: string, headers = {}) =>
      server.send(`/write/${id}`, { ...put(headers), body: { tenant: "t" } });
    expect((await send("a")).status).toBe(400);
    expect(seen).toEqual([]);
    expect((await send("3")).status).toBe(200);
    const input = { tenant: "t", id: 3 };
    expect(seen.splice(0)).toEqual(["begin", input, 5, input, "end"]);
    expect((await send("3", { "If-Match": '"2"' })).status).toBe(412);
    expect(seen).toEqual(["begin", input, 5, "end"]);
  });

  test("that is repeated with its idempotency key is replayed, with its tag", async () => {
    let revision = 1;
    const write = factory
      .addMiddleware(idempotency({ store: memoryStore(), scope: () => "all" }))
      .build({
        method: "put",
        version: () => `${revision}`,
        ifMatch: "required",
        current: () => `${revision}`,
        handler: () => ({ revision: ++revision }),
      });
    const server = await start({ write });
    for (const replayed of [undefined, "true"]) {
      const headers = { "If-Match": '"1"', "Idempotency-Key": "a" };
      const answer = await server.send("/write", put(headers));
      expect([answer.status, answer.headers.etag]).toEqual([200, '"2"']);
      expect(answer.headers["idempotency-replayed"]).toBe(replayed);
    }
  });

  test("with an idempotency key is not bound to a refusal, but to its condition", async () => {
    let revision = 1;
    const write = factory
      .addMiddleware(idempotency({ store: memoryStore(), scope: () => "all" }))
      .build({
        method: "put",
        ifMatch: "required",
        current: () => `${revision}`,
        handler: () => ({ revision: ++revision }),
      });
    const server = await start({ write });
    const send = async (condition: object): Promise<number> => {
      const headers = { ...condition, "Idempotency-Key": "a" };
      return (await server.send("/write", put(headers))).status;
    };
    expect(await send({})).toBe(428);
    expect(await send({ "If-Match": '"0"' })).toBe(412);
    expect(await send({ "If-Match": '"1"' })).toBe(200);
    expect(await send({ "If-Match": '"1"' })).toBe(200);
    expect(await send({ "If-Match": '"2"' })).toBe(422);
    expect(await send({ "If-Match": '"1"', "If-None-Match": '"0"' })).toBe(422);
    expect(revision).toBe(2);
  });

  test("that cannot find the version responds with that error", async () => {
    const write = factory.build({
      method: "put",
      ifMatch: "optional",
      current: () => {
        throw createHttpError(404, "No such note");
      },
      handler: () => ({}),
    });
    expect((await (await start({ write })).send("/write", put())).status).toBe(404);
  });
});

describe("Conditions", () => {
  test("hold for compressed replies", async () => {
    const { note, routing } = createNote();
    note.text = "x".repeat(5000);
    const server = await start(routing, { compression: true });
    const gzip = { "Accept-Encoding": "gzip" };
    const { headers } = await server.send("/note", { headers: gzip });
    expect(headers).toMatchObject({
      "content-encoding": "gzip",
      etag: '"v0"',
      vary: "Accept, Accept-Encoding",
    });
    for (const tag of ['"v0"', 'W/"v0"']) {
      const sent = { headers: { ...gzip, "If-None-Match": tag } };
      const again = await server.send("/note", sent);
      const { etag, vary } = again.headers;
      expect([again.status, etag, vary, again.headers["content-encoding"]]).toEqual([
        304,
        '"v0"',
        "Accept, Accept-Encoding",
        undefined,
      ]);
    }
    note.revision = 1;
    expect((await server.send("/note", put({ ...gzip, "If-Match": '"v1"' }))).status).toBe(200);
  });

  test("leave the tags of the application's setting to other endpoints", async () => {
    const routing = { ...createNote().routing, other: factory.build({ handler: () => ({}) }) };
    const server = await start(routing, { etag: true });
    const { etag = "" } = (await server.send("/other")).headers;
    expect(etag).toMatch(/^W\//);
    const send = (tag: string, path: string) =>
      server.send(path, { headers: { "If-None-Match": tag } });
    expect((await send(etag, "/other")).status).toBe(304);
    expect((await send('"v0"', "/note")).status).toBe(304);
    expect((await send(etag, "/note")).headers.etag).toBe('"v0"');
  });

  const refusals: readonly [object, string][] = [
    [{ ifMatch: "optional" }, "`ifMatch` and `current` belong together"],
    [{ current: () => "1" }, "`ifMatch` and `current` belong together"],
    [{ ifMatch: true, current: () => "1" }, 'must be one of "optional", "required"; got true'],
    [{ ifMatch: "optional", current: "1" }, "`current` must be a function"],
    [{ version: "1" }, "`version` must be a function"],
    [{ method: "get", ifMatch: "optional", current: () => "1" }, "`method` is get. Remove it."],
    [{ version: () => "1", output: ez.buffer("text/plain") }, "set the field ETag"],
  ];
  test.each(refusals)("are refused as %j", (wrong, message) => {
    const define = () => factory.build({ ...wrong, handler: () => ({}) });
    expect(define).toThrow(message);
    expect(define).toThrow(
      expect.objectContaining({ name: "DefinitionError" } satisfies Partial<DefinitionError>),
    );
  });
});

describe("A client", () => {
  const connect = async (): Promise<[TestServer, ReturnType<typeof createNote>]> => {
    const created = createNote("required");
    return [await start(created.routing), created];
  };

  test("sends If-Match, and receives a 304 only if it has asked for one", async () => {
    const [{ port }, { note, routing }] = await connect();
    note.revision = 4;
    const client = createClient<typeof routing>({ baseUrl: `http://localhost:${port}` });
    const first = await client.request("get /note");
    const etag = first.headers.get("etag");
    expect(etag).toBe('"v4"');
    const headers = { "if-none-match": String(etag) };
    const again = await client.request("get /note", {}, { headers });
    expect(again).toMatchObject({ ok: false, status: "unexpected", actualStatus: 304 });
    expect(again.body).toBeUndefined();
    await expect(client.provide("get /note", {}, { headers })).rejects.toMatchObject({
      code: "SLP_CLIENT_UNEXPECTED_BODY",
      status: 304,
    });
    const write = (tag: string) =>
      client.request("put /note", { text: "c" }, { headers: { "if-match": tag } });
    expect((await write(String(etag))).headers.get("etag")).toBe('"v5"');
    expect(await write(String(etag))).toMatchObject({ ok: false, status: 412 });
    expect(await client.request("delete /note")).toMatchObject({ ok: false, status: 428 });
  });
});
