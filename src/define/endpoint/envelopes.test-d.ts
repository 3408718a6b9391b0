import { expectTypeOf, test } from "vitest";
import { z } from "zod";
import { createClient } from "../../describe/client/index.ts";
import {
  createConfig,
  defaultEndpointsFactory,
  defaultResultHandler,
  EndpointsFactory,
  EventStreamFactory,
  Middleware,
  problemEndpointsFactory,
  problemResultHandler,
  ResultHandler,
  type ErrorEnvelope,
  type ProblemDetails,
  type Result,
  type Routing,
} from "../../index.ts";

const key = new Middleware({
  input: z.object({ key: z.string() }),
  errors: { 429: { description: "Slow down", schema: z.object({ seconds: z.number() }) } },
  handler: async () => ({ user: { id: 1 } }),
});
const chain = defaultEndpointsFactory.addMiddleware(key);
const rows = new ResultHandler({
  positive: z.string(),
  negative: z.string(),
  handler: ({ response }: Result<{ rows: readonly string[] }>) => response.end(),
});

test("`withResultHandler` keeps input, context and errors, and replaces the responses", async () => {
  const endpoint = chain.withResultHandler(problemResultHandler).build({
    input: z.object({ page: z.string() }),
    output: z.object({ id: z.number() }),
    handler: async ({ input, ctx }) => {
      expectTypeOf(input).toEqualTypeOf<{ key: string; page: string }>();
      expectTypeOf(ctx).toEqualTypeOf<{ user: { id: number } }>();
      return ctx.user;
    },
  });
  const client = createClient<{ v1: { a: typeof endpoint } }>({ baseUrl: "http://localhost" });
  const reply = await client.request("get /v1/a", { key: "", page: "" });
  if (reply.ok) expectTypeOf(reply.body).toEqualTypeOf<{ id: number }>();
  else if (reply.status === 429)
    expectTypeOf(reply.body).toExtend<ProblemDetails & { data: { seconds: number } }>();
  else if (reply.status === 413) expectTypeOf(reply.body.detail).toEqualTypeOf<string>();

  // @ts-expect-error -- not a result handler
  chain.withResultHandler({});
  chain.withResultHandler(rows).build({
    output: z.object({ id: z.number() }),
    // @ts-expect-error -- the result handler accepts only rows
    handler: async () => ({ id: 1 }),
  });
  chain.withResultHandler(rows).build({ handler: async () => ({ rows: ["a"] }) });
});

test("an event stream has the chain of its factory and the error responses of its result handler", async () => {
  const events = new EventStreamFactory(
    { time: z.number() },
    { heartbeat: 1, factory: chain.withResultHandler(problemResultHandler) },
  );
  const clock = events
    .addContext((ctx) => ({ name: ctx.user.id }))
    .build({
      input: z.object({ every: z.string() }),
      handler: async ({ input, ctx }) => {
        expectTypeOf(input).toEqualTypeOf<{ key: string; every: string }>();
        expectTypeOf(ctx.user).toEqualTypeOf<{ id: number }>();
        expectTypeOf(ctx.name).toEqualTypeOf<number>();
        await ctx.emit("time", 1);
        // @ts-expect-error -- there is no such event
        await ctx.emit("tick", 1);
      },
    });
  const plain = new EventStreamFactory({ time: z.number() }).build({ handler: () => undefined });
  const client = createClient<{ clock: typeof clock; plain: typeof plain }>({
    baseUrl: "http://localhost",
  });
  const reply = await client.request("get /clock", { key: "", every: "" });
  if (reply.status === 401) expectTypeOf(reply.body.detail).toEqualTypeOf<string>();
  const other = await client.request("get /plain");
  if (other.status === 401) expectTypeOf(other.body).toEqualTypeOf<ErrorEnvelope>();
  for await (const { event, data } of client.subscribe("get /clock", { key: "", every: "" })) {
    expectTypeOf(event).toEqualTypeOf<"time">();
    expectTypeOf(data).toEqualTypeOf<number>();
  }
  // @ts-expect-error -- the input of the factory's middleware is missing
  void client.request("get /clock", { every: "" });
  // @ts-expect-error -- not a factory
  void new EventStreamFactory({ time: z.number() }, { factory: {} });
});

test("`errorHandler` is a result handler, or an object of them by prefix", () => {
  createConfig({ cors: false, errorHandler: rows });
  createConfig({
    cors: false,
    errorHandler: { "/v2": problemResultHandler, "/": defaultResultHandler },
  });
  // @ts-expect-error -- a prefix starts with a slash
  createConfig({ cors: false, errorHandler: { v2: problemResultHandler } });
  // @ts-expect-error -- not a result handler
  createConfig({ cors: false, errorHandler: { "/v2": () => undefined } });
});

test("`Record<string, never>` adds nothing to the context, and needs nothing of it", () => {
  const auth = new Middleware({ handler: async () => ({ user: { id: 1 } }) });
  const nothing = new Middleware<{ user: { id: number } }, Record<string, never>>({
    handler: async () => ({}),
  });
  const free = new Middleware<Record<string, never>, { a: number }>({
    handler: async () => ({ a: 1 }),
  });
  defaultEndpointsFactory.addMiddleware(free);
  const factory = defaultEndpointsFactory
    .addMiddleware(auth)
    .addMiddleware(nothing)
    .addMiddleware({ handler: async (): Promise<Record<string, never> | undefined> => ({}) })
    .addContext((): Record<string, never> | { b?: number } => ({}))
    .addMiddleware(free);
  factory.build({
    handler: async ({ ctx }) => {
      expectTypeOf(ctx.user).toEqualTypeOf<{ id: number }>();
      expectTypeOf(ctx.a).toEqualTypeOf<number>();
      // @ts-expect-error -- no middleware adds this field
      return { none: ctx.none };
    },
  });
  // @ts-expect-error -- nothing has added `user`
  defaultEndpointsFactory.addMiddleware(nothing);
  const needy = new Middleware<{ user: { id: string } }>({ handler: () => undefined });
  // @ts-expect-error -- `user` has another type
  factory.addMiddleware(needy);
});

const input = z.object({ id: z.string() });
const output = z.object({ name: z.string() });

test("`build` takes explicit type arguments, with or without the method", () => {
  const handler = async ({ input: { id } }: { input: { id: string } }) => ({ name: id });
  const unnamed = defaultEndpointsFactory.build<typeof input, typeof output>({
    method: ["post", "put"],
    input,
    output,
    handler,
  });
  expectTypeOf(unnamed["~types"].output).toEqualTypeOf<typeof output>();
  const named = problemEndpointsFactory.build<typeof input, typeof output, "post">({
    method: "post",
    input,
    output,
    handler,
  });
  expectTypeOf(named["~types"].method).toEqualTypeOf<"post">();
  void ({ "post /a": unnamed, b: { post: named } } satisfies Routing);
  const inferred = new EndpointsFactory(rows).build({
    method: ["post", "put"],
    handler: async () => ({ rows: [] }),
  });
  expectTypeOf(inferred["~types"].method).toEqualTypeOf<"post" | "put">();
  defaultEndpointsFactory.build<typeof input, typeof output>({
    // @ts-expect-error -- not a method
    method: "pots",
    input,
    output,
    handler,
  });
  defaultEndpointsFactory.build<typeof input, typeof output, "post">({
    // @ts-expect-error -- not the named method
    method: "put",
    input,
    output,
    handler,
  });
});
