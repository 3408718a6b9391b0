import createHttpError from "http-errors";
import {
  defaultEndpointsFactory,
  EndpointsFactory,
  Middleware,
  ResultHandler,
  type AnyEndpoint,
  type AccessedReply,
  type Logger,
  type ServerConfig,
} from "sallyport";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import {
  createRecorder,
  errorEnvelope,
  start,
  successEnvelope,
  type Line,
  type Sent,
} from "../harness.ts";

const factory = defaultEndpointsFactory;
const text = z.string();
const missing = (name: string) => `${name}: Invalid input: expected string, received undefined`;
const fail = (error: unknown) => (): never => {
  throw error;
};

/** Serves one endpoint at / and /:id, sends one request, and returns the status and the body. */
const ask = async (
  endpoint: AnyEndpoint,
  target: string,
  sent: Sent = {},
): Promise<{ status: number; body: unknown }> => {
  const server = await start({ "": endpoint, ":id": endpoint });
  const answer = await server.send(target, sent);
  return { status: answer.status, body: answer.json() };
};
const ok = (data: object) => ({ status: 200, body: successEnvelope(data) });
const failed = (status: number, message: string) => ({ status, body: errorEnvelope(message) });

/** Creates schemas that count how often they parse a field. */
const createCounter = () => {
  const counts: Record<string, number> = {};
  const counted = (name: string) =>
    text.transform((value) => {
      counts[name] = (counts[name] ?? 0) + 1;
      return value;
    });
  return { counts, counted };
};

describe("the order of the stages", () => {
  const createTraced = () => {
    const stages: string[] = [];
    const trace = (name: string) => (value: string) => {
      stages.push(name);
      return value;
    };
    const resultHandler = new ResultHandler({
      positive: z.object({}),
      negative: z.object({}),
      handler: ({ error, output, response }) => {
        stages.push(error ? "7. error path" : "7. success path");
        response.status(error?.statusCode ?? 200).json(error ? error.message : output);
      },
    });
    const endpoint = new EndpointsFactory(resultHandler)
      .addMiddleware({
        input: z.object({ a: text.transform(trace("3. its input")) }),
        handler: ({ input }) => {
          stages.push("3. first middleware");
          if (input.a === "3a") throw createHttpError(401, "3a");
          return { a: input.a };
        },
      })
      .addMiddleware({ handler: () => void stages.push("3. second middleware") })
      .build({
        input: z.object({ b: text.transform(trace("4. validate input")) }),
        output: z.object({ c: text.transform(trace("6. validate output")) }),
        handler: ({ input }) => {
          stages.push("5. handler");
          if (input.a === "5a") throw createHttpError(404, "5a");
          return { c: input.a === "6a" ? (6 as never) : "done" };
        },
      });
    return { stages, endpoint };
  };
  const middlewares = ["3. its input", "3. first middleware", "3. second middleware"];
  const toHandler = [...middlewares, "4. validate input", "5. handler"];

  it.each([
    ["success", "?a=1&b=2", 200, [...toHandler, "6. validate output", "7. success path"]],
    ["an error in a middleware", "?a=3a&b=2", 401, [...middlewares.slice(0, 2), "7. error path"]],
    ["invalid input", "?a=1", 400, [...middlewares, "7. error path"]],
    ["an error in the handler", "?a=5a&b=2", 404, [...toHandler, "7. error path"]],
    ["invalid output", "?a=6a&b=2", 500, [...toHandler, "7. error path"]],
  ])("%s", async (_case, query, status, expected) => {
    const { stages, endpoint } = createTraced();
    expect((await ask(endpoint, `/${query}`)).status).toBe(status);
    expect(stages).toEqual(expected);
  });
});

