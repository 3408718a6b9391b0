import { once } from "node:events";
import createHttpError from "http-errors";
import { afterEach, describe, expect, test, vi } from "vitest";
import { z } from "zod";
import {
  ConfigError,
  defaultEndpointsFactory as factory,
  DefinitionError,
  ez,
  Middleware,
  ResultHandler,
  type MiddlewareDefinition,
  type Result,
} from "../../index.ts";
import type { MiddlewareReturn } from "../../types.ts";
import type { EmptyObject, NoInput } from "../../basics/schemas/schema.ts";
import { testMiddleware } from "./index.ts";

afterEach(() => {
  vi.useRealTimers();
});

const auth = new Middleware({
  input: z.object({ key: z.string().min(3) }),
  security: { type: "header", name: "x-key" },
  handler: async ({ input, request, logger }) => {
    logger.info("checking", { method: request.method });
    if (input.key !== "right") throw createHttpError(401, "Wrong key");
    return { user: { id: 7 } };
  },
});

/** Creates a middleware with the given handler. */
const does = (
  handler: MiddlewareDefinition<EmptyObject, MiddlewareReturn, NoInput>["handler"],
): Middleware<EmptyObject, MiddlewareReturn> => new Middleware({ handler });

const failing = does(() => {
  throw createHttpError(402, "Pay first", { headers: { "X-Price": "5" } });
});

const handling = (handler: (result: Result) => unknown): ResultHandler =>
  new ResultHandler({ positive: z.object({}), negative: z.object({}), handler });

const own = ({ response, error }: Result): unknown =>
  response.status(error?.statusCode ?? 500).json({ why: error?.message });

describe("the output", () => {
  test("is the value that the middleware returns", async () => {
    const { output, loggerMock } = await testMiddleware({
      middleware: auth,
      requestProps: { method: "POST", body: { key: "right" } },
    });
    expect(output).toEqual({ user: { id: 7 } });
    expect(loggerMock._getLogs().info).toEqual([["checking", { method: "POST" }]]);
  });

  test("does not include the given context, and can be the context of another test", async () => {
    const greet = new Middleware<{ user: { id: number } }, { greeting: string }>({
      handler: async ({ ctx }) => ({ greeting: `Hello ${ctx.user.id}` }),
    });
    const { output: ctx } = await testMiddleware({
      ...{ middleware: auth, requestProps: { query: { key: "right" } } },
    });
    const { output } = await testMiddleware({ middleware: greet, ctx });
    expect(output).toEqual({ greeting: "Hello 7" });
  });

  test("does not change the given context", async () => {
    const ctx = { list: 1 };
    const middleware = new Middleware<{ list: number }, { list: number }>({
      handler: async (args) => Object.assign(args.ctx, { list: 2 }),
    });
    expect((await testMiddleware({ middleware, ctx })).output).toMatchObject({ list: 2 });
    expect(ctx).toEqual({ list: 1 });
  });

  test.each([undefined, null])("is %s if that is what the handler returns", async (nothing) => {
    const { output, responseMock } = await testMiddleware({ middleware: does(() => nothing) });
    expect(output).toBe(nothing);
    expect(responseMock._getStatusCode()).toBe(200);
  });

  test.each([[[1]], ["text"], [7], [true]])(
    "is {} if %j is returned, and the response is a 500",
    async (wrong) => {
      const { output, responseMock, loggerMock } = await testMiddleware({
        middleware: does(() => wrong as never),
      });
      expect(output).toEqual({});
      expect(responseMock._getStatusCode()).toBe(500);
      expect(loggerMock._getLogs().error).toHaveLength(1);
    },
  );

  test("is the returned value even if the middleware has ended the response", async () => {
    const { output, responseMock } = await testMiddleware({
      middleware: does(async ({ response }) => {
        response.status(418).send("tea");
        return { sent: true };
      }),
    });
    expect(output).toEqual({ sent: true });
    expect([responseMock._getStatusCode(), responseMock._getData()]).toEqual([418, "tea"]);
    expect(responseMock._isEndCalled()).toBe(true);
  });
});

