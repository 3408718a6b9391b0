import { Readable } from "node:stream";
import createHttpError from "http-errors";
import {
  defaultEndpointsFactory,
  defaultResultHandler,
  EndpointsFactory,
  OutputValidationError,
  ResultHandler,
  type AnyEndpoint,
  type Result,
} from "sallyport";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { sendingGrace } from "../../../src/serve/pipeline/answer.ts";
import { errorEnvelope, shortenGrace, start, successEnvelope } from "../harness.ts";

const positive = z.object({ ok: z.literal(true) });
const negative = z.object({ ok: z.literal(false) });

/** Creates a factory whose result handler is the given function. */
const answerBy = (handler: (result: Result) => unknown) =>
  new EndpointsFactory(new ResultHandler({ positive, negative, handler }));

/** A factory whose result handler sends the output or the error message. */
const documented = answerBy(({ error, output, response }) => {
  if (error) response.status(error.statusCode ?? 500).json({ failure: error.message });
  else response.status(200).json(output);
});

/** Serves one endpoint at /, and returns the response to one request. */
const serve = async (endpoint: AnyEndpoint) => {
  const server = await start({ "": endpoint }, { startupLogo: false });
  const answer = await server.send("/");
  return { server, answer, status: answer.status, text: answer.text, headers: answer.headers };
};
const fail = (error: unknown) => (): never => {
  throw error;
};
const empty = (): object => ({});
const lastResort = { status: 500, text: "Internal Server Error" };

describe("the handler of a result handler", () => {
  it("sends an output with status 200", async () => {
    const { status, answer } = await serve(documented.build({ handler: () => ({ a: 1 }) }));
    expect([status, answer.json()]).toEqual([200, { a: 1 }]);
  });

  it.each([
    ["an error with status 404", createHttpError(404, "gone"), 404],
    ["an error without a status, as a 500", new Error("gone"), 500],
  ])("sends an error with its status: %s", async (_case, error, expected) => {
    const { status, answer } = await serve(documented.build({ handler: fail(error) }));
    expect([status, answer.json()]).toEqual([expected, { failure: "gone" }]);
  });

  it("sends the errors of every stage: middlewares, input and output", async () => {
    const refuse = documented.addMiddleware({ handler: fail(createHttpError(401, "who?")) });
    const server = await start({
      middleware: refuse.build({ handler: empty }),
      input: documented.build({ input: z.object({ a: z.string() }), handler: () => ({}) }),
      output: documented.build({
        output: z.object({ a: z.string() }),
        handler: () => ({}) as never,
      }),
    });
    const wrong = "a: Invalid input: expected string, received undefined";
    for (const [path, status, failure] of [
      ["middleware", 401, "who?"],
      ["input", 400, wrong],
      ["output", 500, `output.${wrong}`],
    ] as const) {
      const answer = await server.send(`/${path}`);
      expect([answer.status, answer.json()]).toEqual([status, { failure }]);
    }
  });

  it("on success receives the raw input, the parsed output, a null error, ctx, request, response and logger", async () => {
    const seen: Result[] = [];
    const factory = answerBy((result) => {
      seen.push(result);
      result.logger.info("sending");
      result.response.json({});
    });
    const endpoint = factory
      .addContext(() => ({ user: "ann" }))
      .build({
        input: z.object({ n: z.coerce.number() }),
        output: z.object({ m: z.number().transform(String) }),
        handler: ({ input }) => ({ m: input.n, extra: true }),
      });
    const server = await start({ ":id": endpoint });
    await server.send("/7?n=1&other=2");
    expect(seen).toHaveLength(1);
    const [{ input, output, error, ctx, request, response, logger }] = seen as [Result];
    expect({ ...input }).toEqual({ n: "1", other: "2", id: "7" });
    expect(output).toEqual({ m: "1" });
    expect(error).toBeNull();
    expect({ ...ctx }).toEqual({ user: "ann" });
    expect([request.path, response.statusCode, typeof logger.debug]).toEqual([
      "/7",
      200,
      "function",
    ]);
    expect(server.linesOf("info").map(({ message }) => message)).toContain("sending");
  });

  it("on failure receives the raw input, a null output, the error itself, and the part of ctx created so far", async () => {
    const seen: Result[] = [];
    const factory = answerBy((result) => {
      seen.push(result);
      result.response.status(500).json({});
    });
    const error = new Error("broken");
    const endpoint = factory
      .addContext(() => ({ first: 1 }))
      .addMiddleware({ handler: fail(error) })
      .addContext(() => ({ second: 2 }))
      .build({ handler: empty });
    await (await start({ "": endpoint })).send("/?n=1");
    const [result] = seen as [Result];
    expect(seen).toHaveLength(1);
    expect(result.error).toBe(error);
    expect(result.output).toBeNull();
    expect({ ...result.input }).toEqual({ n: "1" });
    expect({ ...result.ctx }).toEqual({ first: 1 });
  });

  it("receives an OutputValidationError with Zod's issues if the output does not fit", async () => {
    const seen: unknown[] = [];
    const factory = answerBy(({ error, response }) => {
      seen.push(error);
      response.status(500).json({});
    });
    const output = z.object({ a: z.string() });
    await serve(factory.build({ output, handler: () => ({ a: 1 as never }) }));
    expect(seen).toEqual([expect.any(OutputValidationError)]);
    expect(seen[0]).toHaveProperty("cause.issues.0.path", ["a"]);
  });
});

