import { once } from "node:events";
import { request as httpRequest, type IncomingHttpHeaders } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { createGzip } from "node:zlib";
import createHttpError from "http-errors";
import {
  attachRouting,
  createConfig,
  DefinitionError,
  EventStreamFactory,
  OutputValidationError,
  ServerFault,
  type ServerConfig,
} from "sallyport";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { events, fail, getRun, startRun, type Run, type Stream } from "./event-stream-harness.ts";
import { createRecorder, errorEnvelope, send, start, type TestServer } from "../harness.ts";
import { splitReplies } from "../replies.ts";

interface Client {
  readonly status: number | undefined;
  readonly headers: IncomingHttpHeaders;
  /** Returns the text that has arrived so far. */
  readonly text: () => string;
  /** Resolves to how the stream ended. */
  readonly end: Promise<"clean" | "broken">;
  readonly leave: () => void;
}

/** Opens an event stream in the same way as a browser. */
const listen = (
  { port }: TestServer,
  path = "/run",
  headers: Record<string, string> = {},
): Promise<Client> =>
  new Promise((resolve, reject) => {
    const request = httpRequest({ host: "127.0.0.1", port, path, headers, agent: false });
    request.on("error", reject).on("response", (response) => {
      let text = "";
      response.on("data", (chunk: Buffer) => (text += chunk.toString()));
      response.on("error", () => undefined);
      const end = new Promise<"clean" | "broken">((ended) => {
        response.on("close", () => ended(response.complete ? "clean" : "broken"));
      });
      const { statusCode: status, headers } = response;
      resolve({ status, headers, end, text: () => text, leave: () => request.destroy() });
    });
    request.end();
  });

const receive = async (run: Run): Promise<string> =>
  (await (await startRun(run)).send("/run")).text;

