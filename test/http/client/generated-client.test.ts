import createHttpError from "http-errors";
import {
  arrayEndpointsFactory,
  defaultEndpointsFactory as factory,
  EventStreamFactory,
  ez,
  type Routing,
} from "sallyport";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { importGenerated } from "../generated-client.ts";
import { start } from "../harness.ts";

interface Reply {
  readonly ok: boolean;
  readonly status: number | string;
  readonly actualStatus?: number;
  readonly body: unknown;
}

interface Client {
  readonly provide: (key: string, input?: unknown) => Promise<unknown>;
  readonly request: (key: string, input?: unknown) => Promise<Reply>;
  readonly iterate: (key: string, input?: unknown) => AsyncIterable<unknown>;
  readonly subscribe: (key: string, input?: unknown) => AsyncIterable<unknown>;
}

const users = ez.paginated({
  style: "offset",
  itemSchema: z.object({ id: z.int() }),
  itemsName: "users",
});
const events = new EventStreamFactory({ tick: z.int() });

const routing = {
  "post /users": factory.build({
    statusCode: 201,
    errors: { 409: { description: "Taken", schema: z.object({ field: z.string() }) } },
    input: z.object({ name: z.string() }),
    output: z.object({ name: z.string() }),
    handler: async ({ input: { name } }) => {
      if (name === "Ada") throw createHttpError(409, "Taken", { data: { field: "name" } });
      if (name === "tea") throw createHttpError(418, "Tea");
      return { name };
    },
  }),
  users: factory.build({
    input: users.input,
    // an array that comes before the array of items
    output: z.object({ hints: z.array(z.string()) }).extend(users.output.shape),
    handler: async ({ input: { limit, offset } }) => ({
      hints: ["a"],
      users: Array.from({ length: Math.min(limit, 5 - offset) }, (_, at) => ({ id: offset + at })),
      ...{ total: 5, limit, offset },
    }),
  }),
  "get /ticks": events.build({
    handler: async ({ ctx: { emit } }) => {
      await emit("tick", 1);
    },
  }),
  "post /form": factory.build({
    input: ez.form({ flag: z.stringbool(), tags: z.array(z.string()) }),
    output: z.object({ type: z.string(), flag: z.boolean(), tags: z.array(z.string()) }),
    handler: async ({ input, request }) => ({
      ...input,
      type: String(request.headers["content-type"]),
    }),
  }),
  "get /flag": factory.build({
    input: z.object({ flag: z.stringbool() }),
    handler: async ({ input }) => input,
  }),
  "delete /users/:id": factory.buildVoid({
    statusCode: 204,
    input: z.object({ id: z.string() }),
    handler: () => undefined,
  }),
  picture: factory.build({
    output: ez.buffer("image/png"),
    handler: async () => Buffer.from([1, 2, 3]),
  }),
  list: arrayEndpointsFactory.build({
    output: z.object({ items: z.array(z.int()) }),
    handler: async () => ({ items: [1, 2] }),
  }),
  token: factory.build({
    inputSources: ["headers"],
    input: z.object({ "x-token": z.string() }),
    output: z.object({ token: z.string() }),
    handler: async ({ input }) => ({ token: input["x-token"] }),
  }),
} satisfies Routing;

const open = async () => {
  const { port } = await start(routing);
  const generated = await importGenerated<Client>(routing, {});
  return { ...generated, client: generated.createClient({ baseUrl: `http://127.0.0.1:${port}` }) };
};

describe("a generated client", () => {
  test("reports a status as unexpected if it is not declared", async () => {
    const { client } = await open();
    const send = (name: string): Promise<Reply> => client.request("post /users", { name });
    expect(await send("Bob")).toMatchObject({ ok: true, status: 201 });
    expect(await send("Ada")).toMatchObject({
      ...{ ok: false, status: 409 },
      body: { error: { message: "Taken", data: { field: "name" } } },
    });
    expect(await send("tea")).toMatchObject({
      ...{ ok: false, status: "unexpected", actualStatus: 418 },
      body: { error: { message: "Tea" } },
    });
    expect(await client.request("post /users", {})).toMatchObject({ ok: false, status: 400 });
  });

  test("reads each body in the form that its route declares", async () => {
    const { client } = await open();
    const picture = await client.provide("get /picture");
    expect(picture).toBeInstanceOf(Blob);
    expect([...new Uint8Array(await (picture as Blob).arrayBuffer())]).toEqual([1, 2, 3]);
    expect(await client.provide("get /list")).toEqual([1, 2]);
    expect(await client.request("delete /users/:id", { id: "1" })).toMatchObject({
      ...{ ok: true, status: 204, body: undefined },
    });
  });

  test("sends forms as forms, and fields according to the endpoint's input sources", async () => {
    const { client } = await open();
    expect(await client.provide("get /flag", { flag: false })).toMatchObject({
      data: { flag: false },
    });
    expect(await client.provide("post /form", { flag: false, tags: ["&", "="] })).toMatchObject({
      data: { type: "application/x-www-form-urlencoded", flag: false, tags: ["&", "="] },
    });
    expect(await client.provide("get /token", { "x-token": "Bearer x" })).toMatchObject({
      data: { token: "Bearer x" },
    });
  });

  test("yields the items of all pages, by their declared name", async () => {
    const { client, Client } = await open();
    const ids: unknown[] = [];
    for await (const user of client.iterate("get /users", { limit: 2 })) ids.push(user);
    expect(ids).toEqual([0, 1, 2, 3, 4].map((id) => ({ id })));
    expect(Client.hasMore(await client.provide("get /users", { limit: 2 }))).toBe(true);
  });

  test("throws the error classes of its own file", async () => {
    const { client, ReplyError } = await open();
    const failing = client.iterate("get /users", { limit: 0 })[Symbol.asyncIterator]();
    await expect(failing.next()).rejects.toBeInstanceOf(ReplyError);
  });

  test("receives the events of a stream", async () => {
    const { client } = await open();
    for await (const event of client.subscribe("get /ticks")) {
      expect(event).toMatchObject({ event: "tick", data: 1 });
      break;
    }
  });

  test("calls routes whose paths and schema ids have any characters", async () => {
    const odd = "\"'`$\u0000\u0001\u0002\n\u007f\u2028\u{1F600}";
    const named = z.object({ path: z.string() }).meta({ id: `Odd${odd}` });
    const routing = {
      [`get /a${odd}/:id`]: factory.build({
        input: z.object({ id: z.string() }),
        output: named,
        handler: async ({ input: { id } }) => ({ path: id }),
      }),
    };
    const { port } = await start(routing);
    const { createClient } = await importGenerated<Client>(routing, {});
    const client = createClient({ baseUrl: `http://127.0.0.1:${port}` });
    expect(await client.provide(`get /a${odd}/:id`, { id: odd })).toMatchObject({
      data: { path: odd },
    });
  });
});