describe("`positive` and `negative` of a result handler", () => {
  const definition = { schema: positive, statusCode: 201, mimeType: "text/plain" };
  const full = (schema: z.ZodType) => ({ schema });
  it.each([
    ["a schema", positive, [full(positive)]],
    ["a definition", definition, [definition]],
    ["an array of definitions", [definition, full(negative)], [definition, full(negative)]],
    ["a function that returns a schema", () => positive, [full(positive)]],
    ["a function that returns a definition", () => definition, [definition]],
    ["a function that returns an array", () => [definition], [definition]],
  ])("%s", async (_case, declared, expected) => {
    const handler = ({ response }: Result) => void response.json({ ok: true });
    const resultHandler = new ResultHandler({ positive: declared, negative: declared, handler });
    expect(resultHandler.listPositive(z.object({}))).toEqual(expected);
    expect(resultHandler.listNegative()).toEqual(expected);
    const { answer } = await serve(new EndpointsFactory(resultHandler).build({ handler: empty }));
    expect(answer.json()).toEqual({ ok: true });
  });

  it("`positive` may be a function from the output schema to { schema, mimeType }", () => {
    const output = z.object({ id: z.number() });
    const [declared] = new ResultHandler({
      positive: (data) => ({ schema: z.object({ data }), mimeType: "application/json" }),
      negative,
      handler: () => undefined,
    }).listPositive(output);
    expect(declared?.mimeType).toBe("application/json");
    const schema = declared?.schema as unknown as z.ZodType;
    expect(schema.safeParse({ data: { id: 1 } }).success).toBe(true);
    expect(schema.safeParse({ data: { id: "1" } }).success).toBe(false);
  });

  it("an empty array of responses causes a DefinitionError", () => {
    const none = new ResultHandler({ positive: [], negative: [], handler: () => undefined });
    const refusal = expect.objectContaining({ code: "SLP_DEFINITION_RESPONSE" });
    expect(() => none.listPositive(positive)).toThrow(refusal);
    expect(() => none.listNegative()).toThrow(refusal);
  });

  it("an unknown key of a response causes a DefinitionError that names the known one", () => {
    const declared = { schema: positive, statusCodes: [200] };
    const make = (own: object) =>
      new ResultHandler({ positive: own as never, negative, handler: () => undefined });
    const refusal = "`positive`: there is no key `statusCodes`. Did you mean `statusCode`?";
    expect(() => make(declared)).toThrow(refusal);
    expect(() => make(() => declared).listPositive(positive)).toThrow(refusal);
  });

  it.each([
    ["handler", { positive, negative }, "SLP_DEFINITION_HANDLER"],
    [
      "only one of reply and handler",
      { positive, negative, reply: empty, handler: empty },
      "SLP_DEFINITION_HANDLER",
    ],
    ["positive", { negative, handler: empty }, "SLP_DEFINITION_RESPONSE"],
    ["negative", { positive, handler: empty }, "SLP_DEFINITION_RESPONSE"],
  ])("a definition without %s causes a DefinitionError", (_name, definition, code) => {
    const make = () => new ResultHandler(definition as never);
    expect(make).toThrow(expect.objectContaining({ name: "DefinitionError", code }));
  });
});

