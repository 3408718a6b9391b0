import type { NextFunction, Request, Response } from "express";
import createHttpError from "http-errors";
import {
  defaultEndpointsFactory,
  defaultResultHandler,
  EndpointsFactory,
  Middleware,
  ResultHandler,
  type AnyEndpoint,
} from "sallyport";
import { describe, expect, it, vi } from "vitest";
import { z } from "zod";
import { errorEnvelope, start, successEnvelope, type Sent } from "../harness.ts";

const factory = defaultEndpointsFactory;

/** Serves one endpoint at /, sends one request, and returns the status and the body. */
const ask = async (
  endpoint: AnyEndpoint,
  query = "",
  sent: Sent = {},
): Promise<{ status: number; body: unknown }> => {
  const server = await start({ "": endpoint });
  const answer = await server.send(`/${query}`, sent);
  return { status: answer.status, body: answer.json() };
};
const ok = (data: object) => ({ status: 200, body: successEnvelope(data) });
const failed = (status: number, message: string) => ({ status, body: errorEnvelope(message) });

const ctxOf = { handler: ({ ctx }: { ctx: object }) => ({ ...ctx }) };
const add = <T extends object>(ctx: T) => new Middleware({ handler: async () => ctx });

it("a middleware with a loose input replaces no field that an earlier one has parsed", async () => {
  const since = new Middleware({
    input: z.object({ since: z.coerce.number() }),
    handler: () => ({}),
  });
  const audit = new Middleware({
    input: z.looseObject({}),
    handler: ({ input }) => ({ seen: Object.keys(input) }),
  });
  const list = factory
    .addMiddleware(since)
    .addMiddleware(audit)
    .build({ handler: ({ input, ctx }) => ({ since: input.since, seen: ctx.seen }) });
  const server = await start({ list });
  const data = { since: 7, seen: ["since", "other"] };
  expect((await server.send("/list?since=7&other=x")).json()).toEqual(successEnvelope(data));
});

describe("factory operations", () => {
  it("build(definition) returns an endpoint with the default result handler", async () => {
    expect(await ask(factory.build({ handler: () => ({ a: 1 }) }))).toEqual(ok({ a: 1 }));
  });

  it("middlewares added with addMiddleware run in order, before the handler", async () => {
    const order: string[] = [];
    const log = (name: string) => new Middleware({ handler: () => void order.push(name) });
    const endpoint = factory
      .addMiddleware(log("first"))
      .addMiddleware(log("second"))
      .build({ handler: () => void order.push("handler") });
    expect((await ask(endpoint)).status).toBe(200);
    expect(order).toEqual(["first", "second", "handler"]);
  });

  it("addMiddleware accepts an inline definition", async () => {
    const endpoint = factory
      .addMiddleware({
        input: z.object({ key: z.string() }),
        handler: async ({ input }) => ({ got: input.key }),
      })
      .build(ctxOf);
    expect(await ask(endpoint, "?key=k")).toEqual(ok({ got: "k" }));
  });

  it("new EndpointsFactory(resultHandler) builds endpoints that respond through that result handler", async () => {
    const plain = new ResultHandler({
      positive: z.object({}),
      negative: z.object({}),
      handler: ({ error, output, response }) =>
        void response.status(error ? 418 : 201).json({ output, error: error?.message }),
    });
    const own = new EndpointsFactory(plain).addContext(() => ({ a: 1 }));
    expect(await ask(own.build(ctxOf))).toEqual({ status: 201, body: { output: { a: 1 } } });
    const handler = () => {
      throw new Error("no");
    };
    expect(await ask(own.build({ handler }))).toEqual({
      status: 418,
      body: { output: null, error: "no" },
    });
  });

  it("nest serves the endpoint at its own path, and the map's entries below it", async () => {
    const named = (name: string) => factory.build({ handler: () => ({ name }) });
    const map = { ":id": named("one"), post: named("create") };
    const server = await start({ users: named("list").nest(map) });
    expect(Object.keys(map)).toEqual([":id", "post"]);
    expect((await server.send("/users")).json()).toEqual(successEnvelope({ name: "list" }));
    expect((await server.send("/users/7")).json()).toEqual(successEnvelope({ name: "one" }));
    const created = await server.send("/users", { method: "POST" });
    expect(created.json()).toEqual(successEnvelope({ name: "create" }));
  });

  it("deriving a factory never changes the original", async () => {
    const base = factory.addMiddleware(add({ base: 1 }));
    const before = base.build(ctxOf);
    const left = base.addMiddleware(add({ left: 1 })).build(ctxOf);
    const right = base.addContext(() => ({ right: 1 })).build(ctxOf);
    const native = base.use((_request, _response, next) => next(), {
      provider: () => ({ native: 1 }),
    });
    expect(await ask(factory.build(ctxOf))).toEqual(ok({}));
    expect(await ask(before)).toEqual(ok({ base: 1 }));
    expect(await ask(base.build(ctxOf))).toEqual(ok({ base: 1 }));
    expect(await ask(left)).toEqual(ok({ base: 1, left: 1 }));
    expect(await ask(right)).toEqual(ok({ base: 1, right: 1 }));
    expect(await ask(native.build(ctxOf))).toEqual(ok({ base: 1, native: 1 }));
  });

  it("the function given to addContext is called for each request with the context so far", async () => {
    let count = 0;
    const endpoint = factory
      .addMiddleware(add({ name: "ann" }))
      .addContext(async ({ name }, { request }) => ({
        greeting: `${request.method} ${name} ${++count}`,
      }))
      .build(ctxOf);
    const server = await start({ "": endpoint });
    expect((await server.send("/")).json()).toMatchObject({ data: { greeting: "GET ann 1" } });
    expect((await server.send("/")).json()).toMatchObject({ data: { greeting: "GET ann 2" } });
  });

  it.each([
    ["new EndpointsFactory", () => new EndpointsFactory({} as never), "SLP_DEFINITION_VALUE"],
    ["addMiddleware", () => factory.addMiddleware({} as never), "SLP_DEFINITION_HANDLER"],
    ["addContext", () => factory.addContext({} as never), "SLP_DEFINITION_HANDLER"],
    ["use", () => factory.use("helmet" as never), "SLP_DEFINITION_HANDLER"],
    ["new Middleware", () => new Middleware({} as never), "SLP_DEFINITION_HANDLER"],
    [
      "the input of new Middleware",
      () => new Middleware({ input: {} as never, handler: () => ({}) }),
      "SLP_DEFINITION_SCHEMA",
    ],
  ])("%s rejects invalid definitions", (_name, make, code) => {
    expect(make).toThrow(expect.objectContaining({ name: "DefinitionError", code }));
    expect(defaultResultHandler).toBeInstanceOf(ResultHandler);
  });
});

