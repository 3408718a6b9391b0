import assert from "node:assert";
import createHttpError from "http-errors";
import {
  defaultEndpointsFactory as factory,
  EndpointsFactory,
  ensureHttpError,
  getMessageFromError,
  InputValidationError,
  OutputValidationError,
  problemEndpointsFactory,
  ResultHandler,
} from "sallyport";
import { afterEach, describe, expect, test, vi } from "vitest";
import { z } from "zod";
import { type Answer, errorEnvelope, shortenGrace, start, successEnvelope } from "../harness.ts";

afterEach(() => vi.unstubAllEnvs());

/** Creates an endpoint whose handler throws the given value. */
const throwing = (thrown: unknown) =>
  factory.build({
    handler: async () => {
      throw thrown;
    },
  });

const expectError = (answer: Answer, status: number, message: string): void => {
  expect([answer.status, answer.json()]).toEqual([status, errorEnvelope(message)]);
  expect(answer.headers).toMatchObject({
    "content-type": "application/json; charset=utf-8",
    "x-content-type-options": "nosniff",
    "cache-control": "no-store",
  });
};

/** Expects a response to a thrown value, and the log lines that belong to it. */
const expectThrown = async (thrown: unknown, status: number, message: string): Promise<void> => {
  const server = await start({ boom: throwing(thrown) });
  expectError(await server.send("/boom"), status, message);
  // a server fault is logged as one error line, but a client error is not
  expect(server.linesOf("error")).toHaveLength(status < 500 ? 0 : 1);
};

const fail = (properties: object, message = "the message") =>
  Object.assign(new Error(message), properties);

const custom = new EndpointsFactory(
  new ResultHandler({
    positive: (data) => ({ schema: z.object({ data }), mimeType: "application/json" }),
    negative: z.object({ oh: z.string() }),
    handler: ({ response, error, output }) => {
      if (error) response.status(error.statusCode ?? 500).json({ oh: error.message });
      else response.status(200).json({ data: output });
    },
  }),
);

describe("the responses to errors", () => {
  test.each([
    ["a handler that throws an HTTP error with a status sends that status", 418, "Short and stout"],
    ["a handler that throws a 5xx sends that status, too", 503, "Come back later"],
    ["a handler that throws for a missing resource sends a 404", 404, "No such user"],
  ])("%s", async (_what, status, message) => {
    await expectThrown(createHttpError(status, message), status, message);
  });

  test("an output that does not fit its schema gets a 500 in the error envelope", async () => {
    const output = z.object({ list: z.array(z.number()) });
    const server = await start({
      a: factory.build({ output, handler: async () => ({ list: [1, "two" as never] }) }),
    });
    const message = "output.list[1]: Invalid input: expected number, received string";
    expectError(await server.send("/a"), 500, message);
    expect(server.linesOf("error")).toHaveLength(1);
  });

  test("a middleware that throws a 401 for invalid credentials takes precedence over a 400", async () => {
    const authenticated = factory.addMiddleware({
      security: { type: "header", name: "authorization" },
      handler: async ({ request }) => {
        if (request.get("authorization") !== "Bearer t") throw createHttpError(401, "No entry");
        return {};
      },
    });
    const input = z.object({ id: z.string() });
    const server = await start({ a: authenticated.build({ input, handler: async () => ({}) }) });
    expectError(await server.send("/a"), 401, "No entry");
    const headers = { authorization: "Bearer t" };
    expect((await server.send("/a", { headers })).status).toBe(400);
    const known = await server.send("/a?id=1", { headers });
    expect([known.status, known.json()]).toEqual([200, successEnvelope({})]);
  });

  test("a custom result handler sends all errors in its own shape, and a 500 for those without a status", async () => {
    const server = await start({
      crash: custom.build({ handler: () => Promise.reject(new Error("plain")) }),
      fine: custom.build({ handler: () => ({ a: 1 }) }),
      input: custom.build({ input: z.object({ a: z.string() }), handler: () => ({}) }),
      output: custom.build({ output: z.object({ a: z.string() }), handler: () => ({}) as never }),
    });
    const issue = "Invalid input: expected string, received undefined";
    const input = await server.send("/input");
    expect([input.status, input.json()]).toEqual([400, { oh: `a: ${issue}` }]);
    const output = await server.send("/output");
    expect([output.status, output.json()]).toEqual([500, { oh: `output.a: ${issue}` }]);
    const crash = await server.send("/crash");
    expect([crash.status, crash.json()]).toEqual([500, { oh: "plain" }]);
    expect((await server.send("/fine")).json()).toEqual({ data: { a: 1 } });
  });
});

