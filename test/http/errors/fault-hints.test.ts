import { setTimeout as sleep } from "node:timers/promises";
import createHttpError from "http-errors";
import {
  defaultEndpointsFactory as factory,
  type AnyEndpoint,
  type Response,
  type ServerConfig,
} from "sallyport";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { errorEnvelope, start } from "../harness.ts";

const ask = async (endpoint: AnyEndpoint, config: Partial<ServerConfig> = {}) => {
  const server = await start({ a: endpoint }, config);
  const answer = await server.send("/a");
  const [line] = server.linesOf("error");
  return {
    answer: [answer.status, answer.json()],
    error: (line?.meta as { readonly error?: unknown } | undefined)?.error,
  };
};

describe("the logged error of an expired time limit names the limit", () => {
  const handler = async () => {
    await sleep(60);
    return {};
  };

  test.each([
    [{ requestTimeout: 20 }, {}, "The `requestTimeout` of 20 ms expired"],
    [
      { requestTimeout: 1000 },
      { timeout: 22 },
      "The `timeout` of 22 ms expired (the endpoint's own limit)",
    ],
  ])("%o, %o", async (config, options, message) => {
    const { answer, error } = await ask(factory.build({ ...options, handler }), config);
    expect(answer).toEqual([503, errorEnvelope("Service Unavailable")]);
    expect(error).toMatchObject({ code: "SLP_HANDLER_TIMEOUT", cause: { message } });
  });
});

describe("the logged error of an invalid output suggests the mistake", () => {
  const output = z.object({ user: z.object({ name: z.string() }) });

  test.each([
    [undefined, "The handler returned undefined. Is a `return` missing?"],
    [
      { user: Promise.resolve({ name: "a" }) },
      "The output contains a promise. Is an `await` missing?",
    ],
    [{ user: undefined }, undefined],
    [null, undefined],
  ])("%o", async (returned, hint) => {
    const endpoint = factory.build({ output, handler: async () => returned as never });
    const { answer, error } = await ask(endpoint);
    expect(answer).toMatchObject([500, { error: { message: (error as Error).message } }]);
    expect(error).toMatchObject({ code: "SLP_OUTPUT_INVALID" });
    expect(error).toHaveProperty("message", expect.not.stringContaining("missing"));
    expect((error as { hint?: string }).hint).toBe(hint);
  });
});

describe("an error that is returned in place of thrown", () => {
  const denied = createHttpError(403, "Denied");
  const handler = async () => ({ secret: 1 });
  const guard = async () => denied;
  test.each<[string, AnyEndpoint]>([
    ["by a handler", factory.build({ handler: guard })],
    [
      "by a handler with an output",
      factory.build({ output: z.object({}), handler: guard as never }),
    ],
    ["by a handler whose result is ignored", factory.buildVoid({ handler: guard })],
    ["by a middleware", factory.addMiddleware({ handler: guard }).build({ handler })],
    ["as context", factory.addContext(guard).build({ handler })],
    [
      "by the provider of a native middleware",
      factory.use((_request, _response, next) => next(), { provider: guard }).build({ handler }),
    ],
  ])("%s is sent like a thrown one", async (_name, endpoint) => {
    expect((await ask(endpoint)).answer).toEqual([403, errorEnvelope("Denied")]);
  });
});

test("a status that an output replaces is warned of", async () => {
  const handler = async ({ response }: { readonly response: Response }) => {
    response.status(404);
    return {};
  };
  const server = await start({ a: factory.build({ handler }) });
  expect((await server.send("/a")).status).toBe(200);
  expect(server.linesOf("warn")[0]?.message).toMatch(
    /^SLP_WARN_STATUS_REPLACED: GET \/a set .* 404/,
  );
});

test("a promise in an output without a schema is a fault, and its rejection is handled", async () => {
  const endpoint = factory.build({
    handler: async () => ({ user: Promise.reject(new Error("no user")) }),
  });
  const { answer, error } = await ask(endpoint);
  expect(answer).toMatchObject([500, {}]);
  expect(error).toMatchObject({
    code: "SLP_OUTPUT_UNSERIALIZABLE",
    message: "The output contains a promise: user. Is an `await` missing?",
  });
});

test("a rejecting promise in an output with a schema ends nothing", async () => {
  const endpoint = factory.build({
    output: z.object({ x: z.string(), y: z.string() }),
    handler: async () =>
      ({ x: Promise.reject(new Error("a")), y: Promise.reject(new Error("b")) }) as never,
  });
  expect((await ask(endpoint)).answer).toMatchObject([500, {}]);
});

describe("the logged error of a response that Node rejects is Node's own", () => {
  test.each([
    ["by default", {}],
    ["if Express sends it", { etag: true }],
  ])("%s", async (_name, config) => {
    const endpoint = factory.build({
      handler: ({ response }) => {
        response.setHeader("Trailer", "X-Sum");
        return {};
      },
    });
    const { answer, error } = await ask(endpoint, config);
    expect(answer[0]).toBe(500);
    expect(error).toMatchObject({ code: "ERR_HTTP_TRAILER_INVALID" });
  });
});
