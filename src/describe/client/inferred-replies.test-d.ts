import { describe, expectTypeOf, test } from "vitest";
import { z } from "zod";
import {
  defaultEndpointsFactory as factory,
  EndpointsFactory,
  ez,
  Middleware,
  problemEndpointsFactory,
  ResultHandler,
  type ErrorEnvelope,
  type Routing,
} from "../../index.ts";
import type * as own from "./generated-client.ts";
import {
  Client,
  createClient,
  type ErrorOf,
  type GeneratedClient,
  type InputOf,
  type OutputOf,
  type ReplyError,
  type SuccessReply,
  type ErrorReply,
} from "./index.ts";

/** Creates a client. It is never called, because only its types are checked. */
const create = <R>() => createClient<R>({ baseUrl: "" });

type BodyAt<Reply, Status> =
  Extract<Reply, { readonly status: Status }> extends {
    readonly body: infer Body;
  }
    ? Body
    : never;

describe("replies of a result handler with several statuses", () => {
  const several = new EndpointsFactory(
    new ResultHandler({
      positive: (data) => [
        { statusCode: 200, schema: z.object({ done: data }) },
        { statusCode: [202, 203], schema: z.object({ job: z.string() }) },
      ],
      negative: (data) => [
        { statusCode: 404, schema: z.object({ missing: z.string(), ...(data && { data }) }) },
        { schema: z.object({ oops: z.string() }) },
      ],
      handler: () => undefined,
    }),
  );
  const one = new EndpointsFactory(
    new ResultHandler({
      positive: { statusCode: 201, schema: z.object({ made: z.literal(true) }) },
      negative: { statusCode: [400, 500], schema: z.object({ oops: z.string() }) },
      handler: () => undefined,
    }),
  );
  const open = new EndpointsFactory(
    new ResultHandler({
      positive: (data) => [
        { schema: z.object({ done: data }) },
        { statusCode: 202, schema: z.object({ job: z.string() }) },
      ],
      negative: z.object({ oops: z.string() }),
      handler: () => undefined,
    }),
  );
  const output = z.object({ n: z.number() });
  const handler = async () => ({ n: 1 });
  const routing = {
    several: several.build({ output, handler }),
    one: one.build({ output, handler }),
    open: open.build({ output, handler }),
    set: open.build({ statusCode: 201, output, handler }),
  };
  const client = () => create<typeof routing>();

  test("are told apart by status", () => {
    const call = () => client().request("get /several");
    type Reply = Awaited<ReturnType<typeof call>>;
    type Success = Extract<Reply, { readonly ok: true }>["status"];
    expectTypeOf<Success>().toEqualTypeOf<200 | 202 | 203>();
    expectTypeOf<BodyAt<Reply, 200>>().toEqualTypeOf<{ done: { n: number } }>();
    expectTypeOf<BodyAt<Reply, 202>>().toEqualTypeOf<{ job: string }>();
    expectTypeOf<BodyAt<Reply, 203>>().toEqualTypeOf<{ job: string }>();
    expectTypeOf<BodyAt<Reply, 404>>().toExtend<{ missing: string }>();
    const other = (reply: Reply) => (reply.status === 500 ? reply.body : undefined);
    expectTypeOf(other).returns.toEqualTypeOf<{ oops: string } | undefined>();
  });

  test("have the only status, and those that none of them declares", () => {
    const call = () => client().request("get /one");
    type Reply = Awaited<ReturnType<typeof call>>;
    expectTypeOf<Extract<Reply, { readonly ok: true }>["status"]>().toEqualTypeOf<201>();
    const error = (reply: Reply) => (reply.status === 404 ? reply.body : undefined);
    expectTypeOf(error).returns.toEqualTypeOf<{ oops: string } | undefined>();
    const calls = () => [client().request("get /open"), client().request("get /set")] as const;
    type Open = Awaited<ReturnType<typeof calls>[0]>;
    expectTypeOf<BodyAt<Open, 202>>().toEqualTypeOf<{ job: string }>();
    const created = (reply: Open) => (reply.status === 201 ? reply.body.done.n : undefined);
    expectTypeOf(created).returns.toEqualTypeOf<number | undefined>();
    type Set = Extract<Awaited<ReturnType<typeof calls>[1]>, { readonly ok: true }>;
    expectTypeOf<Set["status"]>().toEqualTypeOf<201 | 202>();
  });
});