describe("H4: the status of a thrown Error", () => {
  test.each([400, 404, 599])(
    "may be %d, in `statusCode` or otherwise in `status`",
    async (status) => {
      await expectThrown(fail({ statusCode: status }), status, "the message");
      await expectThrown(fail({ status }), status, "the message");
      await expectThrown(fail({ statusCode: status, status: 418 }), status, "the message");
      await expectThrown(fail({ statusCode: 200, status }), status, "the message");
    },
  );

  test.each([399, 600, 200, 99, 1000, NaN, 404.5, "404", null, undefined])(
    "%s is not an error status, so the response is a 500",
    async (status) => {
      await expectThrown(fail({ statusCode: status, status }), 500, "the message");
    },
  );

  test.each<[string, Error, number, string]>([
    ["a plain error is hidden", fail({}), 500, "Internal Server Error"],
    ["a 5xx is hidden", createHttpError(503, "db-1 is down"), 503, "Service Unavailable"],
    ["a 5xx with expose: true is shown", createHttpError(501, "x", { expose: true }), 501, "x"],
    [
      "a plain error with expose: true is shown",
      fail({ status: 502, expose: true }),
      502,
      "the message",
    ],
    ["a 4xx is shown", createHttpError(404, "No such user"), 404, "No such user"],
    ["a plain error with a 4xx status is shown", fail({ statusCode: 409 }), 409, "the message"],
    [
      "a 4xx with expose: false is hidden",
      createHttpError(404, "x", { expose: false }),
      404,
      "Not Found",
    ],
    ["an unknown status is hidden", fail({ status: 599 }), 599, "Error"],
  ])("in production, the message of %s", async (_what, error, status, message) => {
    vi.stubEnv("NODE_ENV", "production");
    await expectThrown(error, status, message);
  });

  test("in production, a defect in the output is hidden, and invalid input is explained", async () => {
    vi.stubEnv("NODE_ENV", "production");
    const a = z.object({ a: z.string() });
    const server = await start({
      output: factory.build({ output: a, handler: () => ({ a: 1 as never }) }),
      input: factory.build({ input: a, handler: () => ({}) }),
    });
    expectError(await server.send("/output"), 500, "Internal Server Error");
    const message = "a: Invalid input: expected string, received undefined";
    expect((await server.send("/input")).json()).toMatchObject({ error: { message } });
  });
});

describe("H3 and H5: the headers of HTTP errors", () => {
  test("the headers of an error are sent, and cannot override nosniff and no-store", async () => {
    const headers = { "Retry-After": "120", "Cache-Control": "public", "Content-Type": "a/b" };
    const server = await start({ a: throwing(createHttpError(429, "Slow", { headers })) });
    const answer = await server.send("/a");
    expectError(answer, 429, "Slow");
    expect(answer.headers["retry-after"]).toBe("120");
  });

  test("an invalid header is dropped, the others are sent, and the response is a 500", async () => {
    const headers = { "X-Bad": "a\r\nSet-Cookie: b=c", "X-Good": "yes" };
    const server = await start({ a: throwing(createHttpError(400, "Bad", { headers })) });
    const answer = await server.send("/a");
    expectError(answer, 500, "Internal Server Error");
    expect(answer.headers["x-good"]).toBe("yes");
    expect([answer.headers["x-bad"], answer.headers["set-cookie"]]).toEqual([undefined, undefined]);
    expect(server.linesOf("error")).toHaveLength(1);
  });
});