describe("events", () => {
  test("are sent as the standard specifies, and the stream ends with the handler", async () => {
    const server = await startRun(async ({ emit }) => {
      await emit("time", 5);
      await emit("note", { text: "Hello" }, { id: "a b", retry: 3000 });
      await emit("time", 6, { id: "", retry: 0 });
      return { ignored: true };
    });
    const answer = await server.send("/run");
    expect(answer.status).toBe(200);
    expect(answer.headers["content-type"]).toBe("text/event-stream");
    expect(answer.headers["cache-control"]).toBe("no-cache");
    expect(answer.text).toBe(
      "event: time\ndata: 5\n\n" +
        'event: note\nid: a b\nretry: 3000\ndata: {"text":"Hello"}\n\n' +
        "event: time\nid: \nretry: 0\ndata: 6\n\n",
    );
    expect(server.lines).toEqual([]);
  });

  test("are optional: a stream can be opened and ended without any", async () => {
    const answer = await (await startRun(() => undefined)).send("/run");
    expect([answer.status, answer.text]).toEqual([200, ""]);
    expect(answer.headers["content-type"]).toBe("text/event-stream");
  });

  test("are not sent if the handler itself responds, for example with a 204, which makes clients stop reconnecting", async () => {
    const endpoint = new EventStreamFactory(events).build({
      handler: ({ response, ctx: { isClosed } }) => {
        response.status(204).end();
        return isClosed();
      },
    });
    const server = await start({ run: endpoint }, { accessLogger: null });
    server.lines.length = 0;
    const answer = await server.send("/run");
    expect([answer.status, answer.text]).toEqual([204, ""]);
    expect(answer.headers["content-type"]).toBeUndefined();
    expect(server.lines).toEqual([]);
  });

  test("leave the connection open for the next request after the stream", async () => {
    const server = await startRun(({ emit }) => emit("time", 1));
    const last = getRun.replace("Host: a", "Host: a\r\nConnection: close");
    const replies = splitReplies(await server.raw(getRun + last));
    expect(replies.map((reply) => reply.includes("data: 1"))).toEqual([true, true]);
  });

  test("arrive while the handler runs", async () => {
    let goOn: () => void = () => undefined;
    const server = await startRun(async ({ emit }) => {
      await emit("time", 1);
      await new Promise<void>((resolve) => (goOn = resolve));
      await emit("time", 2);
    });
    const client = await listen(server);
    await expect.poll(client.text).toBe("event: time\ndata: 1\n\n");
    goOn();
    expect(await client.end).toBe("clean");
    expect(client.text()).toContain("data: 2");
  });

  test("have the data that their schema returns, and are each parsed once", async () => {
    let parsed = 0;
    const counted = z.string().transform((text) => `${text}${++parsed}`);
    const endpoint = new EventStreamFactory({ counted }).build({
      handler: async ({ ctx: { emit } }) => {
        for (let n = 0; n < 3; n++) await emit("counted", "x");
      },
    });
    const { text } = await (await start({ run: endpoint })).send("/run");
    expect(text.match(/data: .*/g)).toEqual(['data: "x1"', 'data: "x2"', 'data: "x3"']);
    expect(parsed).toBe(3);
    expect(await receive(({ emit }) => emit("date", new Date(0)))).toContain(
      'data: "1970-01-01T00:00:00.000Z"\n\n',
    );
    expect(await receive(({ emit }) => emit("late", "good"))).toContain('data: "good"\n\n');
  });

  test("that do not fit their schema cause an error in the handler, which may continue", async () => {
    const thrown: unknown[] = [];
    const text = await receive(async ({ emit }) => {
      // `emit` throws these errors synchronously, even if it is not awaited
      thrown.push(await fail(() => void emit("note", { text: 5 } as never)));
      thrown.push(await fail(() => emit("late", "bad")));
      thrown.push(await fail(() => void emit("tim" as "time", 5)));
      await emit("time", 1);
    });
    expect(text).toBe("event: time\ndata: 1\n\n");
    expect(thrown[0]).toBeInstanceOf(OutputValidationError);
    expect((thrown[0] as Error).message).toMatch(/^note\.text: /);
    expect(thrown[1]).toBeInstanceOf(OutputValidationError);
    expect(thrown[2]).toMatchObject({ code: "SLP_EVENT_UNKNOWN", name: "ServerFault" });
    expect((thrown[2] as Error).message).toContain("Did you mean `time`?");
  });

  test.each([1n, undefined, () => 1, { toJSON: () => undefined }])(
    "that JSON cannot represent cause an error in the handler (%#)",
    async (data) => {
      const server = await startRun(({ emit }) => emit("whatever", data));
      const answer = await server.send("/run");
      expect(answer.status).toBe(500);
      expect(server.lines).toMatchObject([
        { severity: "error", meta: { error: { code: "SLP_OUTPUT_UNSERIALIZABLE" } } },
      ]);
    },
  );
});

describe("R14: no field of an event can break out of its line", () => {
  const breaks = ["a\nb", "a\rb", "a\r\nb", "\n", "a\n\ndata: x"];

  test.each(breaks)("R14: an event cannot be named %j", (name) => {
    const create = (): unknown => new EventStreamFactory({ [name]: z.string() });
    expect(create).toThrow(DefinitionError);
    expect(create).toThrow(expect.objectContaining({ code: "SLP_DEFINITION_EVENT" }));
  });

  // clients would not send the others back, or not as they are
  const ids = [...breaks, "a\0b", "\0", "日", "é", " a", "a ", "\x01", "\x7f"];

  test.each(ids)("R14: the id %j is rejected", async (id) => {
    let thrown: unknown;
    const text = await receive(async ({ emit }) => {
      thrown = await fail(() => emit("time", 1, { id }));
      await emit("time", 2);
    });
    expect(thrown).toBeInstanceOf(ServerFault);
    expect(thrown).toMatchObject({ code: "SLP_EVENT_FIELD" });
    expect(text).toBe("event: time\ndata: 2\n\n");
  });

  test.each(["1\ndata: x", 1.5, -1, Number.NaN, Infinity, 2 ** 60, "5", null])(
    "R14: the retry %j is rejected",
    async (retry) => {
      const server = await startRun(({ emit }) => emit("time", 1, { retry: retry as number }));
      const answer = await server.send("/run");
      expect([answer.status, answer.headers["content-type"]]).toEqual([
        500,
        "application/json; charset=utf-8",
      ]);
      expect(server.linesOf("error")).toMatchObject([
        { meta: { error: { code: "SLP_EVENT_FIELD" } } },
      ]);
    },
  );

  test.each([...breaks, "\u2028\u2029\0\ud800"])(
    "R14: the data %j is sent as one line",
    async (data) => {
      const text = await receive(({ emit }) => emit("big", data));
      expect(text).toBe(`event: big\ndata: ${JSON.stringify(data)}\n\n`);
      expect(text.match(/[\r\n]+/g)).toEqual(["\n", "\n\n"]);
    },
  );
});