describe("the data of errors", () => {
  const schema = z.object({ own: z.string() });
  const errors = Object.freeze({
    400: { description: "Wrong", schema },
    409: { description: "Taken", schema },
    410: { description: "Gone", schema },
  });
  const guard = new Middleware({
    errors: { 409: { description: "Busy", schema: z.object({ other: z.date() }) }, 410: "Gone" },
    handler: async () => ({}),
  });
  const limit = new Middleware({
    errors: {
      409: { description: "Full", schema: z.object({ seats: z.number() }) },
      410: { description: "Gone", schema: z.object({ since: z.date() }) },
    },
    handler: async () => ({}),
  });
  const handler = async () => ({});
  const routing = {
    plain: factory.addMiddleware(guard).build({ errors, handler }),
    problem: problemEndpointsFactory.addMiddleware(guard).build({ errors, handler }),
    guards: factory.addMiddleware(guard).addMiddleware(limit).build({ handler }),
  };
  const client = () => create<typeof routing>();

  test("may be that of the endpoint or of the middleware", () => {
    const call = () => client().request("get /plain");
    type Reply = Awaited<ReturnType<typeof call>>;
    expectTypeOf<BodyAt<Reply, 409>["error"]["data"]>().toEqualTypeOf<
      { own: string } | { other: string }
    >();
    expectTypeOf<BodyAt<Reply, 410>["error"]["data"]>().toEqualTypeOf<
      { own: string } | undefined
    >();
  });

  test("may be that of any of several middlewares", () => {
    const call = () => client().request("get /guards");
    type Reply = Awaited<ReturnType<typeof call>>;
    expectTypeOf<BodyAt<Reply, 409>["error"]["data"]>().toEqualTypeOf<
      { other: string } | { seats: number }
    >();
    expectTypeOf<BodyAt<Reply, 410>["error"]["data"]>().toEqualTypeOf<
      { since: string } | undefined
    >();
  });

  test("is optional where the framework itself sends the status", () => {
    const call = () => client().request("get /problem");
    type Reply = Awaited<ReturnType<typeof call>>;
    expectTypeOf<BodyAt<Reply, 400>["data"]>().toEqualTypeOf<{ own: string } | undefined>();
    expectTypeOf<BodyAt<Reply, 400>["detail"]>().toEqualTypeOf<string>();
    expectTypeOf<BodyAt<Reply, 409>["data"]>().toEqualTypeOf<{ own: string } | { other: string }>();
  });
});

describe("inputs and outputs of every kind", () => {
  const handler = async () => ({});
  const key = new Middleware({ input: z.object({ key: z.string() }), handler });
  const nothing = new Middleware({ input: z.object({}), handler });
  const page = ez.paginated({ style: "cursor", itemSchema: z.string() });
  const routing = {
    json: factory.build({
      output: z.object({ any: z.json(), at: z.array(z.date()) }),
      handler: async () => ({ any: 1, at: [] }),
    }),
    loose: {
      ":id": factory.build({ input: z.looseObject({ q: z.string() }), handler }),
    },
    files: { "*path": factory.build({ input: z.object({ q: z.string() }), handler }) },
    empty: { ":id": factory.build({ input: z.object({}), handler }) },
    behind: factory.addMiddleware(key).build({ input: z.object({}), handler }),
    before: factory.addMiddleware(nothing).build({ input: z.object({ key: z.string() }), handler }),
    pages: factory.build({
      ...page,
      handler: async () => ({ items: [], nextCursor: null, limit: 1 }),
    }),
  } satisfies Routing;
  const client = () => create<typeof routing>();
  const forgotten: Routing = routing;

  test("compile: JSON of any depth", () => {
    const call = async () => {
      const reply = await client().request("get /json");
      return reply.ok ? reply.body.data : undefined;
    };
    type Data = NonNullable<Awaited<ReturnType<typeof call>>>;
    expectTypeOf<Data["any"]>().toEqualTypeOf<z.core.util.JSONType>();
    expectTypeOf<Data["at"]>().toEqualTypeOf<string[]>();
  });

  test("need the path parameters of loose objects, empty objects and wildcards", () => {
    void (() => client().provide("get /loose/:id", { q: "", id: 1, other: true }));
    void (() => client().provide("get /files/*path", { q: "", path: ["a", "b"] }));
    void (() => client().provide("get /empty/:id", { id: "1" }));
    // @ts-expect-error -- `id` is missing
    void (() => client().provide("get /loose/:id", { q: "" }));
    // @ts-expect-error -- `path` is missing
    void (() => client().provide("get /files/*path", { q: "" }));
    // @ts-expect-error -- `path` is an array
    void (() => client().provide("get /files/*path", { q: "", path: "a" }));
    // @ts-expect-error -- `id` is missing
    void (() => client().provide("get /empty/:id"));
  });

  test("combine `z.object({})` with fields", () => {
    void (() => client().provide("get /behind", { key: "a" }));
    void (() => client().provide("get /before", { key: "a" }));
    // @ts-expect-error -- `key` is a string
    void (() => client().provide("get /behind", { key: 1 }));
    // @ts-expect-error -- `key` is missing
    void (() => client().provide("get /before", {}));
  });

  test("`hasMore` accepts only what can be a page", () => {
    const fine = async () => {
      const response = await client().provide("get /pages");
      if (response.status === "success") Client.hasMore(response.data);
      return Client.hasMore(response) && client().hasMore(await client().request("get /pages"));
    };
    expectTypeOf(fine).returns.resolves.toBeBoolean();
    expectTypeOf((some: unknown) => Client.hasMore(some)).returns.toBeBoolean();
    void (async () => {
      const response = await client().provide("get /json");
      // @ts-expect-error -- the route returns no pages
      Client.hasMore(response);
      // @ts-expect-error -- the route returns no pages
      Client.hasMore(await client().request("get /json"));
      // @ts-expect-error -- no page
      client().hasMore("text");
    });
  });

  test("a client for a map declared `: Routing` says so, whatever the arguments", () => {
    const lost = () => create<typeof forgotten>();
    // @ts-expect-error -- use `satisfies Routing`
    void (() => lost().provide("get /json", {}, {}));
    expectTypeOf<
      Parameters<ReturnType<typeof lost>["provide"]>[0]
    >().toEqualTypeOf<"This routing is declared `: Routing`, which loses its keys: use `satisfies Routing`">();
  });
});