describe("input that does not fit its schema", () => {
  const input = z.object({
    name: z.string(),
    address: z.object({ lines: z.array(z.object({ text: z.string().min(2) })) }),
    "x-y": z.number().optional(),
  });
  const text = "Too small: expected string to have >=2 characters";

  test("gets a 400 with a message and issues, and the handler does not run", async () => {
    const handler = vi.fn(() => ({}));
    const server = await start({ a: { post: factory.build({ input, handler }) } });
    const body = { address: { lines: [{ text: "ok" }, { text: "x" }] }, "x-y": "1" };
    const answer = await server.send("/a", { method: "POST", body });
    const [missing, wrong] = ["string, received undefined", "number, received string"].map(
      (rest) => `Invalid input: expected ${rest}`,
    );
    expect([answer.status, answer.json()]).toEqual([
      400,
      {
        status: "error",
        error: {
          message: `name: ${missing}; address.lines[1].text: ${text}; ["x-y"]: ${wrong}`,
          code: "SLP_INPUT_INVALID",
          issues: [
            { path: ["name"], message: missing, code: "invalid_type" },
            { path: ["address", "lines", 1, "text"], message: text, code: "too_small" },
            { path: ["x-y"], message: wrong, code: "invalid_type" },
          ],
        },
      },
    ]);
    expect(answer.headers).toMatchObject({
      "x-content-type-options": "nosniff",
      "cache-control": "no-store",
    });
    expect([handler.mock.calls, server.linesOf("error")]).toEqual([[], []]);
  });

  test("has no path in the message for an issue with the whole input", async () => {
    const whole = z.object({ a: z.string() }).refine(() => false, "does not fit");
    const server = await start({ a: factory.build({ input: whole, handler: () => ({}) }) });
    const issues = [{ path: [], message: "does not fit", code: "custom" }];
    const answer = await server.send("/a?a=1");
    const error = { message: "does not fit", code: "SLP_INPUT_INVALID", issues };
    expect(answer.json()).toEqual({ status: "error", error });
  });

  test("gets at most 10 issues and a message of at most 2 KiB", async () => {
    const list = z.object({ list: z.array(z.string(`not a text, ${"é".repeat(200)}`)) });
    const server = await start({
      a: { post: factory.build({ input: list, handler: () => ({}) }) },
    });
    const body = { list: Array.from({ length: 19_999 }, () => 1) };
    const answer = await server.send("/a", { method: "POST", body });
    const { error } = answer.json() as { error: { message: string; issues: unknown[] } };
    expect([answer.status, error.issues.length]).toEqual([400, 10]);
    expect(Buffer.byteLength(error.message)).toBeLessThanOrEqual(2048);
    expect(Buffer.byteLength(error.message)).toBeGreaterThan(2040);
    expect(error.message).not.toContain("\uFFFD");
  });

  test("B4: gets a small response, however long the names in the request are", async () => {
    const strict = z.strictObject({ a: z.string().optional() });
    const record = z.object({ r: z.record(z.string(), z.number()).optional() });
    const server = await start({
      strict: { post: factory.build({ input: strict, handler: () => ({}) }) },
      record: { post: factory.build({ input: record, handler: () => ({}) }) },
    });
    const long = "k".repeat(100_000);
    const unknown = await server.send("/strict", { method: "POST", body: { [long]: 1 } });
    const wrong = await server.send("/record", { method: "POST", body: { r: { [long]: "x" } } });
    expect([unknown.status, wrong.status]).toEqual([400, 400]);
    expect([unknown.text.length, wrong.text.length].filter((size) => size > 8192)).toEqual([]);
  });

  test("of a middleware gets the same response, which names the field", async () => {
    const keyed = factory.addMiddleware({
      input: z.object({ key: z.string("is needed") }),
      handler: () => ({}),
    });
    const server = await start({ a: keyed.build({ handler: () => ({}) }) });
    const issues = [{ path: ["key"], message: "is needed", code: "invalid_type" }];
    const error = { message: "key: is needed", code: "SLP_INPUT_INVALID", issues };
    expect((await server.send("/a")).json()).toEqual({ status: "error", error });
  });
});

const revoked = Proxy.revocable({}, {});
revoked.revoke();
const hostile = Object.defineProperty(new Error("x"), "message", {
  get: () => {
    throw new Error("no message");
  },
});