describe("use", () => {
  const teapot = new Error("short and stout");
  const options = {
    provider: async (request: Request, response: Response) =>
      Promise.resolve({ url: request.url, sent: response.headersSent }),
    transformer: ({ message }: Error) => createHttpError(418, message),
  };
  type Native = (request: Request, response: Response, next: NextFunction) => unknown;

  it("creates the context with the provider", async () => {
    const endpoint = factory
      .use((_request, response, next) => {
        response.setHeader("X-Native", "yes");
        setTimeout(next, 5);
      }, options)
      .build(ctxOf);
    const answer = await (await start({ "": endpoint })).send("/?a");
    expect(answer.json()).toEqual(successEnvelope({ url: "/?a", sent: false }));
    expect(answer.headers["x-native"]).toBe("yes");
  });

  it.each([
    ["next(error)", (_request, _response, next) => next(teapot)],
    ["a rejected promise", async () => Promise.reject(teapot)],
  ] as [string, Native][])(
    "%s: the middleware's error is sent, transformed if there is a transformer",
    async (_case, native) => {
      const build = (middleware: Native, with_?: typeof options) =>
        factory.use(middleware, with_).build({ handler: () => expect.unreachable() });
      expect(await ask(build(native, options))).toEqual(failed(418, "short and stout"));
      expect(await ask(build(native))).toEqual(failed(500, "short and stout"));
    },
  );

  it("a synchronous throw is transformed as well", async () => {
    const native: Native = () => {
      throw teapot;
    };
    const endpoint = factory.use(native, options).build({ handler: () => ({}) });
    expect(await ask(endpoint)).toEqual(failed(418, "short and stout"));
  });

  it.each([
    ["next(error), called later", (_request, _response, next) => setTimeout(() => next(teapot), 5)],
    ["a rejected promise", async () => Promise.reject(teapot)],
  ] as [string, Native][])(
    "H11: a transformer that throws on %s does not leave the request hanging",
    async (_case, native) => {
      const transformer = () => {
        throw createHttpError(409, "the transformer fails");
      };
      const endpoint = factory.use(native, { transformer }).build({ handler: () => ({}) });
      const server = await start({ "": endpoint });
      expect((await server.send("/")).status).toBe(409);
    },
  );

  it("leave no listeners on the response", async () => {
    const count = factory.build({
      handler: ({ response }) => ({
        close: response.listenerCount("close"),
        finish: response.listenerCount("finish"),
      }),
    });
    const native = Array.from({ length: 20 }).reduce<typeof factory>(
      (from) => from.use((_request, _response, next) => next()),
      factory,
    );
    const behind = native.build({ handler: count.handle as () => { close: number } });
    expect(await ask(behind)).toEqual(await ask(count));
  });

  it.each(["route", "router"] as const)(
    "leave the endpoint with next('%s'), as in Express, often because access is denied",
    async (left) => {
      const handler = vi.fn(() => ({}));
      const endpoint = factory
        .use((_request, _response, next) => next(left as "route"))
        .build({ handler });
      expect((await (await start({ "": endpoint })).send("/")).status).toBe(404);
      expect(handler).not.toHaveBeenCalled();
    },
  );

  it.each([
    ["at once", (response: Response) => void response.status(202).json("mine")],
    ["later", (r: Response) => void setTimeout(() => void r.status(202).json("mine"), 5)],
  ])("accept a middleware that ends the response %s without calling next()", async (_when, end) => {
    const later: string[] = [];
    const endpoint = factory
      .use((_request, response) => end(response))
      .addMiddleware({ handler: () => void later.push("middleware") })
      .build({ handler: () => void later.push("handler") });
    const server = await start({ "": endpoint });
    const answer = await server.send("/");
    expect([answer.status, answer.json()]).toEqual([202, "mine"]);
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(later).toEqual([]);
    expect(server.linesOf("error")).toEqual([]);
  });

  it("R19: run neither the middleware nor the handler on a preflight that CORS handles", async () => {
    const ran: string[] = [];
    const endpoint = factory
      .addMiddleware({ handler: () => void ran.push("ordinary") })
      .use((_request, _response, next) => {
        ran.push("native");
        next();
      })
      .build({ handler: () => void ran.push("handler") });
    const { status } = await (
      await start({ "": endpoint }, { cors: true })
    ).send("/", { method: "OPTIONS" });
    expect([status, ran]).toEqual([200, []]);
  });
});

