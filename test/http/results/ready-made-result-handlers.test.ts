import createHttpError from "http-errors";
import {
  arrayEndpointsFactory,
  arrayResultHandler,
  InputValidationError,
  problemEndpointsFactory,
  problemResultHandler,
} from "sallyport";
import { afterEach, describe, expect, test, vi } from "vitest";
import { z } from "zod";
import { start, type Answer } from "../harness.ts";

afterEach(() => vi.unstubAllEnvs());

const fail = (thrown: unknown) => (): never => {
  throw thrown;
};

const problem = (status: number, title: string, detail = title, more: object = {}): object => ({
  type: "about:blank",
  title,
  status,
  detail,
  ...more,
});

const notFound = problem(404, "Not Found", "Not Found", { code: "SLP_NOT_FOUND" });

const safetyHeaders = { "cache-control": "no-store", "x-content-type-options": "nosniff" };

const expectProblem = (answer: Answer, expected: object): void => {
  expect(answer.json()).toEqual(expected);
  expect(answer.json()).toHaveProperty("status", answer.status);
  expect(answer.headers).toMatchObject({
    ...safetyHeaders,
    "content-type": "application/problem+json; charset=utf-8",
    "content-length": String(Buffer.byteLength(answer.text)),
  });
};

/** Returns the response to an error that an endpoint of the problem factory throws. */
const throwProblem = async (thrown: unknown) => {
  const server = await start({ "": problemEndpointsFactory.build({ handler: fail(thrown) }) });
  return { server, answer: await server.send("/") };
};

const id = z.coerce.number();

