import { once } from "node:events";
import { fileURLToPath } from "node:url";
import createHttpError from "http-errors";
import {
  defaultEndpointsFactory as factory,
  EventStreamFactory,
  Middleware,
  ServeStatic,
  type Routing,
  type ServerConfig,
} from "sallyport";
import { testMiddleware } from "sallyport/testing";
import { describe, expect, expectTypeOf, test, vi } from "vitest";
import { z } from "zod";
import { errorEnvelope, start, successEnvelope } from "../harness.ts";

const sleep = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Creates a middleware that records how its span begins and ends. */
const createSpan = () => {
  const events: string[] = [];
  const span = new Middleware({
    around: async (_args, next) => {
      events.push("begin");
      try {
        const passed = await next({ tx: 7 });
        events.push("commit");
        return passed;
      } catch (error) {
        events.push(`rollback: ${(error as Error).message}`);
        throw error;
      } finally {
        events.push("end");
      }
    },
  });
  return { events, span };
};

describe("an `around` middleware", () => {
  test("passes its typed context to all later stages, and spans them up to the output", async () => {
    const { events, span } = createSpan();
    const endpoint = factory
      .addMiddleware(span)
      .addMiddleware({
        handler: ({ ctx }) => {
          expectTypeOf(ctx.tx).toEqualTypeOf<number>();
          events.push(`later ${ctx.tx}`);
        },
      })
      .build({
        output: z.object({ tx: z.number() }),
        handler: ({ ctx }) => {
          events.push("handler");
          return { tx: ctx.tx };
        },
      });
    const answer = await (await start({ x: endpoint })).send("/x");
    expect(answer.json()).toEqual(successEnvelope({ tx: 7 }));
    expect(events).toEqual(["begin", "later 7", "handler", "commit", "end"]);
  });

  test("has its own input and the context so far, and may call `next` within a transaction", async () => {
    const transaction = <Result>(run: (tx: { readonly id: string }) => Promise<Result>) =>
      run({ id: "t" });
    const endpoint = factory
      .addContext(() => ({ pool: { transaction } }))
      .addMiddleware({
        input: z.object({ key: z.string() }),
        around: ({ ctx, input }, next) =>
          ctx.pool.transaction((tx) => next({ tx, key: input.key })),
      })
      .build({ handler: ({ ctx, input }) => ({ id: ctx.tx.id, key: ctx.key, input: input.key }) });
    const server = await start({ x: endpoint });
    expect((await server.send("/x?key=k")).json()).toEqual(
      successEnvelope({ id: "t", key: "k", input: "k" }),
    );
    expect((await server.send("/x")).status).toBe(400);
  });

  test.each<readonly [string, (build: typeof factory) => Routing[string], number, string]>([
    [
      "the handler",
      (build) =>
        build.build({
          handler: () => {
            throw createHttpError(409, "taken");
          },
        }),
      409,
      "taken",
    ],
    [
      "a later middleware",
      (build) =>
        build
          .addMiddleware({
            handler: () => {
              throw createHttpError(401, "who");
            },
          })
          .build({ handler: () => ({}) }),
      401,
      "who",
    ],
    [
      "the validation",
      (build) => build.build({ input: z.object({ n: z.string() }), handler: () => ({}) }),
      400,
      "n: Invalid input: expected string, received undefined",
    ],
  ])(
    "receives the error that %s throws, which is also sent",
    async (_name, build, status, message) => {
      const { events, span } = createSpan();
      const server = await start({ x: build(factory.addMiddleware(span) as never) });
      const answer = await server.send("/x");
      expect(answer.status).toBe(status);
      expect(events).toEqual(["begin", `rollback: ${message}`, "end"]);
    },
  );

  test("cannot hide an error by catching it, and may throw one of its own, which is sent", async () => {
    const hiding = factory.addMiddleware(
      new Middleware({
        around: async (_args, next) => {
          try {
            return await next();
          } catch {
            return undefined as never;
          }
        },
      }),
    );
    const failing = factory.addMiddleware(
      new Middleware({
        around: async (_args, next) => {
          await next();
          throw createHttpError(503, "commit failed", { expose: true });
        },
      }),
    );
    const server = await start({
      hiding: hiding.build({
        handler: () => {
          throw createHttpError(409, "taken");
        },
      }),
      failing: failing.build({ handler: () => ({}) }),
    });
    expect((await server.send("/hiding")).json()).toEqual(errorEnvelope("taken"));
    expect((await server.send("/failing")).json()).toEqual(errorEnvelope("commit failed"));
  });

  test("H18: must call `next` exactly once", async () => {
    const handler = vi.fn(() => ({}));
    const twice = factory.addMiddleware(
      new Middleware({
        around: async (_args, next) => {
          await next();
          return next();
        },
      }),
    );
    const never = factory.addMiddleware(
      new Middleware({ around: async () => Promise.resolve(undefined as never) }),
    );
    const sending = factory.addMiddleware(
      new Middleware({
        around: async ({ response }) => {
          response.status(418).end("own");
          return Promise.resolve(undefined as never);
        },
      }),
    );
    const server = await start({
      twice: twice.build({ handler }),
      never: never.build({ handler }),
      sending: sending.build({ handler }),
    });
    expect((await server.send("/twice")).status).toBe(500);
    expect(handler).toHaveBeenCalledTimes(1);
    expect((await server.send("/never")).status).toBe(500);
    const sent = await server.send("/sending");
    expect([sent.status, sent.text]).toEqual([418, "own"]);
    expect(handler).toHaveBeenCalledTimes(1);
    const codes = server.linesOf("error").map(({ meta }) => (meta as { error: unknown }).error);
    expect(codes).toMatchObject([{ code: "SLP_AROUND_TWICE" }, { code: "SLP_AROUND_NOT_CALLED" }]);
  });

  test("that does not await `next` is finished only after `next`, and errors from `next` are handled", async () => {
    const hasty = factory.addMiddleware(
      new Middleware({
        around: (_args, next) => {
          void next();
          return undefined as never;
        },
      }),
    );
    const hastyTwice = factory.addMiddleware(
      new Middleware({
        around: (_args, next) => {
          void next();
          void next();
          return undefined as never;
        },
      }),
    );
    const server = await start({
      good: hasty.build({ handler: () => sleep(20).then(() => ({ good: true })) }),
      twice: hastyTwice.build({ handler: () => sleep(20).then(() => ({})) }),
      bad: hasty.build({
        handler: async () => {
          await sleep(20);
          throw createHttpError(409, "taken");
        },
      }),
    });
    expect((await server.send("/good")).json()).toEqual(successEnvelope({ good: true }));
    expect((await server.send("/bad")).json()).toEqual(errorEnvelope("taken"));
    expect((await server.send("/twice")).status).toBe(500);
  });

  test("determines the response if it throws after `next`", async () => {
    const failing = new Middleware({
      around: async (_args, next) => {
        await next({});
        throw createHttpError(409, "Not committed");
      },
    });
    const server = await start({
      a: factory.addMiddleware(failing).build({ handler: () => ({}) }),
    });
    const answer = await server.send("/a");
    expect([answer.status, answer.json()]).toEqual([409, errorEnvelope("Not committed")]);
    expect([...server.linesOf("warn"), ...server.linesOf("error")]).toEqual([]);
  });

  test("ends without an error for HEAD, which needs no events", async () => {
    const { events, span } = createSpan();
    const streams = new EventStreamFactory({ time: z.number() }).addMiddleware(span);
    const server = await start(
      {
        once: streams.build({ handler: ({ ctx }) => ctx.emit("time", 1) }),
        forever: streams.build({
          handler: async ({ ctx: { emit, isClosed } }) => {
            while (!isClosed()) await emit("time", 1);
          },
        }),
      },
      { accessLogger: null },
    );
    server.lines.length = 0;
    for (const path of ["/once", "/forever"]) {
      expect((await server.send(path, { method: "HEAD" })).status).toBe(200);
      await expect.poll(() => events).toEqual(["begin", "commit", "end"]);
      events.length = 0;
    }
    expect(server.lines).toEqual([]);
  });

  test("spans a handler that sends a file, and only the head is sent for HEAD", async () => {
    const path = fileURLToPath(import.meta.url);
    const endpoint = factory
      .addMiddleware(createSpan().span)
      .buildVoid({ handler: ({ response }) => response.sendFile(path) });
    const server = await start({ file: endpoint });
    const [get, head] = [
      await server.send("/file"),
      await server.send("/file", { method: "HEAD" }),
    ];
    expect([head.status, head.headers["content-length"]]).toEqual([200, String(get.text.length)]);
  });

  test("can be tested with testMiddleware, whose output is the context passed to `next`", async () => {
    const { output } = await testMiddleware({ middleware: createSpan().span });
    expect(output).toEqual({ tx: 7 });
  });

  test("spans static files as well", async () => {
    const { events, span } = createSpan();
    const files = new ServeStatic("docs", {}, factory.addMiddleware(span));
    const server = await start({ files });
    expect((await server.send("/files/errors.md")).status).toBe(200);
    expect(events).toEqual(["begin", "commit", "end"]);
  });
});

