import { describe, expectTypeOf, test } from "vitest";
import { z } from "zod";
import {
  arrayEndpointsFactory,
  defaultEndpointsFactory as factory,
  EndpointsFactory,
  EventStreamFactory,
  ez,
  problemEndpointsFactory,
  ResultHandler,
  ServeStatic,
  type ErrorEnvelope,
  type ErrorEnvelopeWithData,
  type SuccessEnvelope,
} from "../../index.ts";
import type { SuccessStatus } from "./index.ts";
import { createClient } from "./index.ts";

const one = factory.build({
  method: ["get", "put"],
  input: z.object({ id: z.string() }),
  output: z.object({ id: z.string(), at: z.date(), gone: ez.dateOut().optional() }),
  handler: async ({ input }) => ({ id: input.id, at: new Date() }),
});
const open = factory.build({
  output: z.object({ n: z.number() }),
  handler: async () => ({ n: 1 }),
});
const deep = factory.build({ method: "post", handler: async () => ({}) });
type One = SuccessEnvelope<{ id: string; at: string; gone?: string | undefined }> | ErrorEnvelope;
type Open = SuccessEnvelope<{ n: number }> | ErrorEnvelope;

/** Creates a client. It is never called, because only its types are checked. */
const create = <R>() => createClient<R>({ baseUrl: "" });

describe("a client for a routing map in all forms", () => {
  const routing = {
    nested: { v1: { things: { ":id": one } } },
    "flat/v1/things/:id": one,
    "/slash": { "things/:id": one },
    "get /explicit/:id": one,
    "put explicit/:id": one,
    methods: { ":id": { get: one, put: one } },
    parent: open.nest({ "child/:id": one, deeper: { "post /leaf": deep } }),
    "": open,
    files: new ServeStatic("files"),
    mixed: { a: open },
    "mixed/b": open,
    searched: { query: open },
    "query /searched/:id": factory.build({
      method: "query",
      input: z.object({ id: z.string(), at: z.date() }),
      output: z.object({ n: z.number() }),
      handler: async () => ({ n: 1 }),
    }),
  };
  const client = () => create<typeof routing>();

  test("has its routes, by method and path", () => {
    const input = { id: "1" };
    const keys = () => [
      client().provide("get /nested/v1/things/:id", input),
      client().provide("put /flat/v1/things/:id", input),
      client().provide("get /slash/things/:id", input),
      client().provide("get /explicit/:id", input),
      client().provide("put /explicit/:id", input),
      client().provide("put /methods/:id", input),
      client().provide("get /parent/child/:id", input),
    ];
    expectTypeOf(keys).returns.toEqualTypeOf<Promise<One>[]>();
    const opens = () => [
      client().provide("get /parent"),
      client().provide("get /"),
      client().provide("get /mixed/a"),
      client().provide("get /mixed/b"),
      client().provide("query /searched"),
      client().provide("query /searched/:id", { id: "1", at: new Date() }),
    ];
    expectTypeOf(opens).returns.toEqualTypeOf<Promise<Open>[]>();
    void (() => client().provide("post /parent/deeper/leaf"));
  });

  test("rejects unknown routes", () => {
    // @ts-expect-error -- an endpoint without a method serves GET
    void (() => client().provide("post /mixed/a"));
    // @ts-expect-error -- the endpoint declares get and put
    void (() => client().provide("delete /methods/:id", { id: "1" }));
    // @ts-expect-error -- static files are not an endpoint
    void (() => client().provide("get /files"));
    // @ts-expect-error -- the key of the endpoint names another method
    void (() => client().provide("get /searched"));
    // @ts-expect-error -- the input of a QUERY has required fields
    void (() => client().provide("query /searched/:id", { id: "1" }));
    // @ts-expect-error -- no such path
    void (() => client().provide("get /nested/v2"));
    // @ts-expect-error -- the input has a required field
    void (() => client().provide("get /methods/:id"));
    // @ts-expect-error -- the field is a string
    void (() => client().provide("get /methods/:id", { id: 1 }));
  });
});