describe("problemResultHandler", () => {
  test("on success sends the parsed output itself as JSON", async () => {
    const endpoint = problemEndpointsFactory.build({
      input: z.object({ id }),
      output: z.object({ id, at: z.date() }),
      handler: ({ input }) => ({ ...input, at: new Date(0), secret: true }),
    });
    const answer = await (await start({ ":id": endpoint })).send("/7");
    expect([answer.status, answer.text]).toEqual([200, '{"id":7,"at":"1970-01-01T00:00:00.000Z"}']);
    expect(answer.headers["content-type"]).toBe("application/json; charset=utf-8");
    expect(answer.headers).not.toHaveProperty("cache-control");
  });

  test("keeps another success status set by the handler, and sends {} if there is no output", async () => {
    const server = await start({
      created: problemEndpointsFactory.buildVoid({
        method: "post",
        handler: ({ response }) => response.status(201),
      }),
    });
    const answer = await server.send("/created", { method: "POST" });
    expect([answer.status, answer.json()]).toEqual([201, {}]);
  });

  test("sends a 400 for invalid input, with the issues as an extension member", async () => {
    const endpoint = problemEndpointsFactory.build({
      input: z.object({ id }),
      handler: () => ({}),
    });
    const answer = await (await start({ ":id": endpoint })).send("/x");
    const message = "Invalid input: expected number, received NaN";
    expectProblem(
      answer,
      problem(400, "Bad Request", `id: ${message}`, {
        code: "SLP_INPUT_INVALID",
        errors: [{ detail: message, parameter: "id" }],
        issues: [{ path: ["id"], message, code: "invalid_type" }],
      }),
    );
  });

  test("points at invalid parts of the body, and names other parameters", async () => {
    const input = z.object({
      id,
      name: z.string(),
      "a/b~ü": z.array(z.object({ x: z.number() })).optional(),
      limit: z.coerce.number().optional(),
      missing: z.string(),
      filter: z.object({ name: z.string() }).optional(),
    });
    const build = (method: "get" | "post") =>
      problemEndpointsFactory.build({
        method,
        input,
        inputSources: ["query", "body", "params"],
        handler: () => ({}),
      });
    const server = await start(
      { ":id": { get: build("get"), post: build("post") } },
      { queryParser: "extended" },
    );
    const listParts = async (method: string, query: string, body?: object) => {
      const answer = await server.send(`/x${query}`, { method, ...(body && { body }) });
      const { errors } = answer.json() as { readonly errors: readonly Record<string, string>[] };
      return errors.map(({ detail: _detail, ...part }) => part);
    };
    const body = { id: 1, name: 5, "a/b~ü": [{ x: "1" }] };
    expect(await listParts("POST", "?limit=x", body)).toEqual([
      { parameter: "id" },
      { pointer: "#/name" },
      { pointer: "#/a~1b~0%C3%BC/0/x" },
      { parameter: "limit" },
      { pointer: "#/missing" },
    ]);
    expect(await listParts("GET", "?filter[name][a]=1&name=n")).toEqual([
      { parameter: "id" },
      { parameter: "missing" },
      { parameter: "filter[name]" },
    ]);
  });

  test("describes invalid input although the query cannot be parsed or a key cannot be encoded", async () => {
    const handler = () => {
      const issue = { code: "custom" as const, path: ["a\ud800"], message: "bad" };
      throw new InputValidationError(new z.ZodError([issue]));
    };
    const server = await start({
      endpoint: problemEndpointsFactory.build({ method: "post", handler }),
    });
    const query = "a&".repeat(1500);
    const answer = await server.send(`/endpoint?${query}`, { method: "POST" });
    expect([answer.status, answer.json()]).toMatchObject([
      400,
      { errors: [{ detail: "bad", pointer: "#/a%EF%BF%BD" }] },
    ]);
  });

  test("sends the status, the message and the headers of an HTTP error, without issues", async () => {
    const headers = { "Retry-After": "7", "Content-Type": "text/html", "Cache-Control": "public" };
    const { answer } = await throwProblem(createHttpError(429, "Slow down", { headers }));
    expectProblem(answer, problem(429, "Too Many Requests", "Slow down"));
    expect(answer.headers["retry-after"]).toBe("7");
  });

  test("sends a 500 that reveals nothing about an error whose headers cannot be sent", async () => {
    const headers = { "x-bad": "a\r\nb: c" };
    const { answer, server } = await throwProblem(
      createHttpError(404, "Secret", { headers, problem: { secret: true } }),
    );
    expectProblem(answer, problem(500, "Internal Server Error"));
    expect(server.linesOf("error")).toHaveLength(1);
  });

  test("takes type, title, instance and further members from the property `problem` of an error", async () => {
    const own = { type: "https://example.com/credit", title: "Out of credit", instance: "/log/1" };
    const { answer } = await throwProblem(
      Object.assign(new Error("That costs 50"), {
        statusCode: 403,
        problem: { ...own, balance: 30, status: 200, detail: "mine", issues: "mine", errors: [] },
      }),
    );
    const { title, ...rest } = own;
    expectProblem(answer, problem(403, title, "That costs 50", { ...rest, balance: 30 }));
  });

  test.each([
    ["a string", "credit"],
    ["an array", [1]],
    ["null", null],
    ["members of wrong kinds", { type: 5, title: null, instance: {} }],
  ])("leaves out `problem` if it has the wrong form: %s", async (_what, own) => {
    const { answer } = await throwProblem(createHttpError(403, "No", { problem: own }));
    expectProblem(answer, problem(403, "Forbidden", "No"));
  });

  test("sends the members of a `problem` with its own toJSON, which is not called", async () => {
    const own = { balance: 30, toJSON: () => ({ secret: true }) };
    const { answer } = await throwProblem(createHttpError(403, "No", { problem: own }));
    expectProblem(answer, problem(403, "Forbidden", "No", { balance: 30 }));
  });

  const circular: { self?: object } = {};
  circular.self = circular;
  test.each([
    ["a BigInt", { n: 1n }, "problem.n is a BigInt"],
    ["a BigInt within", { n: { a: [1n] } }, "problem.n.a[0] is a BigInt"],
    ["a cycle", { n: circular }, "problem.n.self contains itself"],
    [
      "a toJSON that throws",
      {
        n: {
          toJSON: () => {
            throw new Error("no");
          },
        },
      },
      "problem.n has a toJSON that throws: Error: no",
    ],
    [
      "a getter that throws",
      {
        get n(): never {
          throw new Error("no");
        },
      },
      "problem.n throws when it is read: Error: no",
    ],
  ])("leaves out members that JSON cannot represent, and logs them: %s", async (...given) => {
    const [, own, fault] = given;
    const problems = Object.defineProperties(
      { balance: 30, title: "Mine" },
      Object.getOwnPropertyDescriptors(own),
    );
    const { answer, server } = await throwProblem(
      createHttpError(403, "No", { problem: problems }),
    );
    expectProblem(answer, problem(403, "Mine", "No", { balance: 30 }));
    expect(server.linesOf("error")).toMatchObject([
      { meta: { error: { message: expect.stringContaining(fault) as string } } },
    ]);
  });

  test("hides the message of a 5xx in production, unless it is exposed", async () => {
    vi.stubEnv("NODE_ENV", "production");
    const own = { problem: { type: "https://example.com/db", host: "db1" } };
    const hidden = await throwProblem(createHttpError(503, "db1 is down", own));
    expectProblem(hidden.answer, problem(503, "Service Unavailable"));
    const exposed = await throwProblem(createHttpError(503, "Later", { ...own, expose: true }));
    expectProblem(exposed.answer, problem(503, "Service Unavailable", "Later", own.problem));
  });

  test("sends a 500 for an output that JSON cannot represent, and for a thrown value without a status", async () => {
    const endpoint = problemEndpointsFactory.build({ handler: () => ({ n: 1n }) });
    const server = await start({ "": endpoint });
    const detail = "The output cannot be serialised as JSON: output.n is a BigInt";
    expectProblem(await server.send("/"), problem(500, "Internal Server Error", detail));
    expect(server.linesOf("error")).toHaveLength(1);
    const { answer } = await throwProblem(new Error("boom"));
    expectProblem(answer, problem(500, "Internal Server Error", "boom"));
  });

  test("sends the same bodies and types in an application that uses ETags and formats JSON", async () => {
    const server = await start(
      { ok: problemEndpointsFactory.build({ handler: () => ({ a: 1 }) }) },
      {
        etag: true,
        errorHandler: problemResultHandler,
        beforeRouting: ({ app }) => void app.set("json spaces", 1),
      },
    );
    const ok = await server.send("/ok");
    expect([ok.text, ok.headers["content-type"]]).toEqual([
      '{\n "a": 1\n}',
      "application/json; charset=utf-8",
    ]);
    expectProblem(await server.send("/nowhere"), notFound);
  });

  test("handles a 404, a 405, malformed JSON and malformed paths as `errorHandler`", async () => {
    const endpoint = problemEndpointsFactory.build({ method: "post", handler: () => ({}) });
    const server = await start({ a: endpoint }, { errorHandler: problemResultHandler });
    expectProblem(await server.send("/b"), notFound);
    const title = "Method Not Allowed";
    const wrongMethod = await server.send("/a", { method: "PUT" });
    expectProblem(wrongMethod, problem(405, title, title, { code: "SLP_METHOD_NOT_ALLOWED" }));
    expect(wrongMethod.headers.allow).toBe("POST");
    const malformed = await server.send("/a", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: "{",
    });
    const bad = (detail: string, code: string) => problem(400, "Bad Request", detail, { code });
    expectProblem(malformed, bad("Invalid JSON", "SLP_BODY_MALFORMED_JSON"));
    expectProblem(await server.send("/%zz"), bad("Malformed path", "SLP_PATH_MALFORMED"));
  });

  test("declares the output itself and problem details for OpenAPI documents", () => {
    const output = z.object({ id });
    expect(problemResultHandler.listPositive(output)).toEqual([
      { schema: output, mimeType: "application/json" },
    ]);
    const [negative] = problemResultHandler.listNegative();
    expect(negative?.mimeType).toBe("application/problem+json");
    const schema = negative?.schema as unknown as z.ZodType;
    const body = problem(400, "Bad Request", "x", { balance: 30 });
    expect(schema.parse(body)).toEqual(body);
    expect(schema.safeParse({ ...body, status: "400" }).success).toBe(false);
  });
});

