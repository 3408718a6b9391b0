import { once } from "node:events";
import type { NextFunction, Request, Response } from "express";
import createHttpError from "http-errors";
import {
  defaultEndpointsFactory as factory,
  EventStreamFactory,
  Middleware,
  type ServerConfig,
} from "sallyport";
import { describe, expect, test, vi } from "vitest";
import { z } from "zod";
import { start, type TestServer } from "../harness.ts";

/** Creates a handler that records its steps, and ends when the test says so. */
const createWork = () => {
  const events: string[] = [];
  let finish: (error?: Error) => void = () => undefined;
  const work = async (signal?: AbortSignal): Promise<object> => {
    events.push("debit");
    signal?.addEventListener("abort", () => events.push("aborted"));
    await new Promise<void>((resolve, reject) => {
      finish = (error) => (error ? reject(error) : resolve());
    });
    events.push("credit");
    return {};
  };
  return { events, work, finish: (error?: Error) => finish(error) };
};

/** Creates a transaction that records how it begins and ends. */
const createTransaction = (
  events: string[],
  options: { readonly afterValidation?: boolean } = {},
) =>
  new Middleware({
    ...options,
    around: async (_args, next) => {
      events.push("begin");
      try {
        const passed = await next({ tx: 7 });
        events.push("commit");
        return passed;
      } catch (error) {
        events.push(`rollback: ${(error as Error).message}`);
        throw error;
      }
    },
  });

const goOn = async (work: () => Promise<unknown>, next: NextFunction): Promise<void> => {
  await work();
  next();
};

/** Sends a request, waits until its handler runs, and disconnects. */
const leave = async (server: TestServer, events: readonly string[], begun: readonly string[]) => {
  const socket = await server.open();
  socket.write("GET /x HTTP/1.1\r\nHost: a\r\n\r\n");
  await expect.poll(() => events).toEqual(begun);
  socket.destroy();
  await once(socket, "close");
};

describe("H22: an `around` middleware waits for the handler", () => {
  test.each<readonly [string, Error | undefined, readonly string[]]>([
    ["commits if the handler succeeds", undefined, ["credit", "commit"]],
    ["rolls back if the handler fails", new Error("no funds"), ["rollback: no funds"]],
  ])("after the client has left, and %s", async (_what, error, ending) => {
    const { events, work, finish } = createWork();
    const server = await start({
      x: factory
        .addMiddleware(createTransaction(events))
        .build({ handler: ({ signal }) => work(signal) }),
    });
    await leave(server, events, ["begin", "debit"]);
    await expect.poll(() => events).toContain("aborted");
    finish(error);
    await expect.poll(() => events).toEqual(["begin", "debit", "aborted", ...ending]);
    expect(server.linesOf("error")).toEqual([]);
  });

  test("after the client has left, and rolls back if the output is invalid", async () => {
    const { events, work, finish } = createWork();
    const server = await start({
      x: factory.addMiddleware(createTransaction(events)).build({
        output: z.object({ n: z.number() }),
        handler: () => work() as never,
      }),
    });
    await leave(server, events, ["begin", "debit"]);
    finish();
    await expect.poll(() => events.at(-1)).toMatch(/^rollback: output\.n: /);
  });

  test("and rolls back if the client leaves before the handler has begun", async () => {
    const { events, work, finish } = createWork();
    const handler = vi.fn(() => ({}));
    const server = await start({
      x: factory
        .addMiddleware(createTransaction(events))
        .addMiddleware({ handler: () => work() })
        .build({ handler }),
    });
    await leave(server, events, ["begin", "debit"]);
    finish();
    await expect
      .poll(() => events)
      .toEqual(["begin", "debit", "credit", "rollback: The client disconnected"]);
    expect(handler).not.toHaveBeenCalled();
    expect([...server.linesOf("warn"), ...server.linesOf("error")]).toEqual([]);
  });

  test.each<readonly [string, { readonly timeout?: number }, Partial<ServerConfig>]>([
    ["`timeout`", { timeout: 20 }, {}],
    ["`requestTimeout`", {}, { requestTimeout: 20 }],
  ])("after %s, which is answered at once, and rolls back", async (_name, own, config) => {
    const { events, work, finish } = createWork();
    const transacted = factory.addMiddleware(createTransaction(events));
    const server = await start(
      { x: transacted.build({ ...own, handler: ({ signal }) => work(signal) }) },
      config,
    );
    expect((await server.send("/x")).status).toBe(503);
    expect(events).toEqual(["begin", "debit", "aborted"]);
    finish();
    await expect
      .poll(() => events)
      .toEqual(["begin", "debit", "aborted", "credit", "rollback: Service Unavailable"]);
    expect(server.linesOf("warn")).toEqual([]);
  });

  test("H10: and a fault of the handler after the client has left is logged as a warning", async () => {
    const { events, work, finish } = createWork();
    const server = await start({ x: factory.build({ handler: () => work() }) });
    await leave(server, events, ["debit"]);
    finish(new Error("too late"));
    await expect
      .poll(() => server.linesOf("warn"))
      .toMatchObject([
        {
          message: "A request failed after the client had disconnected",
          meta: { method: "GET", path: "/x", error: { message: "too late" } },
        },
      ]);
    expect(server.linesOf("error")).toEqual([]);
  });

  test("and a fault of the handler after the time limit is logged as a warning", async () => {
    const { events, work, finish } = createWork();
    const server = await start({ x: factory.build({ timeout: 20, handler: () => work() }) });
    expect((await server.send("/x")).status).toBe(503);
    finish(new Error("too late"));
    await expect
      .poll(() => server.linesOf("warn"))
      .toMatchObject([
        {
          message: "A request failed after its time limit had expired",
          meta: { method: "GET", path: "/x", error: { message: "too late" } },
        },
      ]);
    expect(events).toEqual(["debit"]);
  });
});