describe("the definition of an event stream", () => {
  const create =
    (...args: unknown[]) =>
    (): unknown =>
      Reflect.construct(EventStreamFactory, args) as unknown;

  test("causes an error that shows the value given instead of a schema", () => {
    expect(create({ a: null })).toThrow(
      "`a` must be a Zod 4 schema, such as z.number(); got null.",
    );
    expect(create({ a: "x" })).toThrow('got "x".');
  });

  test.each([
    ["SLP_DEFINITION_EVENT", []],
    ["SLP_DEFINITION_EVENT", [{ "": z.string() }]],
    ["SLP_DEFINITION_SCHEMA", [{ a: "string" }]],
    ["SLP_DEFINITION_SCHEMA", [{ a: null }]],
    ["SLP_DEFINITION_UNKNOWN_KEY", [events, { heartBeat: 1 }]],
    ["SLP_DEFINITION_VALUE", [events, { heartbeat: -1 }]],
    ["SLP_DEFINITION_VALUE", [events, { openAfter: "1" }]],
    ["SLP_DEFINITION_VALUE", [events, { openAfter: 2 ** 31 }]],
    ["SLP_DEFINITION_VALUE", [events, { maxBuffered: Number.NaN }]],
  ])("is rejected with %s if it is invalid (%#)", (code, args) => {
    expect(create(...args)).toThrow(expect.objectContaining({ name: "DefinitionError", code }));
  });

  test("rejects invalid definitions of its endpoints as well", () => {
    const factory = new EventStreamFactory(events);
    const build = (definition: unknown) => (): unknown => factory.build(definition as never);
    const handler = (): void => undefined;
    for (const [code, definition] of [
      ["SLP_DEFINITION_HANDLER", undefined],
      ["SLP_DEFINITION_HANDLER", {}],
      ["SLP_DEFINITION_UNKNOWN_KEY", { handler, output: z.object({}) }],
      ["SLP_DEFINITION_METHOD", { handler, method: "GET" }],
      ["SLP_DEFINITION_SCHEMA", { handler, input: z.string() }],
    ])
      expect(build(definition)).toThrow(expect.objectContaining({ code }));
  });

  test("declares the events and the errors for OpenAPI documents", () => {
    const endpoint = new EventStreamFactory(events).buildVoid({ handler: () => undefined });
    const [declared, ...others] = endpoint.resultHandler.listPositive(z.object({}));
    expect(others).toEqual([]);
    expect(declared).toMatchObject({ mimeType: "text/event-stream", statusCode: 200 });
    const schema = declared?.schema as z.ZodType;
    expect(schema.parse({ event: "time", data: 1, id: "a" })).toBeDefined();
    expect(schema.safeParse({ event: "time", data: "1" }).success).toBe(false);
    expect(schema.safeParse({ event: "none", data: 1 }).success).toBe(false);
    const [negative] = endpoint.resultHandler.listNegative();
    expect(negative).toMatchObject({ mimeType: "application/json" });
  });
});