describe("inputs", () => {
  const flags = z.object({
    on: z.stringbool(),
    off: z.stringbool().default(false),
    text: z.string(),
    code: z.string().transform((text) => text === "1"),
  });
  const routing = {
    upload: factory
      .addMiddleware({ input: z.object({ key: z.string() }), handler: async () => ({}) })
      .build({
        method: "post",
        input: z.object({
          file: ez.upload(),
          files: z.array(ez.upload()).optional(),
          since: ez.dateIn(),
          size: z.string().transform(Number),
        }),
        handler: async () => ({}),
      }),
    raw: { ":id": factory.build({ method: "post", input: ez.raw(), handler: async () => ({}) }) },
    stream: factory.build({
      method: "post",
      input: z.object({ raw: ez.stream("text/csv") }),
      handler: async () => ({}),
    }),
    union: factory.build({
      method: "post",
      input: z.discriminatedUnion("kind", [
        z.object({ kind: z.literal("a"), a: z.string() }),
        z.object({ kind: z.literal("b"), b: z.number() }),
      ]),
      handler: async () => ({}),
    }),
    flags: {
      get: factory.build({ input: flags, handler: async () => ({}) }),
      post: factory.build({ method: "post", input: flags, handler: async () => ({}) }),
      put: factory.build({
        method: "put",
        input: ez.raw().extend(flags.shape),
        inputSources: ["query", "body"],
        handler: async () => ({}),
      }),
    },
    ":n": factory.build({ input: z.object({ n: z.string() }), handler: async () => ({}) }),
  };
  const client = () => create<typeof routing>();
  type Input<Call extends (...args: never) => unknown> = Parameters<Call>[1];

  test("have the types that a client sends: files, dates, bytes, and fields before they are transformed", () => {
    const call = () => client().provide<"post /upload">;
    expectTypeOf<Input<ReturnType<typeof call>>>().toEqualTypeOf<{
      key: string;
      file: Blob;
      files?: Blob[] | undefined;
      since: Date | string;
      size: string;
    }>();
  });

  test("include the path parameters, even if no schema declares them", () => {
    const call = () => client().provide<"post /raw/:id">;
    expectTypeOf<Input<ReturnType<typeof call>>>().toEqualTypeOf<{
      raw: ArrayBuffer | Blob | Uint8Array | string;
      readonly id: Date | bigint | boolean | number | string;
    }>();
  });

  test("take bytes and text for ez.stream()", () => {
    const calls = () => [
      client().provide("post /stream", { raw: new Blob([]) }),
      client().provide("post /stream", { raw: "a" }),
      client().provide("post /stream", { raw: new Blob([]).stream() }),
      // @ts-expect-error -- a number is no body
      client().provide("post /stream", { raw: 1 }),
    ];
    expectTypeOf(calls).toBeFunction();
  });

  test("take booleans for z.stringbool() in a query, also beside a raw body", () => {
    const call = () => client().provide<"get /flags">;
    expectTypeOf<Input<ReturnType<typeof call>>>().toEqualTypeOf<{
      on: boolean | string;
      off?: boolean | string | undefined;
      text: string;
      code: string;
    }>();
    const raw = () => client().provide<"put /flags">;
    expectTypeOf<Input<ReturnType<typeof raw>>["on"]>().toEqualTypeOf<boolean | string>();
    const json = () => client().provide<"post /flags">;
    expectTypeOf<Input<ReturnType<typeof json>>["on"]>().toEqualTypeOf<string>();
  });

  test("may be unions", () => {
    const call = () => client().provide<"post /union">;
    expectTypeOf<Input<ReturnType<typeof call>>>().toEqualTypeOf<
      { kind: "a"; a: string } | { kind: "b"; b: number }
    >();
  });
});