describe("H22: an outer `around` middleware waits for the handler", () => {
  test("even if an inner one throws before, whose error is sent at once", async () => {
    const { events, work, finish } = createWork();
    const impatient = new Middleware({
      around: (_args, next) => Promise.race([next(), Promise.reject(createHttpError(504))]),
    });
    const server = await start({
      x: factory
        .addMiddleware(createTransaction(events))
        .addMiddleware(impatient)
        .build({ handler: ({ signal }) => work(signal) }),
    });
    expect((await server.send("/x")).status).toBe(504);
    expect(events).toEqual(["begin", "debit", "aborted"]);
    finish();
    await expect
      .poll(() => events)
      .toEqual(["begin", "debit", "aborted", "credit", "rollback: Gateway Timeout"]);
    expect(server.linesOf("warn")).toEqual([]);
  });

  test.each([
    ["a time limit, whose 503 counts", { timeout: 20 }, 503, { code: "SLP_HANDLER_TIMEOUT" }],
    ["no time limit, and has declared its error", {}, 409, { data: { by: "bob" } }],
  ])("and an inner one may throw while `next` runs, with %s", async (_how, own, status, body) => {
    const { work, finish } = createWork();
    const impatient = new Middleware({
      errors: { 409: { description: "Taken", schema: z.object({ by: z.string() }) } },
      around: ({ signal }, next) =>
        Promise.race([
          next(),
          new Promise<never>((_resolve, reject) => {
            const fail = (): void =>
              reject(Object.assign(createHttpError(409, "taken"), { data: { by: "bob" } }));
            signal.addEventListener("abort", fail);
            if (status === 409) setTimeout(fail, 10);
          }),
        ]),
    });
    const server = await start({
      x: factory.addMiddleware(impatient).build({ ...own, handler: () => work() }),
    });
    const answer = await server.send("/x");
    expect(answer.status).toBe(status);
    expect(answer.json()).toMatchObject({ error: body });
    finish();
  });

  test("and an inner one cannot call `next` after it has ended", async () => {
    const { events } = createWork();
    const handler = vi.fn(() => ({}));
    const outer = new Middleware({
      around: async (_args, next) => {
        try {
          return await next();
        } finally {
          await new Promise((resolve) => setTimeout(resolve, 50));
          events.push("end");
        }
      },
    });
    const late = new Middleware({
      around: async (_args, next) => {
        setTimeout(() => void next(), 10);
        return Promise.resolve(undefined as never);
      },
    });
    const server = await start({
      x: factory.addMiddleware(outer).addMiddleware(late).build({ handler }),
    });
    expect((await server.send("/x")).status).toBe(500);
    expect([events, handler.mock.calls]).toEqual([["end"], []]);
  });

  test.each([0, 1, 2, 3, 4])(
    "and an inner one cannot call `next` %i steps after it has failed",
    async (steps) => {
      const { events } = createWork();
      const late = new Middleware({
        around: async (_args, next) => {
          const failing = Promise.reject(new Error("lost"));
          let later = failing.catch(() => undefined);
          for (let step = 0; step < steps; step++) later = later.then(() => undefined);
          const callLate = async (): Promise<void> => {
            await later;
            await next();
          };
          callLate().catch(() => undefined);
          return failing;
        },
      });
      const server = await start({
        x: factory
          .addMiddleware(createTransaction(events))
          .addMiddleware(late)
          .build({
            handler: async () => {
              events.push("debit");
              await new Promise((resolve) => setTimeout(resolve, 20));
              events.push("credit");
              return {};
            },
          }),
      });
      expect((await server.send("/x")).status).toBe(500);
      await expect.poll(() => events).toContain("rollback: lost");
      await new Promise((resolve) => setTimeout(resolve, 50));
      expect(events.at(-1)).toBe("rollback: lost");
    },
  );

  test("and rolls back if the end of an event stream has stopped the handler", async () => {
    const { events } = createWork();
    const server = await start({
      x: new EventStreamFactory({ n: z.number() }).addMiddleware(createTransaction(events)).build({
        handler: async ({ ctx: { emit } }) => {
          events.push("debit");
          for (let n = 0; ; n++) {
            await emit("n", n);
            await new Promise((resolve) => setTimeout(resolve, 5));
          }
        },
      }),
    });
    await leave(server, events, ["begin", "debit"]);
    await expect
      .poll(() => events)
      .toEqual(["begin", "debit", "rollback: The event stream has ended"]);
    expect([...server.linesOf("warn"), ...server.linesOf("error")]).toEqual([]);
  });

  test("and for a native middleware that has sent the response itself", async () => {
    const { events, work, finish } = createWork();
    const server = await start({
      x: factory
        .addMiddleware(createTransaction(events))
        .use(async (_request, response) => {
          response.json({});
          await work();
        })
        .build({ handler: () => ({}) }),
    });
    expect((await server.send("/x")).status).toBe(200);
    expect(events).toEqual(["begin", "debit"]);
    finish();
    await expect.poll(() => events).toEqual(["begin", "debit", "credit", "commit"]);
  });

  test("and the time limit holds although the body was refused", async () => {
    const { events, work, finish } = createWork();
    const cleaning = new Middleware({
      around: async (_args, next) => {
        try {
          return await next();
        } finally {
          await work();
        }
      },
    });
    const server = await start({
      x: factory.addMiddleware(cleaning).build({
        ...{ method: "post", timeout: 50, bodyLimit: 5 },
        input: z.object({}),
        handler: () => ({}),
      }),
    });
    const init = {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: '{"a":"b"}',
    };
    expect((await server.send("/x", init)).status).toBe(503);
    expect(events).toEqual(["debit"]);
    finish();
  });

  test("and a native middleware that takes the body must come before `afterValidation`", async () => {
    const endpoint = factory
      .addMiddleware(createTransaction([], { afterValidation: true }))
      .use((_request, _response, next) => next(), { body: true })
      .build({ handler: () => ({}) });
    await expect(start({ x: endpoint })).rejects.toThrow(
      "/x: a native middleware with `body: true` comes after a middleware with `afterValidation: true`",
    );
  });
});