describe("the default envelope", () => {
  it("for a success is { status, data }, sent as JSON with a 200", async () => {
    const { answer } = await serve(defaultEndpointsFactory.build({ handler: () => ({ a: "é" }) }));
    expect(answer.status).toBe(200);
    expect(answer.text).toBe('{"status":"success","data":{"a":"é"}}');
    expect(answer.headers).toMatchObject({
      "content-type": "application/json; charset=utf-8",
      "content-length": "38",
    });
    expect(answer.headers).not.toHaveProperty("x-powered-by");
  });

  it("keeps another 2xx status that the handler sets", async () => {
    const endpoint = defaultEndpointsFactory.build({
      handler: ({ response }) => void response.status(201),
    });
    expect(await serve(endpoint)).toMatchObject({ status: 201 });
  });

  it.each([101, 304, 404])(
    "has a 200 if the handler sets %i, which is not a success status",
    async (status) => {
      const endpoint = defaultEndpointsFactory.build({
        handler: ({ response }) => {
          response.status(status);
          return {};
        },
      });
      expect(await serve(endpoint)).toMatchObject({ status: 200 });
    },
  );

  it("for an error is { status, error: { message } }, sent as JSON with the error's status and never cached", async () => {
    const error = createHttpError(404, "No such user", { headers: { "X-Hint": "look" } });
    const { answer } = await serve(defaultEndpointsFactory.build({ handler: fail(error) }));
    expect(answer.status).toBe(404);
    expect(answer.text).toBe('{"status":"error","error":{"message":"No such user"}}');
    expect(answer.headers).toMatchObject({
      "content-type": "application/json; charset=utf-8",
      "cache-control": "no-store",
      "x-content-type-options": "nosniff",
      "x-hint": "look",
    });
  });

  it("is also sent by a factory created with defaultResultHandler", async () => {
    const factory = new EndpointsFactory(defaultResultHandler);
    const { answer } = await serve(factory.build({ handler: () => ({ a: 1 }) }));
    expect(answer.json()).toEqual(successEnvelope({ a: 1 }));
  });
});

describe("a result handler that fails", () => {
  const throwing = answerBy(fail(createHttpError(400, "secret")));
  const rejecting = answerBy(async () => Promise.reject(new Error("secret")));

  it.each([
    ["by throwing on a success", throwing.build({ handler: empty })],
    ["by rejecting on a success", rejecting.build({ handler: empty })],
  ])(
    "%s: a plain-text 500 is sent, one error is logged, and the server keeps running",
    async (_case, endpoint) => {
      const { server, headers, ...rest } = await serve(endpoint);
      expect(rest).toMatchObject(lastResort);
      expect(headers["content-type"]).toBe("text/plain; charset=utf-8");
      expect(headers["cache-control"]).toBe("no-store");
      expect(server.linesOf("error")).toHaveLength(1);
      expect(await server.send("/")).toMatchObject(lastResort);
    },
  );

  it("by throwing on an error: a plain-text 500 is sent, and the second error is logged last", async () => {
    const { server, ...rest } = await serve(throwing.build({ handler: fail(new Error("first")) }));
    expect(rest).toMatchObject(lastResort);
    const messages = server
      .linesOf("error")
      .map(({ meta }) => String(Reflect.get(meta as object, "error")));
    expect(messages).toEqual(["Error: first", "BadRequestError: secret"]);
  });

  it("after setting headers for its own body: those headers are not sent", async () => {
    const factory = answerBy(({ response }) => {
      response.set({ "Content-Length": "9999", "Content-Encoding": "gzip", ETag: '"x"' });
      throw new Error("secret");
    });
    const { headers, ...rest } = await serve(factory.build({ handler: empty }));
    expect(rest).toMatchObject(lastResort);
    expect(headers["content-length"]).toBe("21");
    expect(headers).not.toHaveProperty("content-encoding");
    expect(headers).not.toHaveProperty("etag");
  });

  it("after sending: the first response is kept", async () => {
    const factory = answerBy(({ response }) => {
      response.status(202).json({ a: 1 });
      throw new Error("late");
    });
    const { status, answer, server } = await serve(factory.build({ handler: empty }));
    expect([status, answer.json()]).toEqual([202, { a: 1 }]);
    expect((await server.send("/")).status).toBe(202);
  });

  it.each([
    ["synchronously", () => undefined],
    ["asynchronously", async () => Promise.resolve()],
  ])(
    "H13: by sending nothing, %s: a plain-text 500 is sent, and one error is logged",
    async (_kind, handler) => {
      shortenGrace();
      const { server, ...rest } = await serve(answerBy(handler).build({ handler: empty }));
      expect(rest).toMatchObject(lastResort);
      expect(server.linesOf("error")).toHaveLength(1);
      expect(JSON.stringify(server.linesOf("error")[0]?.meta)).toContain("SLP_NOTHING_SENT");
    },
  );
});