describe("addContext", () => {
  test("disposes of its value and ends the request if it sends the response itself", async () => {
    const [dispose, handler] = [vi.fn(), vi.fn(() => ({}))];
    const server = await start({
      run: factory
        .addContext(async (_ctx, { response }) => ({ sent: response.redirect("/login") }), {
          dispose,
        })
        .build({ handler }),
    });
    expect((await server.send("/run")).status).toBe(302);
    await server.close();
    expect([dispose.mock.calls.length, handler.mock.calls.length]).toEqual([1, 0]);
    expect([server.linesOf("warn"), server.linesOf("error")]).toEqual([[], []]);
  });

  test("disposes of its value whatever happens, and an error in the disposal is logged", async () => {
    const dispose = vi.fn();
    const build = (fail: boolean, disposeBy: (context: { readonly db: number }) => unknown) =>
      factory
        .addContext(() => ({ db: 1 }), { dispose: disposeBy })
        .build({
          handler: ({ ctx }) => {
            if (fail) throw createHttpError(409, "no");
            return { db: ctx.db };
          },
        });
    const server = await start({
      good: build(false, dispose),
      bad: build(true, dispose),
      broken: build(false, () => {
        throw new Error("pool closed");
      }),
    });
    expect((await server.send("/good")).json()).toEqual(successEnvelope({ db: 1 }));
    expect((await server.send("/bad")).status).toBe(409);
    expect(dispose.mock.calls).toEqual([[{ db: 1 }], [{ db: 1 }]]);
    expect((await server.send("/broken")).status).toBe(200);
    expect(server.linesOf("error")).toHaveLength(1);
  });
});