describe("a stream", () => {
  test.each([30, 1])(
    "opens after a time without an event, and then sends a comment every %i ms",
    async (heartbeat) => {
      const options = { openAfter: 30, heartbeat };
      const server = await startRun(({ signal }) => once(signal, "abort"), options);
      const client = await listen(server);
      expect(client.status).toBe(200);
      expect(client.headers["content-type"]).toBe("text/event-stream");
      await expect.poll(client.text).toContain(":\n\n:\n\n:\n\n");
      expect(client.text()).toMatch(/^(:\n\n)+$/);
      client.leave();
    },
  );

  test("sends no comments if the heartbeat is 0", async () => {
    const run: Run = async ({ emit, signal }) => {
      await emit("time", 1);
      await once(signal, "abort");
    };
    const client = await listen(await startRun(run, { openAfter: 10, heartbeat: 0 }));
    await expect.poll(client.text).not.toBe("");
    await sleep(60);
    expect(client.text()).toBe("event: time\ndata: 1\n\n");
    client.leave();
  });

  test("that fails before its first event gets an ordinary error response", async () => {
    const server = await startRun(async () => {
      await sleep(10);
      throw createHttpError(409, "Not now");
    });
    const answer = await server.send("/run");
    expect([answer.status, answer.json()]).toEqual([409, errorEnvelope("Not now")]);
    expect(answer.headers["cache-control"]).toBe("no-store");
    expect(server.lines.map(({ severity }) => severity)).toEqual(["debug"]);
  });

  test("ends or fails with its handler, even if events are still being emitted", async () => {
    const soon = z.string().refine(async () => true);
    const factory = new EventStreamFactory({ ...events, soon });
    const server = await start({
      ended: factory.build({
        handler: async ({ ctx: { emit } }) => {
          await emit("time", 1);
          void emit("late", "good");
        },
      }),
      failed: factory.build({
        handler: async ({ ctx: { emit } }) => {
          void emit("soon", "good");
          throw createHttpError(409, "Not now");
        },
      }),
    });
    expect((await server.send("/ended")).text).toBe("event: time\ndata: 1\n\n");
    const answer = await server.send("/failed");
    expect([answer.status, answer.json()]).toEqual([409, errorEnvelope("Not now")]);
    // the late event has no effect, and causes no unhandled rejection, which the harness would detect
    await sleep(30);
  });

  test.each([
    ["its first event", ({ emit }: Stream) => emit("time", 1), "event: time\ndata: 1\n\n"],
    ["it was opened", () => sleep(60), ":\n\n"],
  ])("H8: that fails after %s is cut off", async (_when, begin, sent) => {
    const run: Run = async (stream) => {
      await begin(stream);
      await sleep(20);
      throw new Error("inner workings");
    };
    const server = await startRun(run, { openAfter: 10 });
    const client = await listen(server);
    expect(await client.end).toBe("broken");
    expect([client.status, client.text()]).toEqual([200, sent]);
    expect(server.lines).toMatchObject([
      { severity: "error", meta: { error: { message: "inner workings" } } },
    ]);
  });

  test("is not limited by `requestTimeout`, but by its own timeout", async () => {
    const factory = new EventStreamFactory(events);
    const handler = async ({ ctx }: { ctx: Stream }): Promise<void> => {
      await ctx.emit("time", 1);
      await sleep(150, undefined, { signal: ctx.signal });
      await ctx.emit("time", 2);
    };
    const server = await start(
      { long: factory.build({ handler }), short: factory.build({ handler, timeout: 50 }) },
      { requestTimeout: 30, accessLogger: null },
    );
    server.lines.length = 0;
    expect((await server.send("/long")).text).toContain("data: 2");
    expect(server.lines).toEqual([]);
    expect(await (await listen(server, "/short")).end).toBe("broken");
    expect(server.lines).toMatchObject([
      { severity: "error", meta: { error: { code: "SLP_HANDLER_TIMEOUT" } } },
    ]);
  });

  test("runs behind the middlewares of its factory, whose errors are handled as usual", async () => {
    const factory = new EventStreamFactory({ hello: z.string() })
      .addMiddleware({
        input: z.object({ key: z.string() }),
        handler: ({ input }) => {
          if (input.key !== "secret") throw createHttpError(401, "Unknown key");
          return { user: "Ada" };
        },
      })
      .addContext((ctx) => ({ greeting: `Hello ${ctx.user}` }))
      .use((_request, _response, next) => next(), { provider: () => ({ mark: "!" }) })
      .use((_request, response, next) => {
        response.set("X-Native", "yes");
        next();
      });
    const hello = factory.build({
      method: "post",
      input: z.object({ times: z.number() }),
      handler: async ({ input, ctx: { emit, greeting, mark } }) => {
        for (let n = 0; n < input.times; n++) await emit("hello", greeting + mark + input.key);
      },
    });
    const server = await start({ hello });
    const ask = (body: object): ReturnType<TestServer["send"]> =>
      server.send("/hello", { method: "POST", body });
    const answer = await ask({ key: "secret", times: 2 });
    expect(answer.text).toBe('event: hello\ndata: "Hello Ada!secret"\n\n'.repeat(2));
    expect(answer.headers["x-native"]).toBe("yes");
    expect((await ask({ key: "wrong", times: 2 })).status).toBe(401);
    expect((await ask({ key: "secret" })).status).toBe(400);
  });

  test("is neither compressed nor delayed by the application's own compression", async () => {
    const run: Run = async ({ emit, signal }) => {
      await emit("big", "x".repeat(5000));
      await once(signal, "abort");
    };
    const headers = { "accept-encoding": "gzip, br" };
    const plain = await listen(await startRun(run, {}, { compression: true }), "/run", headers);
    await expect.poll(() => plain.text().length).toBeGreaterThan(5000);
    expect(plain.headers["content-encoding"]).toBeUndefined();
    plain.leave();

    // the package `compression` replaces methods in this way
    const own: Partial<ServerConfig> = {
      beforeRouting: ({ app }) => {
        app.use((_request, response, next) => {
          const gzip = createGzip();
          const write = response.write.bind(response);
          gzip.on("data", write);
          const flush = (): void => gzip.flush();
          Object.assign(response, { write: gzip.write.bind(gzip), flush });
          response.setHeader("Content-Encoding", "gzip");
          next();
        });
      },
    };
    const packed = await listen(await startRun(run, {}, own), "/run", headers);
    expect(packed.headers["content-encoding"]).toBe("gzip");
    await expect.poll(() => packed.text().length).toBeGreaterThan(20);
    packed.leave();
  });

  test("requested with HEAD sends only its headers, and the handler is stopped", async () => {
    const done: unknown[] = [];
    const server = await startRun(async ({ emit, signal }) => {
      done.push(
        await fail(async () => {
          for (;;) {
            await emit("time", 1);
            await sleep(10, undefined, { signal });
          }
        }),
      );
      throw done[0] as Error;
    });
    const head = await server.send("/run", { method: "HEAD" });
    expect([head.status, head.text]).toEqual([200, ""]);
    expect(head.headers["content-type"]).toBe("text/event-stream");
    await expect.poll(() => done).toMatchObject([{ name: "AbortError" }]);
    expect(server.lines).toEqual([]);
  });

  test("requested with HEAD is stopped on a user's own application as well", async () => {
    const { default: express } = await import("express");
    let isStopped = false;
    const run = new EventStreamFactory(events).build({
      handler: async ({ ctx: { emit, isClosed } }) => {
        while (!isClosed()) {
          await emit("time", 1);
          await sleep(5);
        }
        isStopped = true;
      },
    });
    const app = express();
    const { logger } = createRecorder();
    attachRouting(createConfig({ app, cors: false, logger }), { run });
    const http = app.listen(0, "127.0.0.1");
    await once(http, "listening");
    const { port } = http.address() as { port: number };
    const head = await send(port, "/run", { method: "HEAD" });
    expect([head.status, head.text]).toEqual([200, ""]);
    await expect.poll(() => isStopped).toBe(true);
    http.close();
  });
});
