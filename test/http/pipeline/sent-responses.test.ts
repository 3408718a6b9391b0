import { once } from "node:events";
import { pipeline, Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { defaultEndpointsFactory as factory, ez, Middleware, type Routing } from "sallyport";
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