describe("stage 1: parsing the request", () => {
  const endpoint = factory.build({
    method: "post",
    handler: ({ request }) => ({
      body: request.body as object,
      query: { ...request.query },
      params: { ...request.params },
      header: request.get("x-name"),
    }),
  });
  it.each([
    ["JSON", "application/json", '{"a":"1"}'],
    ["form", "application/x-www-form-urlencoded", "a=1"],
  ])("%s: the body, the query, path parameters and headers are read", async (_kind, type, body) => {
    const headers = { "content-type": type, "x-name": "ann" };
    expect(await ask(endpoint, "/7?q=2", { method: "POST", headers, body })).toEqual(
      ok({ body: { a: "1" }, query: { q: "2" }, params: { id: "7" }, header: "ann" }),
    );
  });

  it("a body that cannot be parsed gets a 400", async () => {
    const sent = { method: "POST", headers: { "content-type": "application/json" }, body: "{" };
    expect(await ask(endpoint, "/", sent)).toEqual(failed(400, "Invalid JSON"));
  });
});

describe("stage 2: combining the input", () => {
  it("the sources of the method are merged into one input object", async () => {
    const endpoint = factory.build({
      method: ["get", "post"],
      input: z.object({ id: text, a: text.optional(), b: text.optional() }),
      handler: ({ input }) => input,
    });
    const sent = { method: "POST", body: { b: "body" } };
    expect(await ask(endpoint, "/7?a=query")).toEqual(ok({ id: "7", a: "query" }));
    expect(await ask(endpoint, "/7?a=query", sent)).toEqual(ok({ id: "7", b: "body" }));
  });
});

describe("stage 3: middlewares", () => {
  it("run in order, and their results are added to ctx", async () => {
    const endpoint = factory
      .addContext(async () => Promise.resolve({ order: ["first"] }))
      .addContext(({ order }) => ({ order: [...order, "second"] }))
      .build({ handler: ({ ctx }) => ctx });
    expect(await ask(endpoint, "/")).toEqual(ok({ order: ["first", "second"] }));
  });

  it("send the status of an error that they throw, and a 401 takes precedence over a 400", async () => {
    const endpoint = factory
      .addMiddleware({ handler: fail(createHttpError(401, "who are you")) })
      .build({ input: z.object({ a: text }), handler: () => ({}) });
    expect(await ask(endpoint, "/")).toEqual(failed(401, "who are you"));
  });
});