describe("H22: what else surrounds a handler waits for it", () => {
  test.each<readonly [string, object, (server: TestServer, events: string[]) => Promise<unknown>]>([
    ["leaves", {}, (server, events) => leave(server, events, ["debit"])],
    [
      "gets a 503",
      { timeout: 20 },
      async (server) => {
        if ((await server.send("/x")).status !== 503) throw new Error("not limited");
      },
    ],
  ])("`dispose`, if the client %s", async (_how, own, end) => {
    const { events, work, finish } = createWork();
    const server = await start({
      x: factory
        .addContext(() => ({}), { dispose: () => events.push("disposed") })
        .build({ ...own, handler: () => work() }),
    });
    await end(server, events);
    expect(events).toEqual(["debit"]);
    finish();
    await expect.poll(() => events).toEqual(["debit", "credit", "disposed"]);
  });

  test.each<readonly [string, (work: () => Promise<unknown>) => Parameters<typeof factory.use>[0]]>(
    [
      [
        "calls `next` later",
        (work) => (_request: Request, _response: Response, next) => void goOn(work, next),
      ],
      ["is async", (work) => (_request: Request, _response: Response, next) => goOn(work, next)],
      [
        "is async and never calls `next`",
        (work) => async () => {
          await work();
        },
      ],
    ],
  )(
    "a transaction, if the client leaves while a native middleware that %s is at work",
    async (_name, create) => {
      const { events, work, finish } = createWork();
      const handler = vi.fn(() => ({}));
      const server = await start({
        x: factory
          .addMiddleware(createTransaction(events))
          .use(create(() => work()))
          .build({ handler }),
      });
      await leave(server, events, ["begin", "debit"]);
      finish();
      await expect
        .poll(() => events)
        .toEqual(["begin", "debit", "credit", "rollback: The client disconnected"]);
      expect(handler).not.toHaveBeenCalled();
    },
  );

  test("the shutdown, which names the routes that do not end", async () => {
    const { events, work, finish } = createWork();
    const server = await start({ x: factory.build({ handler: () => work() }) });
    await leave(server, events, ["debit"]);
    const isClosed = vi.fn();
    const closing = server.close().then(isClosed);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(isClosed).not.toHaveBeenCalled();
    finish();
    await closing;
    expect(events).toEqual(["debit", "credit"]);
    expect(server.linesOf("warn")).toEqual([]);
  });
});