describe("server faults", () => {
  test.each<[string, unknown, string]>([
    ["a string", "boom", "boom"],
    ["a number", 42, "42"],
    ["undefined", undefined, "undefined"],
    ["null", null, "Internal Server Error"],
    ["an object with a status", { status: 404, message: "no" }, "Internal Server Error"],
    ["a revoked proxy (H2)", revoked.proxy, "Internal Server Error"],
    ["an error whose message throws when read (H2)", hostile, "Internal Server Error"],
    ["a frozen error (H2)", Object.freeze(new Error("cold")), "cold"],
  ])("%s that is thrown gets a 500", async (_what, thrown, message) => {
    await expectThrown(thrown, 500, message);
  });

  test("a ZodError thrown in a handler, synchronously or not, gets a 500 without issues", async () => {
    const parse = () => z.object({ a: z.string() }).parse({ a: 1 }) as never;
    const server = await start({
      sync: factory.build({ handler: () => parse() }),
      async: factory.build({ handler: async () => parse() }),
    });
    // the issues are formatted like those of the input
    const message = "a: Invalid input: expected string, received number";
    for (const target of ["/sync", "/async"]) expectError(await server.send(target), 500, message);
  });

  test("the logged line has the method, the path and the error, but neither the query nor headers", async () => {
    const server = await start({ boom: throwing(fail({}, "kaboom")) });
    await server.send("/boom?token=secret", { headers: { authorization: "secret" } });
    const [line] = server.linesOf("error");
    expect(line?.meta).toMatchObject({
      method: "GET",
      path: "/boom",
      error: { message: "kaboom" },
    });
    expect(Object.keys(line?.meta as object).sort()).toEqual(["error", "method", "path"]);
    expect(JSON.stringify(server.lines)).not.toContain("secret");
  });

  const inner = createHttpError(400, "inner");
  test.each<[string, () => unknown]>([
    ["throws", () => assert.fail(inner)],
    ["rejects", () => Promise.reject(inner)],
    ["sends nothing (H13)", () => undefined],
  ])("a result handler that %s is replaced by a plain-text 500", async (_what, handler) => {
    shortenGrace();
    const positive = z.object({});
    const broken = new EndpointsFactory(
      new ResultHandler({ positive, negative: positive, handler }),
    );
    const server = await start({
      a: broken.build({ handler: async () => ({}) }),
      b: factory.build({ handler: () => ({}) }),
    });
    const { status, text, headers } = await server.send("/a");
    expect([status, text]).toEqual([500, "Internal Server Error"]);
    expect(headers).toMatchObject({
      "content-type": "text/plain; charset=utf-8",
      "x-content-type-options": "nosniff",
      "cache-control": "no-store",
    });
    expect(server.linesOf("error")).toHaveLength(1);
    expect((await server.send("/b")).status).toBe(200);
  });
});

describe("the messages of the framework's own errors", () => {
  const json = { "content-type": "application/json" };
  const post = (body: string, headers = json) => ({ method: "POST", body, headers });
  test.each([
    ["/secret", {}, 404, "Not Found"],
    ["/a", { method: "PUT" }, 405, "Method Not Allowed"],
    ["/secret%zz", {}, 400, "Malformed path"],
    ["/a", post('{"secret"'), 400, "Invalid JSON"],
    ["/a", post('["secret"]'), 400, "Expected an object"],
    ["/a", post('{"__proto__":{"secret":1}}'), 400, "Forbidden key in the body"],
    ["/a", post("secret", { "content-type": "secret/secret" }), 415, "Unsupported Media Type"],
    ["/a", post("secret".repeat(200)), 413, "Content Too Large"],
  ])("are fixed and never echo the request: %s %j", async (target, sent, status, message) => {
    const a = factory.build({ method: "post", handler: () => ({}) });
    const server = await start({ a }, { bodyLimit: 1000 });
    expectError(await server.send(target, sent), status, message);
  });
});