describe("every schema is parsed exactly once per request", () => {
  const times = 20;

  it.each([
    ["valid", "&b=1&c=1", 200],
    ["rejected by the middleware", "", 400],
    ["rejected by the endpoint", "&b=1", 400],
  ])("in %s requests, both at first and once the schemas are hot", async (_case, query, status) => {
    const { counts, counted } = createCounter();
    const endpoint = factory
      .addMiddleware({ input: z.object({ a: counted("a"), b: text }), handler: () => ({}) })
      .build({
        input: z.object({ a: counted("own a"), c: text }),
        output: z.object({ d: counted("d") }),
        handler: () => ({ d: "1" }),
      });
    const server = await start({ "": endpoint });
    for (let index = 0; index < times; index++)
      expect((await server.send(`/?a=1${query}`)).status).toBe(status);
    expect(counts).toEqual({
      a: times,
      ...(query.includes("b") && { "own a": times }),
      ...(query.includes("c") && { d: times }),
    });
  });

  it("even if it is asynchronous", async () => {
    let [input, output] = [0, 0];
    const endpoint = factory.build({
      input: z.object({ a: text.refine(async () => Promise.resolve(++input)) }),
      output: z.object({ b: text.transform(async () => Promise.resolve(++output)) }),
      handler: () => ({ b: "1" }),
    });
    const server = await start({ "": endpoint });
    for (let index = 1; index <= times; index++)
      expect((await server.send("/?a=1")).json()).toEqual(successEnvelope({ b: index }));
    expect([input, output]).toEqual([times, times]);
  });

  it("even if a branch turns out to be asynchronous when the schema is hot", async () => {
    const { counts, counted } = createCounter();
    let checks = 0;
    const later = text.refine(() => Promise.resolve(++checks) as unknown).optional();
    const endpoint = factory.build({
      input: z.object({ a: counted("a"), later }),
      handler: ({ input }) => input,
    });
    const server = await start({ "": endpoint });
    for (let index = 0; index < times; index++) await server.send("/?a=1");
    const answer = await server.send("/?a=1&later=2");
    expect(answer.json()).toEqual(successEnvelope({ a: "1", later: "2" }));
    expect([counts, checks]).toEqual([{ a: times + 1 }, 1]);
  });

  it("and the endpoint's parsed fields take precedence over those of middlewares in the handler's input", async () => {
    const numeric = text.transform(Number);
    const endpoint = factory
      .addMiddleware({ input: z.object({ a: numeric, same: numeric }), handler: () => ({}) })
      .addMiddleware({ input: z.object({ b: text.toUpperCase() }), handler: () => ({}) })
      .build({
        input: z.object({ c: text, same: text.transform((value) => `own ${value}`) }),
        handler: ({ input }) => input,
      });
    expect(await ask(endpoint, "/?a=1&b=x&c=y&same=3&other=4")).toEqual(
      ok({ a: 1, b: "X", c: "y", same: "own 3" }),
    );
  });

  it("and an endpoint's input that is a class instance stays one, and its fields take precedence", async () => {
    class Own {
      readonly same = "own";
      get isOwn(): boolean {
        return this.same === "own";
      }
    }
    const endpoint = factory
      .addMiddleware({ input: z.object({ a: text, same: text }), handler: () => ({}) })
      .build({
        input: z.object({ same: text }).transform(() => new Own()),
        handler: ({ input }) => ({ ...input, isOwn: input.isOwn }),
      });
    expect(await ask(endpoint, "/?a=1&same=2")).toEqual(ok({ a: "1", same: "own", isOwn: true }));
  });

  it("a class instance that an input schema creates stays one, even if middlewares add fields to the input", async () => {
    class Name {
      readonly text: string;
      constructor(text: string) {
        this.text = text;
      }
      up(): string {
        return this.text.toUpperCase();
      }
    }
    const endpoint = factory
      .addMiddleware(
        new Middleware({ input: z.object({ key: z.string() }), handler: async () => ({}) }),
      )
      .build({
        input: z.object({ name: z.string() }).transform(({ name }) => new Name(name)),
        handler: async ({ input }) => ({ up: input.up(), key: input.key }),
      });
    const answer = await (await start({ a: endpoint })).send("/a?name=ada&key=k");
    expect(answer.json()).toEqual(successEnvelope({ up: "ADA", key: "k" }));
  });

  const key = z.object({ key: text });
  it.each([
    ["an object", key],
    ["an intersection", key.and(z.object({}))],
    ["a transformation", key.transform(({ key }) => ({ key }))],
    ["a preprocessed object", z.preprocess((value) => value, key)],
  ])(
    "and a strict endpoint accepts the fields that a middleware declares: %s",
    async (_kind, input) => {
      const endpoint = factory
        .addMiddleware({ input, handler: () => ({}) })
        .build({ input: z.strictObject({ a: text }), handler: ({ input }) => ({ ...input }) });
      expect(await ask(endpoint, "/?a=1&key=k")).toEqual(ok({ a: "1", key: "k" }));
      expect(await ask(endpoint, "/?a=1&key=k&x=1")).toMatchObject({
        status: 400,
        body: { error: { message: 'Unrecognized key: "x"' } },
      });
    },
  );
});

describe("stage 4: validating the input", () => {
  const endpoint = factory.build({
    input: z.object({ a: text.transform(Number), b: text.default("none") }),
    handler: ({ input }) => input,
  });

  it("the handler receives the value that the schema returns", async () => {
    expect(await ask(endpoint, "/?a=1&other=2")).toEqual(ok({ a: 1, b: "none" }));
  });

  it("an invalid input gets a 400 with the issues", async () => {
    const message = missing("a");
    const issue = { path: ["a"], message: message.slice("a: ".length), code: "invalid_type" };
    expect(await ask(endpoint, "/")).toEqual({
      status: 400,
      body: { status: "error", error: { message, code: "SLP_INPUT_INVALID", issues: [issue] } },
    });
  });
});