describe("responses", () => {
  const custom = new ResultHandler({
    positive: (data) => z.object({ ok: z.literal(true), data }),
    negative: z.object({ ok: z.literal(false) }),
    handler: () => undefined,
  });
  const csv = new ResultHandler({
    positive: { schema: z.string(), mimeType: "text/csv" },
    negative: { schema: z.instanceof(Uint8Array), mimeType: "image/png" },
    handler: () => undefined,
  });
  const output = z.object({ items: z.array(z.object({ at: z.date() })) });
  const handler = async () => ({ items: [] });
  const routing = {
    custom: new EndpointsFactory(custom).build({ output, handler }),
    csv: new EndpointsFactory(csv).build({ output, handler }),
    list: arrayEndpointsFactory.build({ output, handler }),
    problem: problemEndpointsFactory.build({ output, handler }),
    empty: factory.build({ statusCode: 204, handler: async () => ({}) }),
    none: factory.buildVoid({ handler: () => undefined }),
    create: factory
      .addMiddleware({
        errors: { 401: { description: "Log in", schema: z.object({ realm: z.string() }) } },
        handler: async () => ({}),
      })
      .build({
        method: "post",
        statusCode: 201,
        errors: {
          404: "No such user",
          409: { description: "Taken", schema: z.object({ since: z.date() }) },
        },
        output,
        handler,
      }),
  };
  const client = () => create<typeof routing>();

  test("have the types of the result handler, with dates as strings", () => {
    type Items = { items: { at: string }[] };
    expectTypeOf(() => client().provide("get /custom")).returns.resolves.toEqualTypeOf<
      { ok: true; data: Items } | { ok: false }
    >();
    expectTypeOf(() => client().provide("get /csv")).returns.resolves.toEqualTypeOf<
      Blob | string
    >();
    expectTypeOf(() => client().provide("get /list")).returns.resolves.toEqualTypeOf<
      string | { at: string }[]
    >();
    const problem = async () => {
      const reply = await client().request("get /problem");
      if (reply.ok) return reply.body;
      return reply.status === 500 ? reply.body.detail : null;
    };
    expectTypeOf(problem).returns.resolves.toEqualTypeOf<Items | string | null>();
  });

  test("are a Blob, a string or unknown, by the media type of content that is sent without an envelope", () => {
    const type: string = Math.random() > 2 ? "text/csv" : "image/png";
    const content = {
      file: factory.build({ output: ez.file("image/png"), handler: async () => "/a" }),
      any: factory.build({ output: ez.file("*/*"), handler: async () => "/a" }),
      stream: factory.build({ output: ez.stream(), handler: async function* () {} }),
      text: factory.build({
        output: ez.buffer("text/css; charset=utf-8"),
        handler: async () => Buffer.from(""),
      }),
      json: factory.build({ output: ez.file("application/json"), handler: async () => "/a" }),
      some: factory.build({ output: ez.file(type), handler: async () => "/a" }),
      pictures: factory.build({
        output: ez.file(["image/png", "image/jpeg"]),
        handler: async () => "/a",
      }),
      mixed: factory.build({
        output: ez.file(["image/png", "text/css"]),
        handler: async () => "/a",
      }),
      anything: factory.build({ handler: async () => ({ path: "a" }) }),
    };
    const client = () => create<typeof content>();
    const blobs = () => [
      client().provide("get /file"),
      client().provide("get /any"),
      client().provide("get /stream"),
      client().provide("get /pictures"),
    ];
    const mixed = () => client().provide("get /mixed");
    expectTypeOf(mixed).returns.resolves.toEqualTypeOf<Blob | ErrorEnvelope | string>();
    expectTypeOf(blobs).returns.toEqualTypeOf<Promise<Blob | ErrorEnvelope>[]>();
    const text = () => client().provide("get /text");
    expectTypeOf(text).returns.resolves.toEqualTypeOf<ErrorEnvelope | string>();
    expectTypeOf(() => client().provide("get /json")).returns.resolves.toBeUnknown();
    const some = () => client().provide("get /some");
    expectTypeOf(some).returns.resolves.toEqualTypeOf<Blob | ErrorEnvelope | string>();
    expectTypeOf(() => client().download("get /any")).returns.resolves.toEqualTypeOf<Response>();
    const other = async () => client().provide("get /anything");
    expectTypeOf(other).returns.resolves.toExtend<ErrorEnvelope | SuccessEnvelope<object>>();
  });

  test("have no body if the status is 204", () => {
    expectTypeOf(() => client().provide("get /empty")).returns.resolves.toEqualTypeOf<
      ErrorEnvelope | undefined
    >();
    expectTypeOf(() => client().provide("get /none")).returns.resolves.toExtend<
      ErrorEnvelope | SuccessEnvelope<object>
    >();
  });

  test("are discriminated by status and by ok", () => {
    const call = async () => client().request("post /create");
    type Reply = Awaited<ReturnType<typeof call>>;
    type At<Status> = Extract<Reply, { readonly status: Status }>["body"];
    expectTypeOf<Extract<Reply, { readonly ok: true }>["status"]>().toEqualTypeOf<201>();
    expectTypeOf<At<409>>().toEqualTypeOf<ErrorEnvelopeWithData<{ since: string }>>();
    expectTypeOf<At<401>["error"]["data"]>().toEqualTypeOf<{ realm: string } | undefined>();
    expectTypeOf<At<"unexpected">>().toEqualTypeOf<unknown>();
    const branch = (reply: Reply) => {
      if (reply.status === 404) return reply.body;
      return reply.status === "unexpected" ? reply.actualStatus : undefined;
    };
    expectTypeOf(branch).returns.toEqualTypeOf<ErrorEnvelope | number | undefined>();
    const open = async () => (await client().request("get /none")).status;
    expectTypeOf<SuccessStatus>().toExtend<Awaited<ReturnType<typeof open>>>();
  });
});