const items = z.array(z.object({ id }));

describe("arrayResultHandler", () => {
  const expectText = (answer: Answer, status: number, text: string): void => {
    expect([answer.status, answer.text]).toEqual([status, text]);
    expect(answer.headers).toMatchObject({
      ...safetyHeaders,
      "content-type": "text/plain; charset=utf-8",
    });
  };

  test("on success sends the parsed array `items` as JSON", async () => {
    const endpoint = arrayEndpointsFactory.build({
      output: z.object({ items, total: z.number() }),
      handler: () => ({ items: [{ id: "1", secret: true }, { id: 2 }], total: 2 }),
    });
    const answer = await (await start({ "": endpoint })).send("/");
    expect([answer.status, answer.text]).toEqual([200, '[{"id":1},{"id":2}]']);
    expect(answer.headers["content-type"]).toBe("application/json; charset=utf-8");
  });

  test("sends errors as plain text, with their headers", async () => {
    const headers = { "Retry-After": "7" };
    const server = await start(
      {
        busy: arrayEndpointsFactory.build({
          handler: fail(createHttpError(429, "<b>Slow</b>", { headers })),
        }),
        ":id": arrayEndpointsFactory.build({
          input: z.object({ id }),
          handler: () => ({ items: [] }),
        }),
      },
      { errorHandler: arrayResultHandler },
    );
    const busy = await server.send("/busy");
    expectText(busy, 429, "<b>Slow</b>");
    expect(busy.headers["retry-after"]).toBe("7");
    expectText(await server.send("/x"), 400, "id: Invalid input: expected number, received NaN");
    expectText(await server.send("/a/b"), 404, "Not Found");
    const head = await server.send("/busy", { method: "HEAD" });
    expect([head.status, head.text, head.headers["content-length"]]).toEqual([429, "", "11"]);
  });

  test("sends a non-ASCII error message unchanged", async () => {
    const endpoint = arrayEndpointsFactory.build({
      handler: fail(createHttpError(409, "schön €")),
    });
    expectText(await (await start({ "": endpoint })).send("/"), 409, "schön €");
  });

  test.each([
    ["is missing", {}],
    ["is not an array", { items: { 0: "a" } }],
  ])("sends a plain-text 500 if `items` %s, and logs one line", async (_what, output) => {
    const server = await start({
      // the compiler rejects this output
      "": arrayEndpointsFactory.build({ handler: (() => output) as never }),
    });
    expectText(await server.send("/"), 500, "Internal Server Error");
    const [line, ...others] = server.linesOf("error");
    expect(others).toEqual([]);
    expect(line?.meta).toMatchObject({
      error: { code: "SLP_OUTPUT_INVALID", message: expect.stringContaining("output.items: ") },
    });
  });

  test("sends a 500 in plain text for items that JSON cannot represent, and logs one line", async () => {
    const endpoint = arrayEndpointsFactory.build({ handler: () => ({ items: [1n] }) });
    const server = await start({ "": endpoint });
    expectText(
      await server.send("/"),
      500,
      "The output cannot be serialised as JSON: output.items[0] is a BigInt",
    );
    expect(server.linesOf("error")).toHaveLength(1);
  });

  test("declares the schema of the items for OpenAPI documents, through wrappers, transformations and unions", () => {
    const list = (schema: z.ZodType) => arrayResultHandler.listPositive(schema)[0]?.schema;
    expect(list(z.object({ items }))).toBe(items);
    expect(list(z.object({ total: z.number() }).and(z.object({ items })))).toBe(items);
    expect(list(z.preprocess((value) => value, z.object({ items })))).toBe(items);
    const either = list(z.union([z.object({ items }), z.object({ items: z.tuple([]) })]));
    expect((either as unknown as z.ZodType).parse([])).toEqual([]);
    const any = list(z.object({ a: id }).transform(() => ({ items: [] })));
    expect((any as unknown as z.ZodType).parse([1, "a"])).toEqual([1, "a"]);
    const [positive] = arrayResultHandler.listPositive(z.object({ items }));
    expect(positive?.mimeType).toBe("application/json");
    expect(arrayResultHandler.listNegative()[0]?.mimeType).toBe("text/plain");
  });
});

test.each<[string, object]>([
  ["an object", { "retry-after": "5" }],
  ["Headers", new Headers({ "retry-after": "5" })],
  ["a Map", new Map([["retry-after", "5"]])],
])("the headers of an error may be %s", async (_name, headers) => {
  const { answer } = await throwProblem(Object.assign(new Error("Busy"), { status: 429, headers }));
  expect([answer.status, answer.headers["retry-after"]]).toEqual([429, "5"]);
});

test("headers of an error that cannot be read are left out", async () => {
  const headers = {
    get "retry-after"(): string {
      throw new Error("Oh");
    },
  };
  const { answer } = await throwProblem(Object.assign(new Error("Busy"), { status: 429, headers }));
  expectProblem(answer, problem(429, "Too Many Requests", "Busy"));
});