describe("exports", () => {
  const seen: (Error | null)[] = [];
  const watching = new EndpointsFactory(
    new ResultHandler({
      positive: (data) => data,
      negative: z.object({}),
      handler: ({ error, response }) => void response.json({ length: seen.push(error) }),
    }),
  );

  test("InputValidationError and OutputValidationError have a ZodError as their cause", async () => {
    const a = z.object({ a: z.string() });
    const server = await start({
      input: watching.build({ input: a, handler: () => ({}) }),
      output: watching.build({ output: a, handler: () => ({}) as never }),
    });
    for (const target of ["/input", "/output"]) await server.send(target);
    const [input, output] = seen;
    expect(input).toBeInstanceOf(InputValidationError);
    expect(output).toBeInstanceOf(OutputValidationError);
    expect(input).toMatchObject({ statusCode: 400, code: "SLP_INPUT_INVALID" });
    expect(output).toMatchObject({ statusCode: 500, code: "SLP_OUTPUT_INVALID" });
    for (const error of [input, output]) {
      expect(error?.cause).toBeInstanceOf(z.ZodError);
      expect(error?.cause).toMatchObject({ issues: [{ path: ["a"] }] });
    }
    const http = ensureHttpError(input);
    expect([http.statusCode, http.expose, http.cause]).toEqual([400, true, input]);
  });

  const zodError = new z.ZodError([{ code: "custom", path: ["x"], message: "bad" }]);
  const issues = [{ path: ["x"], message: "bad", code: "custom" }];
  test.each([
    ["a ZodError", new InputValidationError(zodError), { issues }],
    ["a message", new InputValidationError("x: bad"), {}],
    ["a message and a ZodError", new InputValidationError("x: bad", zodError), { issues }],
  ])("an InputValidationError can be thrown with %s", async (_given, error, given) => {
    const more = { code: error.code, ...given };
    const handler = () => {
      throw error;
    };
    const server = await start({
      plain: factory.build({ handler }),
      problem: problemEndpointsFactory.build({ handler }),
    });
    const errors = "issues" in more ? [{ detail: "bad", parameter: "x" }] : undefined;
    const [plain, problem] = [await server.send("/plain"), await server.send("/problem")];
    expect([plain.status, plain.json()]).toEqual([
      400,
      { status: "error", error: { message: "x: bad", ...more } },
    ]);
    expect([problem.status, problem.json()]).toEqual([
      400,
      { type: "about:blank", title: "Bad Request", status: 400, detail: "x: bad", ...more, errors },
    ]);
  });

  test("an OutputValidationError can be created from a ZodError or from a message", () => {
    expect(new OutputValidationError(zodError)).toMatchObject({
      ...{ message: "output.x: bad", cause: zodError },
    });
    expect(new OutputValidationError("output.x: bad")).not.toHaveProperty("cause");
  });

  test("ensureHttpError and getMessageFromError accept any thrown value", () => {
    const teapot = createHttpError(418, "Short");
    expect(ensureHttpError(teapot)).toBe(teapot);
    const lost = fail({ status: 404, headers: { "X-A": "b" } });
    const http = {
      status: 404,
      statusCode: 404,
      expose: true,
      message: "the message",
      cause: lost,
    };
    expect(ensureHttpError(lost)).toMatchObject({ ...http, headers: { "X-A": "b" } });
    expect(ensureHttpError("boom")).toMatchObject({ status: 500, message: "boom", expose: false });
    expect(["boom", fail({}), 42].map(getMessageFromError)).toEqual(["boom", "the message", "42"]);
  });
});

test("headers that a handler has set to describe its body are not sent with an error", async () => {
  const endpoint = factory.build({
    handler: async ({ response }) => {
      response
        .set("Content-Encoding", "gzip")
        .set("ETag", '"a"')
        .set("Content-Disposition", "attachment")
        .set("X-Kept", "yes");
      throw createHttpError(409, "Taken");
    },
  });
  const answer = await (await start({ a: endpoint })).send("/a");
  expectError(answer, 409, "Taken");
  expect(answer.headers).toMatchObject({ "x-kept": "yes" });
  for (const name of ["content-encoding", "etag", "content-disposition"])
    expect(answer.headers).not.toHaveProperty(name);
});