describe("H23: a middleware with `afterValidation`", () => {
  const input = z.object({ n: z.coerce.number() });
  const post = (body: string, length = body.length): string =>
    `POST /x HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n${body}`;

  test("begins once the body has been read and the input is valid, and surrounds what comes after it", async () => {
    const events: string[] = [];
    const parsed = vi.fn((n: number) => n + 1);
    const endpoint = factory
      .addMiddleware({ handler: () => void events.push("before") })
      .addMiddleware(createTransaction(events, { afterValidation: true }))
      .addMiddleware({
        input: z.object({ key: z.string() }),
        handler: ({ ctx, input: { key } }) => void events.push(`later ${ctx.tx} ${key}`),
      })
      .build({
        method: "post",
        input: z.object({ n: z.number().transform(parsed) }),
        handler: ({ input: { n, key }, ctx: { tx } }) => {
          events.push("handler");
          return { n, key, tx };
        },
      });
    const server = await start({ x: endpoint });
    const socket = await server.open();
    const body = '{"n":1,"key":"k"}';
    socket.write(post("", body.length));
    await expect.poll(() => events).toEqual(["before"]);
    socket.write(body);
    const [data] = (await once(socket, "data")) as [Buffer];
    expect(data.toString()).toContain('"data":{"n":2,"key":"k","tx":7}');
    expect(events).toEqual(["before", "begin", "later 7 k", "handler", "commit"]);
    expect(parsed).toHaveBeenCalledOnce();
  });

  test("is not reached by invalid input, nor by a client that leaves while sending the body", async () => {
    const events: string[] = [];
    const server = await start({
      x: factory
        .addContext(() => void events.push("context"), { afterValidation: true })
        .addMiddleware(createTransaction(events, { afterValidation: true }))
        .build({ method: "post", input, handler: () => ({}) }),
    });
    expect(
      await server.raw(post('{"n":"x"}').replace("Host: a", "Host: a\r\nConnection: close")),
    ).toMatch(/^HTTP\/1.1 400/);
    const socket = await server.open();
    socket.write(post("{", 9));
    await new Promise((resolve) => setTimeout(resolve, 50));
    socket.destroy();
    await once(socket, "close");
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(events).toEqual([]);
  });
});