describe("the definition of a middleware", () => {
  it("input: the middleware receives its own fields, transformed, and no others", async () => {
    const middleware = new Middleware({
      input: z.object({ key: z.string().transform((text) => text.length) }),
      handler: async ({ input }) => ({ seen: input }),
    });
    const endpoint = factory.addMiddleware(middleware).build(ctxOf);
    expect(await ask(endpoint, "?key=abc&other=1")).toEqual(ok({ seen: { key: 3 } }));
  });

  it("input: a middleware without an input schema gets {}", async () => {
    const middleware = new Middleware({ handler: async ({ input }) => ({ seen: input }) });
    expect(await ask(factory.addMiddleware(middleware).build(ctxOf), "?a=1")).toEqual(
      ok({ seen: {} }),
    );
  });

  it("input: values that a middleware without an input schema adds to its input do not reach later requests", async () => {
    const middleware = new Middleware({
      handler: async ({ input }) => {
        const seen = Object.keys(input);
        Reflect.set(input, "left", "behind");
        return { seen };
      },
    });
    const server = await start({ a: factory.addMiddleware(middleware).build(ctxOf) });
    for (let turn = 0; turn < 2; turn++)
      expect((await server.send("/a")).json()).toEqual(successEnvelope({ seen: [] }));
  });

  it("input: a request with invalid fields gets a 400, and no later stage runs", async () => {
    const ran: string[] = [];
    const endpoint = factory
      .addMiddleware({ input: z.object({ key: z.string() }), handler: () => void ran.push("1") })
      .addMiddleware({ handler: () => void ran.push("2") })
      .build({ handler: () => void ran.push("handler") });
    expect(await ask(endpoint)).toMatchObject({
      status: 400,
      body: { error: { message: "key: Invalid input: expected string, received undefined" } },
    });
    expect(ran).toEqual([]);
  });

  it("security: it is kept for OpenAPI documents, and never enforced", async () => {
    const security = { type: "header", name: "x-api-key" } as const;
    const middleware = new Middleware({ security, handler: () => ({}) });
    expect(middleware.security).toEqual(security);
    expect(await ask(factory.addMiddleware(middleware).build(ctxOf))).toEqual(ok({}));
  });

  it("handler: it receives input, request, response, logger and ctx", async () => {
    const endpoint = factory
      .addMiddleware(add({ first: 1 }))
      .addMiddleware({
        handler: ({ input, request, response, logger, ctx }) => {
          logger.info("heard");
          response.setHeader("X-Seen", request.originalUrl);
          return { seen: { input, ctx: { ...ctx } } };
        },
      })
      .build(ctxOf);
    const server = await start({ "": endpoint });
    const answer = await server.send("/?a=1");
    expect(answer.json()).toEqual(
      successEnvelope({ first: 1, seen: { input: {}, ctx: { first: 1 } } }),
    );
    expect(answer.headers["x-seen"]).toBe("/?a=1");
    expect(server.linesOf("info").filter(({ message }) => message === "heard")).toHaveLength(1);
  });

  it("handler: an error that it throws ends processing, and its status is sent", async () => {
    for (const throws of [
      () => {
        throw createHttpError(401, "who are you");
      },
      async () => Promise.reject(createHttpError(401, "who are you")),
    ]) {
      const endpoint = factory.addMiddleware({ handler: throws }).build({
        handler: () => expect.unreachable(),
      });
      expect(await ask(endpoint)).toEqual(failed(401, "who are you"));
    }
  });

  it("handler: later stages do not run if it ends the response, even if it then throws", async () => {
    for (const after of [() => ({}), () => Promise.reject(new Error("late"))]) {
      const later: string[] = [];
      const endpoint = factory
        .addMiddleware({
          handler: ({ response }) => {
            response.status(203).json("mine");
            return after();
          },
        })
        .build({ handler: () => void later.push("handler") });
      const server = await start({ "": endpoint });
      const answer = await server.send("/");
      expect([answer.status, answer.json(), later]).toEqual([203, "mine", []]);
    }
  });
});