describe("a result handler may send the response later", () => {
  const sent = (text: string) => ({ status: 200, text });

  it("in a callback", async () => {
    const factory = answerBy(({ response }) => {
      setTimeout(() => response.send("later"), 30);
    });
    const { server, ...rest } = await serve(factory.build({ handler: empty }));
    expect(rest).toMatchObject(sent("later"));
    expect(server.linesOf("error")).toEqual([]);
  });

  it("after a promise", async () => {
    const factory = answerBy(async ({ response }) => {
      await new Promise((resolve) => setTimeout(resolve, 30));
      response.send("awaited");
    });
    expect(await serve(factory.build({ handler: empty }))).toMatchObject(sent("awaited"));
  });

  it("in a callback that takes longer than usual, of which the log warns", async () => {
    shortenGrace();
    const factory = answerBy(({ response }) => {
      setTimeout(() => response.send("later"), 75);
    });
    const { server, ...rest } = await serve(factory.build({ handler: empty }));
    expect(rest).toMatchObject(sent("later"));
    expect(server.linesOf("warn")).toHaveLength(1);
    expect(server.linesOf("error")).toEqual([]);
  });

  it.each(["GET", "HEAD"])(
    "R22: in response to %s, however long a tool that has replaced `end` holds it back",
    async (method) => {
      shortenGrace();
      const held = defaultEndpointsFactory
        .use((_request, response, next) => {
          const end = response.end.bind(response) as (...args: unknown[]) => unknown;
          response.end = (...args: unknown[]) => {
            setTimeout(() => end(...args), 200);
            return response;
          };
          next();
        })
        .build({ handler: () => ({ a: 1 }) });
      const server = await start({ held });
      expect((await server.send("/held", { method })).status).toBe(200);
      expect([...server.linesOf("warn"), ...server.linesOf("error")]).toEqual([]);
    },
  );

  it("R22: but no longer than the time limit of the endpoint", async () => {
    const held = defaultEndpointsFactory
      .use((_request, response, next) => {
        response.end = () => response;
        next();
      })
      .build({ timeout: 50, handler: () => ({}) });
    const server = await start({ held });
    await expect(server.send("/held")).rejects.toThrow("socket hang up");
    expect(server.linesOf("error")).toHaveLength(1);
  });

  it("with a piped stream, however slowly it begins", async () => {
    shortenGrace();
    const factory = answerBy(({ response }) => {
      const slowly = async function* () {
        await new Promise((resolve) => setTimeout(resolve, sendingGrace / 5));
        yield "one,";
        yield "two";
      };
      Readable.from(slowly()).pipe(response);
    });
    const { server, ...rest } = await serve(factory.build({ handler: empty }));
    expect(rest).toMatchObject(sent("one,two"));
    expect(server.linesOf("error")).toEqual([]);
  });
});

describe("configuration: errorHandler", () => {
  it("handles requests that reach no endpoint, with null as input and output, and {} as ctx", async () => {
    const seen: Result[] = [];
    const errorHandler = new ResultHandler({
      positive,
      negative,
      handler: (result) => {
        seen.push(result);
        result.response
          .status(result.error?.statusCode ?? 500)
          .json({ own: result.error?.message });
      },
    });
    const endpoint = defaultEndpointsFactory.build({
      method: "post",
      handler: fail(new Error("x")),
    });
    const server = await start({ a: endpoint }, { errorHandler });
    const type = { "content-type": "application/json" };
    for (const [target, sent, status, own] of [
      ["/unknown", {}, 404, "Not Found"],
      ["/b", { method: "POST", headers: type, body: "{" }, 404, "Not Found"],
      ["/%zz", {}, 400, "Malformed path"],
    ] as const) {
      const answer = await server.send(target, sent);
      expect([answer.status, answer.json()]).toEqual([status, { own }]);
    }
    expect(seen.map(({ input, output, ctx }) => ({ input, output, ctx: { ...ctx } }))).toEqual(
      seen.map(() => ({ input: null, output: null, ctx: {} })),
    );
    const answer = await server.send("/a", { method: "POST" });
    expect([answer.status, answer.json()]).toEqual([500, errorEnvelope("x")]);
  });

  it("is replaced by a plain-text 500 if it throws, as are the result handlers of endpoints for a 405", async () => {
    const errorHandler = new ResultHandler({ positive, negative, handler: fail(new Error("x")) });
    const endpoint = new EndpointsFactory(errorHandler).build({ handler: empty });
    const server = await start({ a: endpoint }, { errorHandler });
    expect(await server.send("/unknown")).toMatchObject(lastResort);
    expect(await server.send("/a", { method: "PUT" })).toMatchObject(lastResort);
  });
});

it("H13: the socket is closed after a result handler that sends only a head", async () => {
  shortenGrace();
  const headOnly = new ResultHandler({
    positive: z.object({}),
    negative: z.object({}),
    handler: ({ response }) => void response.writeHead(200),
  });
  const server = await start({
    a: new EndpointsFactory(headOnly).build({ handler: async () => ({}) }),
  });
  await expect(server.send("/a")).rejects.toThrow("socket hang up");
  expect(server.linesOf("error").at(-1)?.message).toBe("Server fault");
});