describe("stage 4: more invalid values than Zod can handle, with a raised `bodyLimit.values`", () => {
  const list = Array.from({ length: 300_000 }, () => "");
  const numbers = z.object({ list: z.array(z.number()) });
  const post = async (inner: z.ZodType) => {
    const input = z.object({ inner });
    const bodyLimit = { values: 500_000 };
    const own = factory.build({ method: "post", input, bodyLimit, handler: () => ({}) });
    return ask(own, "/", { method: "POST", body: { inner: { list } } });
  };

  it.each([
    ["a field", numbers],
    ["a union", z.union([text, numbers])],
  ])("in %s get a 400 with a fixed message", async (_name, inner) => {
    expect(await post(inner)).toEqual(failed(400, "Too many invalid values"));
  });

  it("reported by a refinement get a 400 with a fixed message", async () => {
    const reported = z.object({ list: z.array(text) }).check(({ value, issues }) => {
      for (const input of value.list) issues.push({ code: "custom", message: "wrong", input });
    });
    expect(await post(reported)).toEqual(failed(400, "Too many invalid values"));
  });

  it("reported by an asynchronous refinement inside a field get a 400 with a fixed message", async () => {
    const reported = z.object({
      list: z.array(text).check(async ({ value, issues }) => {
        await Promise.resolve();
        for (const input of value) issues.push({ code: "custom", message: "wrong", input });
      }),
    });
    expect(await post(reported)).toEqual(failed(400, "Too many invalid values"));
  });
});

describe("stage 5: the handler", () => {
  it.each([
    ["an HTTP error with its status", createHttpError(404, "No such user"), 404, "No such user"],
    ["an Error with a status", Object.assign(new Error("no"), { status: 409 }), 409, "no"],
    ["an Error without a status, as a 500", new Error("broken"), 500, "broken"],
    ["a value that is not an Error, as a 500", "just text", 500, "just text"],
  ])("the response has the status of a thrown error: %s", async (_case, error, status, message) => {
    expect(await ask(factory.build({ handler: fail(error) }), "/")).toEqual(
      failed(status, message),
    );
    const rejecting = factory.build({ handler: async () => fail(error)() });
    expect(await ask(rejecting, "/")).toEqual(failed(status, message));
  });

  it("a ZodError thrown in a handler is not invalid input, and gets a 500", async () => {
    const handler = () => ({ a: z.number().parse("1") });
    expect((await ask(factory.build({ handler }), "/")).status).toBe(500);
  });

  it("after requestTimeout, a 503 is sent, the signal is aborted, and the late result is ignored", async () => {
    const signals: AbortSignal[] = [];
    const sleep = async ({ signal }: { signal: AbortSignal }) => {
      signals.push(signal);
      await new Promise((resolve) => setTimeout(resolve, 60));
      return { late: true };
    };
    const server = await start(
      {
        slow: factory.build({ handler: sleep }),
        patient: factory.build({ timeout: 60_000, handler: sleep }),
      },
      { requestTimeout: 20 },
    );
    const answer = await server.send("/slow");
    expect([answer.status, answer.json()]).toEqual([503, errorEnvelope("Service Unavailable")]);
    expect(signals[0]?.aborted).toBe(true);
    const patient = await server.send("/patient");
    expect(patient.json()).toEqual(successEnvelope({ late: true }));
    expect(server.linesOf("error")).toHaveLength(1);
  });
});