describe("InputOf, OutputOf and ErrorOf", () => {
  const routing = {
    users: {
      ":id": factory.build({
        errors: { 409: { description: "Taken", schema: z.object({ since: z.date() }) } },
        input: z.object({ q: z.string() }),
        output: z.object({ at: z.date() }),
        handler: async () => ({ at: new Date() }),
      }),
    },
  };
  interface Routes {
    "get /users/:id": {
      input: { q: string };
      success: { status: "success"; data: { at: string } };
      body: unknown;
      reply:
        | SuccessReply<200, { status: "success"; data: { at: string } }>
        | ErrorReply<409, { since: string }>
        | ErrorReply<400 | 500, ErrorEnvelope>;
    };
  }
  type Inferred = ReturnType<typeof create<typeof routing>>;
  type Generated = GeneratedClient<Routes>;
  interface Written extends GeneratedClient<Routes> {}
  type Key = "get /users/:id";

  test("name the types of a route of each kind of client", () => {
    expectTypeOf<InputOf<Inferred, Key>["q"]>().toEqualTypeOf<string>();
    expectTypeOf<keyof InputOf<Inferred, Key>>().toEqualTypeOf<"id" | "q">();
    expectTypeOf<InputOf<Generated, Key>>().toEqualTypeOf<{ q: string }>();
    expectTypeOf<InputOf<Written, Key>>().toEqualTypeOf<{ q: string }>();
    expectTypeOf<OutputOf<Inferred, Key>>().toEqualTypeOf<{ at: string }>();
    expectTypeOf<OutputOf<Generated, Key>>().toEqualTypeOf<{ at: string }>();
    expectTypeOf<OutputOf<Written, Key>>().toEqualTypeOf<{ at: string }>();
    expectTypeOf<
      Extract<ErrorOf<Inferred, Key>, { status: 409 }>["body"]["error"]["data"]
    >().toEqualTypeOf<{ since: string }>();
    expectTypeOf<ErrorOf<Generated, Key>>().toEqualTypeOf<
      ReplyError<409, { since: string }> | ReplyError<400 | 500, ErrorEnvelope>
    >();
    expectTypeOf<ErrorOf<Written, Key>>().toEqualTypeOf<ErrorOf<Generated, Key>>();
  });

  test("are exported by generated files, too", () => {
    expectTypeOf<own.InputOf<Written, Key>>().toEqualTypeOf<{ q: string }>();
    expectTypeOf<own.OutputOf<Written, Key>>().toEqualTypeOf<{ at: string }>();
    expectTypeOf<own.ErrorOf<Written, Key>>().toEqualTypeOf<ErrorOf<Generated, Key>>();
    // @ts-expect-error -- no such route
    expectTypeOf<own.InputOf<Written, "get /none">>().toBeNever();
  });

  test("are `never` for an unknown route", () => {
    expectTypeOf<InputOf<Inferred, "get /none">>().toBeNever();
    expectTypeOf<OutputOf<Generated, "get /none">>().toBeNever();
    expectTypeOf<ErrorOf<Inferred, "get /none">>().toBeNever();
  });
});