describe("time limits", () => {
  const later = { handler: () => sleep(300) };

  test.each<readonly [string, Routing[string], Partial<ServerConfig>]>([
    [
      "a middleware that never ends",
      factory
        .addMiddleware({ handler: () => new Promise<never>(() => undefined) })
        .build({ timeout: 40, handler: () => ({}) }),
      {},
    ],
    [
      "an asynchronous refinement",
      factory.build({
        timeout: 40,
        input: z.object({}).refine(async () => {
          await sleep(300);
          return true;
        }),
        handler: () => ({}),
      }),
      {},
    ],
    [
      "a middleware under `requestTimeout`",
      factory.addMiddleware(later).build({ handler: () => ({}) }),
      { requestTimeout: 40 },
    ],
    ["`requestTimeout`", factory.buildVoid(later), { requestTimeout: 40 }],
  ])("H17: %s gets a 503", async (_name, endpoint, config) => {
    const server = await start({ x: endpoint }, config);
    const answer = await server.send("/x");
    expect([answer.status, answer.json()]).toEqual([503, errorEnvelope("Service Unavailable")]);
    await sleep(320);
    expect(server.linesOf("warn")).toEqual([]);
    expect(server.linesOf("error")).toHaveLength(1);
  });

  test("the time limit does not include reading the body", async () => {
    const server = await start(
      {
        body: factory.addMiddleware({ handler: () => undefined }).build({
          method: "post",
          timeout: 60,
          handler: () => ({}),
        }),
      },
      { requestTimeout: 40 },
    );
    const socket = await server.open();
    socket.write(
      "POST /body HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{",
    );
    await sleep(120);
    socket.write("}");
    const [reply] = (await once(socket, "data")) as [Buffer];
    expect(reply.toString()).toMatch(/^HTTP\/1.1 200/);
    socket.destroy();
  });
});