describe("the input", () => {
  test("is combined and parsed as on a server", async () => {
    const middleware = new Middleware({
      input: z.object({ id: z.coerce.number(), n: z.int().default(5) }),
      handler: async ({ input }) => ({ input }),
    });
    const { output } = await testMiddleware({
      middleware,
      requestProps: { method: "PUT", params: { id: "7" }, body: { id: "8", other: 1 } },
      configProps: { inputSources: { put: ["params", "body"] } },
    });
    expect(output).toEqual({ input: { id: 7, n: 5 } });
  });

  test("comes from the configured sources", async () => {
    const { output } = await testMiddleware({
      middleware: auth,
      requestProps: { query: { key: "wrong" }, body: { key: "right" } },
      configProps: { inputSources: { get: ["query", "body"] } },
    });
    expect(output).toEqual({ user: { id: 7 } });
  });

  test("is empty if the middleware declares no schema", async () => {
    const { output } = await testMiddleware({
      middleware: does(async ({ input }) => ({ input })),
      requestProps: { query: { a: "1" } },
    });
    expect(output).toEqual({ input: {} });
  });

  test("may have a single file where the schema has an array of files", async () => {
    const middleware = new Middleware({
      input: z.object({ photos: z.array(ez.upload()) }),
      handler: async ({ input }) => ({ names: input.photos.map(({ name }) => name) }),
    });
    const photo = { name: "a", data: Buffer.alloc(1), size: 1, mimetype: "image/png", mv: vi.fn() };
    const requestProps = { method: "POST", files: { photos: photo } } as const;
    const { output } = await testMiddleware({ middleware, requestProps });
    expect(output).toEqual({ names: ["a"] });
  });

  test.each([
    [{ query: {} }, "key: Invalid input: expected string, received undefined"],
    [{ method: "POST", body: [] } as const, "Expected an object"],
  ])("that is invalid gets a 400: %j", async (requestProps, message) => {
    const { output, responseMock } = await testMiddleware({ middleware: auth, requestProps });
    expect(output).toEqual({});
    expect(responseMock._getStatusCode()).toBe(400);
    expect(responseMock._getJSONData()).toMatchObject({ status: "error", error: { message } });
  });
});

describe("an error", () => {
  test("goes to the default result handler, and testMiddleware does not reject", async () => {
    const { output, responseMock, loggerMock } = await testMiddleware({ middleware: failing });
    expect(output).toEqual({});
    expect(responseMock._getStatusCode()).toBe(402);
    expect(responseMock._getJSONData()).toEqual({
      status: "error",
      error: { message: "Pay first" },
    });
    expect(responseMock._getHeaders()).toMatchObject({
      "x-price": "5",
      "cache-control": "no-store",
    });
    expect(loggerMock._getLogs().debug).toEqual([["Request refused", expect.anything()]]);
  });

  test.each([new Error("x"), "text", undefined, Object.freeze(createHttpError(500))])(
    "of any kind gets a response: %s",
    async (thrown) => {
      const { output, responseMock } = await testMiddleware({
        middleware: does(() => Promise.reject(thrown as Error)),
      });
      expect([output, responseMock._getStatusCode()]).toEqual([{}, 500]);
    },
  );

  test("goes to the configured error handler, which receives the error, the context and the input", async () => {
    const handler = vi.fn(own);
    const { responseMock } = await testMiddleware({
      middleware: failing,
      ctx: { tenant: "t" },
      requestProps: { query: { a: "1" } },
      configProps: { errorHandler: handling(handler) },
    });
    expect([responseMock._getStatusCode(), responseMock._getJSONData()]).toEqual([
      ...[402, { why: "Pay first" }],
    ]);
    expect(handler.mock.calls[0]?.[0]).toMatchObject({
      ...{ input: { a: "1" }, output: null, ctx: { tenant: "t" } },
    });
  });

  test("thrown by the error handler gets the plain last-resort response", async () => {
    const errorHandler = handling(() => {
      throw new Error("handler broken");
    });
    const { output, responseMock, loggerMock } = await testMiddleware({
      ...{ middleware: failing, configProps: { errorHandler } },
    });
    expect(output).toEqual({});
    expect([responseMock._getStatusCode(), responseMock._getData()]).toEqual([
      ...[500, "Internal Server Error"],
    ]);
    expect(responseMock._isJSON()).toBe(false);
    expect(loggerMock._getLogs().error).toHaveLength(1);
  });

  test("after the response was sent does not change the response", async () => {
    const { output, responseMock, loggerMock } = await testMiddleware({
      middleware: does(({ response }) => {
        response.send("sent");
        throw new Error("late");
      }),
    });
    expect([output, responseMock._getData(), responseMock._isCut()]).toEqual([{}, "sent", false]);
    expect(loggerMock._getLogs().warn).toHaveLength(1);
  });

  test("caused by a file that cannot be sent gets a response, too", async () => {
    const handler = vi.fn(own);
    const { responseMock } = await testMiddleware({
      middleware: does(({ response }) => response.sendFile("/nowhere/to/be/found")),
      requestProps: { query: { a: "1" } },
      configProps: { errorHandler: handling(handler) },
    });
    expect(responseMock._getStatusCode()).toBe(404);
    expect(handler.mock.calls[0]?.[0]).toMatchObject({ input: { a: "1" } });
  });
});

