import { setTimeout as sleep } from "node:timers/promises";
import { Readable } from "node:stream";
import createHttpError from "http-errors";
import { defaultEndpointsFactory as factory, ez, Middleware, type Routing } from "sallyport";
import { describe, expect, test } from "vitest";
import { start } from "./harness.ts";

const ping = "GET /ping HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";
const withPing = (routing: Routing): Routing => ({
  ...routing,
  ping: factory.build({ handler: () => ({ pong: true }) }),
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
    const server = await start(withPing({ x: endpoint }));
    expect((await server.send("/x")).status).toBe(200);
    await expect.poll(() => server.linesOf("warn").length).toBe(1);
    expect((await server.send("/ping")).status).toBe(200);
  });
});

describe("H2: errors whose members throw", () => {
  const throwing = (name: string): Error =>
    Object.defineProperty(createHttpError(418), name, {
      get: () => {
        throw new Error("unreadable");
      },
    });
  const revoked = (): object => {
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    return proxy;
  };

  test.each<readonly [string, () => unknown]>([
    ["message", () => throwing("message")],
    ["stack", () => throwing("stack")],
    ["nothing at all, as a revoked proxy", revoked],
  ])("are answered if a stream throws them, with a getter for %s", async (_name, create) => {
    const endpoint = factory.build({
      output: ez.stream("text/plain"),
      // oxlint-disable-next-line require-yield -- it fails before the first piece
      handler: async function* () {
        throw create();
      },
    });
    const server = await start(withPing({ x: endpoint }));
    expect((await server.send("/x")).status).toBeGreaterThanOrEqual(400);
  });

  test("are answered if a handler passes them to `request.next`", async () => {
    const endpoint = factory.build({
      handler: ({ request }) => {
        (request as unknown as { next: (error: unknown) => void }).next(throwing("cause"));
        return {};
      },
    });
    expect((await (await start({ x: endpoint })).send("/x")).status).toBeGreaterThanOrEqual(400);
  });

  test("are logged if a native middleware rejects with them after `next`", async () => {
    const endpoint = factory
      .use(async (_request, _response, next) => {
        next();
        await sleep(1);
        throw throwing("cause");
      })
      .build({ handler: () => sleep(20).then(() => ({})) });
    expect((await (await start({ x: endpoint })).send("/x")).status).toBeGreaterThanOrEqual(400);
  });
});

test("B20: the 401 that a native middleware writes with `writeHead` leaves a long body unread", async () => {
  const endpoint = factory
    .use((_request, response) => void response.writeHead(401).end("no"))
    .build({ method: "post", handler: () => ({}) });
  const server = await start({ x: endpoint });
  const reply = await server.raw("POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 9000000\r\n\r\nx");
  expect(reply).toMatch(/^HTTP\/1\.1 401 /);
  expect(reply).toMatch(/^connection: close\r$/im);
});

test("R21: HEAD for an endpoint that pipes its request keeps the connection", async () => {
  const endpoint = factory
    .use((request, response) => void request.pipe(response))
    .build({ handler: () => ({}) });
  const server = await start(withPing({ x: endpoint }));
  const reply = await server.raw(`HEAD /x HTTP/1.1\r\nHost: a\r\n\r\n${ping}`);
  expect(reply.match(/HTTP\/1\.1 200/g)).toHaveLength(2);
});
