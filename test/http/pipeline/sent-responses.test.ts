import { once } from "node:events";
import { PassThrough, pipeline, Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { defaultEndpointsFactory as factory, ez, Middleware, type Routing } from "sallyport";
import type { Response } from "express";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { errorEnvelope, start } from "../harness.ts";

const output = z.object({ ok: z.boolean() });
const ping = factory.build({ handler: () => ({ pong: true }) });

describe("a handler that returns the response", () => {
  test.each([
    ["with an output", { output }],
    ["without one", {}],
  ])("causes no warning if it has sent the response: %s", async (_case, declared) => {
    const server = await start({
      "": factory.build({
        ...declared,
        handler: async ({ response }) => response.status(204).end(),
      }),
      json: factory.build({
        ...declared,
        handler: ({ response }) => response.status(202).json({ mine: true }),
      }),
    });
    const empty = await server.send("/");
    expect([empty.status, empty.text]).toEqual([204, ""]);
    const json = await server.send("/json");
    expect([json.status, json.text]).toEqual([202, '{"mine":true}']);
    expect([...server.linesOf("warn"), ...server.linesOf("error")]).toEqual([]);
  });

  test.each([
    ["with an output", { output }],
    ["without one", {}],
  ])("causes a 500 if it has sent nothing: %s", async (_case, declared) => {
    const handler = factory.build({
      ...declared,
      handler: async ({ response }) => response.status(204),
    });
    const server = await start({ "": handler });
    const answer = await server.send("/");
    expect(answer.status).toBe(500);
    expect(answer.json()).toEqual(
      errorEnvelope("The handler returned the response without sending it"),
    );
    const [line, ...others] = server.linesOf("error");
    expect(others).toEqual([]);
    expect(line?.meta).toMatchObject({ error: { code: "SLP_OUTPUT_NOT_OBJECT" } });
  });

  test("of an endpoint with a stream schema may send a response of its own", async () => {
    const body = "a".repeat(20_000_000);
    const endpoint = factory.build({
      output: ez.stream("text/plain"),
      handler: ({ response }) => response.status(203).send(body),
    });
    const server = await start({ "": endpoint });
    const answer = await server.send("/");
    expect([answer.status, answer.text === body]).toEqual([203, true]);
    expect([...server.linesOf("warn"), ...server.linesOf("error")]).toEqual([]);
  });

  test("in buildVoid causes {} to be sent if it has sent nothing, as with any return value", async () => {
    const endpoint = factory.buildVoid({ handler: ({ response }) => response.status(201) });
    const answer = await (await start({ "": endpoint })).send("/");
    expect([answer.status, answer.json()]).toEqual([201, { status: "success", data: {} }]);
  });
});

test("a handler that has sent the response and returns something else causes a warning", async () => {
  const endpoint = factory.build({
    output,
    handler: async ({ response }) => {
      response.status(204).end();
      return { ok: true };
    },
  });
  const server = await start({ "": endpoint });
  expect((await server.send("/")).status).toBe(204);
  expect(server.linesOf("warn").map(({ message, meta }) => [message, meta])).toEqual([
    ["The response was already sent", { method: "GET", path: "/" }],
  ]);
});

test("a stream is destroyed if the handler has sent the response itself, or the client has left", async () => {
  const streams: Readable[] = [];
  const open = (): Readable => {
    const stream = new Readable({ read: () => undefined });
    streams.push(stream);
    return stream;
  };
  const server = await start({
    sent: factory.build({
      output: ez.stream("text/plain"),
      handler: ({ response }) => {
        response.end("sent");
        return open();
      },
    }),
    left: factory.build({
      output: ez.stream("text/plain"),
      handler: async ({ request, response }) => {
        request.socket.destroy();
        await once(response, "close");
        return open();
      },
    }),
  });
  expect((await server.send("/sent")).text).toBe("sent");
  await server.send("/left").catch(() => undefined);
  await expect.poll(() => streams.map(({ destroyed }) => destroyed)).toEqual([true, true]);
});

test("a pipeline that is not awaited is still the response", async () => {
  const endpoint = factory.build({
    handler: async ({ response }) => {
      async function* letters(): AsyncGenerator<string> {
        yield "a";
        await sleep(10);
        yield "b";
      }
      pipeline(letters(), response, () => undefined);
      return undefined;
    },
  });
  expect((await (await start({ a: endpoint })).send("/a")).text).toBe("ab");
});

describe("H7: a stream that is piped into a response that has ended is stopped, and the first response stands", () => {
  test.each<readonly [string, Routing[string]]>([
    [
      "by the handler",
      factory.buildVoid({
        handler: ({ response }) => {
          response.send("x".repeat(5_000_000));
          Readable.from(["a", "b"]).pipe(response);
        },
      }),
    ],
    [
      "by a native middleware",
      factory
        .use((_request, response) => {
          response.send("x".repeat(5_000_000));
          Readable.from(["a", "b"]).pipe(response);
        })
        .build({ handler: () => ({}) }),
    ],
    [
      "before the framework sends its own",
      factory
        .addMiddleware(
          new Middleware({
            around: async ({ response }, next) => {
              const passed = await next();
              Readable.from(["a", "b"]).pipe(response);
              return passed;
            },
          }),
        )
        .build({ handler: () => ({}) }),
    ],
  ])("%s", async (_where, endpoint) => {
    const server = await start({ x: endpoint, ping });
    expect((await server.send("/x")).status).toBe(200);
    await expect.poll(() => server.linesOf("warn").length).toBe(1);
    expect((await server.send("/ping")).status).toBe(200);
  });
});

describe("R24: errors of writes after the end never end the process, however many there are", () => {
  const cases: Readonly<Record<string, (response: Response) => void>> = {
    "two writes": (response) => {
      response.end("a");
      response.write("b");
      response.write(Buffer.from("c"));
    },
    "two ends": (response) => {
      response.end("a");
      response.end("b");
      response.end("c");
    },
    "a stream and a write": (response) => {
      Readable.from(["a", "b"]).pipe(response);
      response.end("x");
      response.write("y");
    },
    "two streams": (response) => {
      for (const pieces of [["a"], ["b", "c"]]) Readable.from(pieces).pipe(response);
      response.end("x");
    },
    "a stream that begins after the end": (response) => {
      response.json({});
      const source = new PassThrough();
      source.pipe(response);
      source.write("p");
      response.write(Buffer.from("b"));
    },
    "two writes, and a tool that listens once": (response) => {
      response.once("error", () => undefined);
      response.end("a");
      response.write("b");
      response.write("c");
    },
  };
  test.each(Object.entries(cases))("%s", async (_name, act) => {
    const late = factory.buildVoid({ handler: ({ response }) => act(response) });
    // the harness fails if an error remains without a listener
    const server = await start({ late, ping });
    expect((await server.send("/late")).status).toBe(200);
    expect((await server.send("/ping")).status).toBe(200);
  });
});

test.each([
  [
    "a listener of `error`, as of a logger",
    (response: Response) => void response.on("error", () => undefined),
  ],
  [
    "a stream that is piped",
    (response: Response) => void Readable.from(["late", "late"]).pipe(response),
  ],
])("R24: nothing is sent behind the end of a stream: %s", async (_name, prepare) => {
  const rows = factory.buildVoid({
    handler: ({ response }) => {
      response.flushHeaders();
      prepare(response);
      response.write("row");
      response.end();
      response.write("late");
    },
  });
  const server = await start({ rows, ping });
  // the first text of a process shows how Node writes
  await server.send("/rows");
  const toGet = (path: string, ...fields: readonly string[]): string =>
    [`GET ${path} HTTP/1.1`, "Host: a", ...fields, "", ""].join("\r\n");
  const text = await server.raw(toGet("/rows") + toGet("/ping", "Connection: close"));
  expect(text).toMatch(/\r\n3\r\nrow\r\n0\r\n\r\nHTTP\/1\.1 200 /);
});