describe("pages and streams", () => {
  const itemSchema = z.object({ n: z.number(), at: ez.dateOut() });
  const byOffset = ez.paginated({ style: "offset", itemSchema, itemsName: "things" });
  const byCursor = ez.paginated({ style: "cursor", itemSchema });
  const routing = {
    offset: factory.build({
      ...byOffset,
      handler: async () => ({ things: [], total: 0, limit: 1, offset: 0 }),
    }),
    cursor: problemEndpointsFactory.build({
      ...byCursor,
      handler: async () => ({ items: [], nextCursor: null, limit: 1 }),
    }),
    clock: new EventStreamFactory({ time: z.date(), end: z.null() }).build({
      handler: async () => undefined,
    }),
    open,
  };
  const client = () => create<typeof routing>();
  type Item = { n: number; at: string };

  test("yield the types of their items and events", () => {
    const items = async () => {
      for await (const item of client().iterate("get /offset", { limit: 5 })) return item;
      for await (const item of client().iterate("get /cursor")) return item;
      throw new Error("none");
    };
    expectTypeOf(items).returns.resolves.toEqualTypeOf<Item>();
    const pages = async () => {
      for await (const page of client().iterate("get /offset").pages()) return page.things;
      throw new Error("none");
    };
    expectTypeOf(pages).returns.resolves.toEqualTypeOf<Item[]>();
    const events = async () => {
      for await (const event of client().subscribe("get /clock"))
        return event.event === "time" ? event.data : event.event;
      throw new Error("none");
    };
    expectTypeOf(events).returns.resolves.toEqualTypeOf<string>();
  });

  test("are the only routes that `iterate` and `subscribe` accept", () => {
    // @ts-expect-error -- the route returns no pages
    void (() => client().iterate("get /open"));
    // @ts-expect-error -- the route is not an event stream
    void (() => client().subscribe("get /offset"));
    // @ts-expect-error -- no such route
    void (() => client().iterate("get /none"));
  });
});