describe("the response", () => {
  test("that is not sent still shows what the middleware has set", async () => {
    const { responseMock } = await testMiddleware({
      middleware: does(({ response }) => {
        response.status(201).set("X-A", "1").append("X-B", ["1", "2"]).cookie("a", "b");
      }),
      configProps: { cors: true },
    });
    expect(responseMock._getStatusCode()).toBe(201);
    expect(responseMock._getHeaders()).toMatchObject({
      ...{ "x-a": "1", "x-b": ["1", "2"], "set-cookie": ["a=b; Path=/"] },
      "access-control-allow-origin": "*",
    });
    expect([responseMock._isEndCalled(), responseMock._isCut()]).toEqual([false, false]);
    expect([responseMock._getData(), responseMock._getBuffer().length]).toEqual(["", 0]);
    expect(() => responseMock._getJSONData()).toThrow("It is: (empty)");
  });

  test("shows where the middleware redirects to", async () => {
    const { responseMock } = await testMiddleware({
      middleware: does(({ response }) => response.redirect("/login?back=/a")),
    });
    expect([responseMock._getStatusCode(), responseMock._getRedirectUrl()]).toEqual([
      ...[302, "/login?back=/a"],
    ]);
  });

  test("has the locals given by the test", async () => {
    const { output } = await testMiddleware({
      middleware: does(async ({ response }) => ({ nonce: response.locals["nonce"] as unknown })),
      responseOptions: { locals: { nonce: "n" } },
    });
    expect(output).toEqual({ nonce: "n" });
  });

  test("is awaited if the middleware streams it", async () => {
    const { responseMock } = await testMiddleware({
      middleware: does(({ response }) => response.sendFile(import.meta.filename)),
    });
    expect(responseMock._getData()).toContain("is awaited if the middleware streams it");
  });
});

describe("the request", () => {
  test("is a GET by default, and is the object that the middleware receives", async () => {
    const middleware = does(async ({ request }) => ({ request }));
    const { output, requestMock } = await testMiddleware({ middleware });
    expect(requestMock.method).toBe("GET");
    expect((output as { request: unknown }).request).toBe(requestMock);
  });

  test("has cookies and its own logger if they are configured", async () => {
    const { output, loggerMock } = await testMiddleware({
      middleware: does(async ({ request, logger }) => {
        logger.warn("seen");
        return { cookies: { ...(request.cookies as object) } };
      }),
      requestProps: { headers: { cookie: "a=1" } },
      configProps: {
        cookies: true,
        childLoggerProvider: ({ parent }) => ({
          ...parent,
          warn: (message: string) => parent.warn(`child: ${message}`),
        }),
      },
    });
    expect(output).toEqual({ cookies: { a: "1" } });
    expect(loggerMock._getLogs().warn).toEqual([["child: seen"]]);
  });

  test("whose logger cannot be created gets a 500, and the middleware does not run", async () => {
    const handler = vi.fn(async () => ({}));
    const { output, responseMock } = await testMiddleware({
      middleware: does(handler),
      configProps: { childLoggerProvider: () => Promise.reject(new Error("no logger")) },
    });
    expect([output, responseMock._getStatusCode()]).toEqual([{}, 500]);
    expect(handler).not.toHaveBeenCalled();
  });
});

describe("the options", () => {
  test.each([
    [{ middleware: auth, context: {} }, "there is no option `context`."],
    [{ middleware: auth, requestprops: {} }, "Did you mean `requestProps`?"],
    [{ endpoint: auth }, "there is no option `endpoint`."],
    [{}, "`middleware` must be a middleware, made with `new Middleware({ ... })`."],
    [{ middleware: factory.build({ handler: () => ({}) }) }, "`middleware` must be a middleware"],
    [{ middleware: () => undefined }, "`middleware` must be a middleware"],
    [{ middleware: auth, requestProps: { method: "TRACE" } }, "requestProps.method must be one of"],
  ])("cause an error that names the mistake: %o", async (options, message) => {
    const running = testMiddleware(options as never);
    await expect(running).rejects.toBeInstanceOf(DefinitionError);
    await expect(running).rejects.toThrow(message);
    await expect(running).rejects.toThrow(/^testMiddleware: /);
  });

  test("that belong to the configuration are validated", async () => {
    const configProps = { errorHandler: () => undefined } as never;
    await expect(testMiddleware({ middleware: auth, configProps })).rejects.toThrow(ConfigError);
  });
});

test("a signal that is aborted already disconnects the client once its request has arrived", async () => {
  const left = vi.fn();
  const waiting = new Middleware({ handler: ({ signal }) => once(signal, "abort").then(left) });
  await testMiddleware({ middleware: waiting, signal: AbortSignal.abort() });
  expect(left).toHaveBeenCalledOnce();
});

test("a run ends while the clock is faked, and leaves no timer", async () => {
  vi.useFakeTimers();
  const { output } = await testMiddleware({
    middleware: auth,
    requestProps: { query: { key: "right" } },
  });
  const { responseMock } = await testMiddleware({ middleware: failing });
  expect([output, responseMock._getStatusCode()]).toEqual([{ user: { id: 7 } }, 402]);
  expect(vi.getTimerCount()).toBe(0);
});