describe("stage 6: validating the output", () => {
  const output = z.object({ a: text });

  it("the value that the schema returns is sent", async () => {
    const endpoint = factory.build({ output, handler: () => ({ a: "1", secret: "2" }) });
    expect(await ask(endpoint, "/")).toEqual(ok({ a: "1" }));
  });

  it("an invalid output gets a 500, and one error is logged", async () => {
    const server = await start({ "": factory.build({ output, handler: () => ({}) as never }) });
    const answer = await server.send("/");
    expect([answer.status, answer.json()]).toEqual([500, errorEnvelope(`output.${missing("a")}`)]);
    expect(server.linesOf("error")).toHaveLength(1);
  });

  it.each([[["x"]], ["text"], [5], [null]])(
    "the output %j without a schema gets a 500",
    async (output) => {
      const endpoint = factory.build({ handler: async () => output as never });
      expect((await (await start({ a: endpoint })).send("/a")).status).toBe(500);
    },
  );
});

describe("stage 7: the result handler", () => {
  it.each([
    ["a success", () => ({}), 200],
    ["an error", fail(createHttpError(403, "no")), 403],
  ])(
    "sets the status, the CORS headers and the content type of %s",
    async (_path, handler, status) => {
      const server = await start({ "": factory.build({ handler }) }, { cors: true });
      const answer = await server.send("/");
      expect(answer.status).toBe(status);
      expect(answer.headers).toMatchObject({
        "access-control-allow-origin": "*",
        "content-type": "application/json; charset=utf-8",
      });
    },
  );
});

describe("every request: configuration accessLogger and childLoggerProvider", () => {
  it.each([
    ["absent: a debug line has the method and the path, also for a 404", undefined, ["GET: /a"]],
    ["a function: it receives the request and the logger", (r, l) => l.debug(r.url), ["/a?b"]],
    ["null: nothing is logged", null, []],
  ] as [string, ServerConfig["accessLogger"], string[]][])(
    "accessLogger %s",
    async (_case, accessLogger, expected) => {
      const server = await start({}, { accessLogger });
      expect((await server.send("/a?b")).status).toBe(404);
      const messages = server.linesOf("debug").map(({ message }) => message);
      expect(messages.filter((message) => message !== "Request refused")).toEqual(expected);
    },
  );

  const chatty = factory.build({ handler: ({ logger }) => void logger.info("hi") });
  it.each([
    ["a logger: the handlers and the access log use it", (child: Logger) => child, true],
    ["a promise of a logger", async (child: Logger) => child, true],
    ["nothing: the parent logger is used", () => undefined as never, false],
  ])("childLoggerProvider returns %s", async (_case, provide, isChild) => {
    const child = createRecorder();
    const server = await start(
      { chatty },
      { startupLogo: false, childLoggerProvider: () => provide(child.logger) },
    );
    await server.send("/chatty");
    const { lines } = isChild ? child : server;
    await expect.poll(() => lines.map(({ message }) => message)).toEqual(["hi", "GET: /chatty"]);
    const [, { meta }] = lines as [Line, Line];
    const { status, bytes, milliseconds } = meta as AccessedReply;
    expect([status, bytes > 100, milliseconds >= 0]).toEqual([200, true, true]);
    expect(isChild ? server.lines : child.lines).toEqual([]);
  });

  it("a child logger is also used for requests that reach no endpoint", async () => {
    const child = createRecorder();
    const server = await start(
      {},
      { startupLogo: false, accessLogger: null, childLoggerProvider: () => child.logger },
    );
    expect((await server.send("/none")).status).toBe(404);
    expect(child.lines.map(({ message }) => message)).toEqual(["Request refused"]);
    expect(server.lines).toEqual([]);
  });

  it("an error that childLoggerProvider throws is sent with its status", async () => {
    const provider = fail(createHttpError(418, "it fails"));
    for (const childLoggerProvider of [provider, async () => provider()]) {
      const answer = await (await start({ chatty }, { childLoggerProvider })).send("/chatty");
      expect([answer.status, answer.json()]).toEqual([418, errorEnvelope("it fails")]);
    }
  });
});