describe("ctx", () => {
  it("chaining: each middleware receives the values that earlier ones returned, and a later value wins", async () => {
    const endpoint = factory
      .addMiddleware(add({ a: 1, same: "first" }))
      .addMiddleware({ handler: async ({ ctx }) => ({ b: ctx.a + 1, same: "second" }) })
      .build(ctxOf);
    expect(await ask(endpoint)).toEqual(ok({ a: 1, b: 2, same: "second" }));
  });

  it("isolation: no request sees the context of another, even if a handler changes that context", async () => {
    const shared = { list: "untouched" };
    const endpoint = factory
      .addMiddleware({
        input: z.object({ id: z.string() }),
        handler: async ({ input }) => {
          await new Promise((resolve) => setTimeout(resolve, 20 - Number(input.id)));
          return { id: input.id };
        },
      })
      .addMiddleware(add(shared))
      .build({
        handler: ({ ctx }) => {
          const before = { ...ctx };
          Object.assign(ctx, { list: "changed", id: "changed", extra: true });
          return before;
        },
      });
    const server = await start({ "": endpoint });
    const ids = Array.from({ length: 20 }, (_none, index) => String(index));
    const answers = await Promise.all(ids.map((id) => server.send(`/?id=${id}`)));
    expect(answers.map((answer) => answer.json())).toEqual(
      ids.map((id) => successEnvelope({ id, list: "untouched" })),
    );
    expect(shared).toEqual({ list: "untouched" });
  });

  it.each([null, undefined])("a middleware that returns %s adds nothing", async (value) => {
    const endpoint = factory
      .addMiddleware(add({ a: 1 }))
      .addMiddleware({ handler: async () => value })
      .build(ctxOf);
    expect(await ask(endpoint)).toEqual(ok({ a: 1 }));
  });

  it.each([[["a"]], [[]], ["text"], [""], [0], [7], [false], [true]])(
    "a middleware that returns %j causes a 500",
    async (value) => {
      const ran: string[] = [];
      const endpoint = factory
        .addMiddleware({ handler: async () => value as never })
        .build({ handler: () => void ran.push("handler") });
      const server = await start({ "": endpoint });
      const { status } = await server.send("/");
      expect([status, ran]).toEqual([500, []]);
      expect(server.linesOf("error")).toHaveLength(1);
    },
  );
});
