import { setTimeout as sleep } from "node:timers/promises";
import createHttpError from "http-errors";
import { defaultEndpointsFactory as factory, ez } from "sallyport";
import { describe, expect, test } from "vitest";
import { errorEnvelope, start } from "../harness.ts";

describe("errors of unusual shapes", () => {
  test("without a readable name get a response", async () => {
    class Nameless extends Error {
      readonly statusCode = 404;
      override get name(): string {
        throw new Error("no name");
      }
    }
    const endpoint = factory.build({
      handler: async () => {
        throw new Nameless("lost");
      },
    });
    const answer = await (await start({ a: endpoint })).send("/a");
    expect([answer.status, answer.json()]).toEqual([404, errorEnvelope("lost")]);
  });

  const throwing = Object.defineProperty({}, "~name", {
    get: () => {
      throw new Error("no name");
    },
  });
  test.each([
    ["null", null],
    ["undefined", undefined],
    ["an object that throws", throwing],
  ])("get their status, whatever their constructor is: %s", async (_name, constructor) => {
    const endpoint = factory.build({
      handler: async () => {
        throw Object.assign(new Error("lost"), { constructor, status: 404 });
      },
    });
    const answer = await (await start({ a: endpoint })).send("/a");
    expect([answer.status, answer.json()]).toEqual([404, errorEnvelope("lost")]);
  });

  test.each<[unknown, number]>([
    [["content-type", "text/html"], 429],
    ["abc", 429],
    [{ "Retry-After": undefined }, 429],
  ])("ignore invalid headers: %j", async (headers, status) => {
    const endpoint = factory.build({
      handler: async () => {
        throw Object.assign(new Error("slow"), { statusCode: 429, headers });
      },
    });
    const answer = await (await start({ a: endpoint })).send("/a");
    expect(answer.status).toBe(status);
    expect(Object.keys(answer.headers).filter((name) => /^\d|retry/.test(name))).toEqual([]);
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
    const server = await start({ x: endpoint });
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
