import createHttpError from "http-errors";
import { defaultEndpointsFactory, DefinitionError, Middleware, type AnyEndpoint } from "sallyport";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { errorEnvelope, start, successEnvelope, type Sent } from "../harness.ts";

const factory = defaultEndpointsFactory;

/** Serves one endpoint at /, sends one request, and returns the status and the body. */
const ask = async (
  endpoint: AnyEndpoint,
  query: string,
  sent: Sent = {},
): Promise<{ status: number; body: unknown }> => {
  const server = await start({ "": endpoint });
  const answer = await server.send(`/${query}`, sent);
  return { status: answer.status, body: answer.json() };
};
const ok = (data: object) => ({ status: 200, body: successEnvelope(data) });
const invalid = (...messages: string[]) => ({
  status: 400,
  body: {
    status: "error",
    error: {
      message: messages.join("; "),
      code: "SLP_INPUT_INVALID",
      issues: messages.map(() => expect.any(Object)),
    },
  },
});

describe("endpoint definition: method", () => {
  const all = ["get", "post", "put", "patch", "delete"] as const;

  it.each(all)("%s: serves that method alone", async (method) => {
    const endpoint = factory.build({ method, handler: ({ request }) => ({ is: request.method }) });
    const server = await start({ "": endpoint });
    for (const other of all) {
      const answer = await server.send("/", { method: other.toUpperCase() });
      expect([answer.status, answer.json()]).toEqual(
        other === method
          ? [200, successEnvelope({ is: method.toUpperCase() })]
          : [405, errorEnvelope("Method Not Allowed")],
      );
    }
  });

  it("several: serves each of them", async () => {
    const handler = ({ request }: { request: { method: string } }) => ({ is: request.method });
    const server = await start({ "": factory.build({ method: ["post", "put"], handler }) });
    for (const method of ["POST", "PUT"])
      expect((await server.send("/", { method })).json()).toEqual(successEnvelope({ is: method }));
    const refused = await server.send("/");
    expect([refused.status, refused.headers.allow]).toEqual([405, "POST, PUT"]);
  });

  it("a repeated method counts once", async () => {
    expect(await ask(factory.build({ method: ["get", "get"], handler: () => ({}) }), "")).toEqual(
      ok({}),
    );
  });

  it("absent: serves GET at a plain key, and otherwise the method of the key", async () => {
    const endpoint = factory.build({ handler: () => ({}) });
    const server = await start({ plain: endpoint, keyed: { post: endpoint } });
    expect((await server.send("/plain")).status).toBe(200);
    expect((await server.send("/plain", { method: "POST" })).status).toBe(405);
    expect((await server.send("/keyed", { method: "POST" })).status).toBe(200);
    expect((await server.send("/keyed")).status).toBe(405);
  });
});

describe("endpoint definition: input", () => {
  const echo = (input: z.ZodType<Record<string, unknown>>): AnyEndpoint =>
    factory.build({ method: ["get", "post"], input, handler: ({ input }) => ({ got: input }) });
  const got = (input: object) => ok({ got: input });

  it("absent: the handler's input is {}", async () => {
    const endpoint = factory.build({ handler: ({ input }) => ({ got: input }) });
    expect(await ask(endpoint, "?a=1")).toEqual(got({}));
  });

  it("an object schema: undeclared fields are stripped", async () => {
    expect(await ask(echo(z.object({ a: z.string() })), "?a=1&b=2")).toEqual(got({ a: "1" }));
  });

  it("a strict object rejects other fields, and a loose object keeps them", async () => {
    expect(await ask(echo(z.strictObject({ a: z.string() })), "?a=1&b=2")).toEqual(
      invalid('Unrecognized key: "b"'),
    );
    expect(await ask(echo(z.looseObject({ a: z.string() })), "?a=1&b=2")).toEqual(
      got({ a: "1", b: "2" }),
    );
  });

  it("optional fields and defaults", async () => {
    const endpoint = echo(z.object({ a: z.string().optional(), b: z.string().default("none") }));
    expect(await ask(endpoint, "")).toEqual(got({ b: "none" }));
    expect(await ask(endpoint, "?a=1&b=2")).toEqual(got({ a: "1", b: "2" }));
  });

  it("a transformation from string to number", async () => {
    const id = z.string().transform((text) => Number.parseInt(text, 10));
    const input = z.object({ id });
    const handler = ({ input }: { input: { id: number } }) => ({ next: input.id + 1 });
    expect(await ask(factory.build({ input, handler }), "?id=41")).toEqual(ok({ next: 42 }));
  });

  it("a refinement of a field, with its message", async () => {
    const even = z.coerce.number().refine((n) => n % 2 === 0, "must be even");
    const endpoint = echo(z.object({ n: even }));
    expect(await ask(endpoint, "?n=2")).toEqual(got({ n: 2 }));
    expect(await ask(endpoint, "?n=3")).toEqual(invalid("n: must be even"));
  });

  it("a refinement of the whole object, with message and path", async () => {
    const endpoint = echo(
      z
        .object({ a: z.string(), b: z.string() })
        .refine(({ a, b }) => a === b, { message: "must equal a", path: ["b"] }),
    );
    expect(await ask(endpoint, "?a=1&b=1")).toEqual(got({ a: "1", b: "1" }));
    expect(await ask(endpoint, "?a=1&b=2")).toEqual(invalid("b: must equal a"));
  });

  it("descriptions have no effect", async () => {
    const endpoint = echo(z.object({ a: z.string().describe("a string") }).describe("an input"));
    expect(await ask(endpoint, "?a=1")).toEqual(got({ a: "1" }));
  });

  const [first, second] = [z.object({ a: z.string() }), z.object({ b: z.coerce.number() })];
  it.each([
    [".and()", first.and(second)],
    [".merge()", first.merge(second)],
    [".extend()", first.extend({ b: z.coerce.number() })],
    ["z.intersection()", z.intersection(first, second)],
  ])("composition with %s", async (_name, schema) => {
    expect(await ask(echo(schema), "?a=1&b=2&c=3")).toEqual(got({ a: "1", b: 2 }));
    expect(await ask(echo(schema), "?b=2")).toEqual(
      invalid("a: Invalid input: expected string, received undefined"),
    );
  });

  it("a union of objects: the option that fits is used", async () => {
    const endpoint = echo(z.union([first, z.object({ c: z.literal("x") })]));
    expect(await ask(endpoint, "?a=1")).toEqual(got({ a: "1" }));
    expect(await ask(endpoint, "?c=x")).toEqual(got({ c: "x" }));
    // an option that lacks a field is closer than one whose literal differs
    expect(await ask(endpoint, "?c=y")).toEqual(
      invalid("a: Invalid input: expected string, received undefined"),
    );
  });

  it("a discriminated union", async () => {
    const option = <K extends string>(kind: K) =>
      z.object({ kind: z.literal(kind), [kind]: z.string() });
    const endpoint = echo(z.discriminatedUnion("kind", [option("a"), option("b")]));
    expect(await ask(endpoint, "?kind=b&b=1&a=2")).toEqual(got({ kind: "b", b: "1" }));
  });

  it("a record", async () => {
    const endpoint = echo(z.record(z.string(), z.coerce.number()));
    expect(await ask(endpoint, "?a=1&b=2")).toEqual(got({ a: 1, b: 2 }));
  });

  it("a top-level transformation to another object", async () => {
    const input = z.object({ first_name: z.string() }).transform(({ first_name }) => ({
      name: first_name.toUpperCase(),
    }));
    const handler = ({ input }: { input: { name: string } }) => ({ ...input });
    expect(await ask(factory.build({ input, handler }), "?first_name=ann")).toEqual(
      ok({ name: "ANN" }),
    );
  });

  it("a pipe to another object", async () => {
    const input = first.transform(({ a }) => ({ n: Number(a) })).pipe(z.object({ n: z.int() }));
    expect(await ask(echo(input), "?a=5")).toEqual(got({ n: 5 }));
    expect(await ask(echo(input), "?a=x")).toEqual(
      invalid("n: Invalid input: expected number, received NaN"),
    );
  });

  it("asynchronous refinements and transformations", async () => {
    const endpoint = echo(
      z.object({
        a: z
          .string()
          .refine(async (text) => Promise.resolve(text !== "taken"), "is taken")
          .transform(async (text) => Promise.resolve(`${text}!`)),
      }),
    );
    expect(await ask(endpoint, "?a=1")).toEqual(got({ a: "1!" }));
    expect(await ask(endpoint, "?a=taken")).toEqual(invalid("a: is taken"));
  });

  it("issues are joined in the message, and listed with path, message and code", async () => {
    const endpoint = echo(z.object({ a: z.string(), deep: z.object({ l: z.array(z.number()) }) }));
    const sent = { method: "POST", body: { deep: { l: [1, "2"] } } };
    const [a, l] = ["string, received undefined", "number, received string"].map(
      (rest) => `Invalid input: expected ${rest}`,
    );
    expect(await ask(endpoint, "", sent)).toEqual({
      status: 400,
      body: {
        status: "error",
        error: {
          message: `a: ${a}; deep.l[1]: ${l}`,
          code: "SLP_INPUT_INVALID",
          issues: [
            { path: ["a"], message: a, code: "invalid_type" },
            { path: ["deep", "l", 1], message: l, code: "invalid_type" },
          ],
        },
      },
    });
  });

  it.each([
    ["an HTTP error gets its status", createHttpError(422, "cannot"), 422],
    ["another error gets a 500", new Error("cannot"), 500],
  ])("a transformation that throws %s", async (_case, error, status) => {
    const thrower = z.object({ a: z.string() }).transform((): Record<string, unknown> => {
      throw error;
    });
    expect(await ask(echo(thrower), "?a=1")).toEqual({ status, body: errorEnvelope("cannot") });
  });
});

describe("endpoint definition: output", () => {
  const give = (output: z.ZodType, value: unknown): AnyEndpoint =>
    factory.build({ output: output as z.ZodObject, handler: () => value as never });
  const numbers = z.object({ n: z.number() });

  it.each([
    ["an object is passed through", { a: { b: [1] } }, { a: { b: [1] } }],
    ["undefined becomes {}", undefined, {}],
  ])("without a schema, %s", async (_case, value, expected) => {
    const endpoint = factory.build({ handler: async () => value });
    expect(await ask(endpoint, "")).toEqual(ok(expected));
  });

  it.each([
    ["an object drops other fields", numbers, { n: 1, secret: 2 }, { n: 1 }],
    ["a loose object keeps other fields", z.looseObject({}), { n: 1 }, { n: 1 }],
    ["a record", z.record(z.string(), z.number()), { a: 1, b: 2 }, { a: 1, b: 2 }],
    ["a union", z.union([z.object({ s: z.string() }), numbers]), { n: 1 }, { n: 1 }],
    ["defaults are filled in", z.object({ n: z.number().default(3) }), {}, { n: 3 }],
    ["a field is transformed", z.object({ n: z.number().transform(String) }), { n: 1 }, { n: "1" }],
    [
      "a whole object is transformed",
      numbers.transform(({ n }) => ({ m: n + 1 })),
      { n: 1 },
      { m: 2 },
    ],
    [
      "an asynchronous refinement",
      numbers.refine(async () => Promise.resolve(true)),
      { n: 1 },
      { n: 1 },
    ],
  ])("%s", async (_case, schema, value, expected) => {
    expect(await ask(give(schema, value), "")).toEqual(ok(expected));
  });

  it.each([
    ["a wrong field", { n: "1" }, "output.n: Invalid input: expected number, received string"],
    ["nothing", undefined, "output: Invalid input: expected object, received undefined"],
    ["an array", [1], "output: Invalid input: expected object, received array"],
  ])("%s as the output gets a 500", async (_case, value, message) => {
    expect(await ask(give(numbers, value), "")).toEqual({
      status: 500,
      body: errorEnvelope(message),
    });
  });

  it("buildVoid sends {}, whatever its handler returns", async () => {
    const input = z.object({ a: z.string() });
    const seen: string[] = [];
    const endpoint = factory.buildVoid({ input, handler: ({ input }) => seen.push(input.a) });
    expect(await ask(endpoint, "?a=1")).toEqual(ok({}));
    expect(seen).toEqual(["1"]);
    expect((await ask(endpoint, "")).status).toBe(400);
  });
});

describe("endpoint definition: handler and descriptions", () => {
  it.each([
    ["async", async () => Promise.resolve({ a: 1 })],
    ["synchronous", () => ({ a: 1 })],
  ])("%s handlers", async (_kind, handler) => {
    expect(await ask(factory.build({ handler }), "")).toEqual(ok({ a: 1 }));
  });

  it("tag, shortDescription and description are kept and affect no response", async () => {
    const texts = { shortDescription: "short", description: "long" };
    const endpoint = factory.build({ ...texts, tag: "users", handler: () => ({}) });
    expect(endpoint).toMatchObject({ ...texts, tags: ["users"] });
    expect(await ask(endpoint, "")).toEqual(ok({}));
    expect(await ask(endpoint.deprecated(), "")).toEqual(ok({}));
  });
});

describe("the parameters of a handler", () => {
  it("are input, ctx, logger, request and response", async () => {
    const user = new Middleware({ handler: async () => ({ user: "ann" }) });
    const endpoint = factory.addMiddleware(user).build({
      input: z.object({ a: z.coerce.number() }),
      handler: async ({ input, ctx, logger, request, response }) => {
        for (const severity of ["debug", "info", "warn", "error"] as const)
          logger[severity]("said", { severity });
        response.setHeader("X-Path", request.path);
        return { input, ctx, agent: request.get("user-agent") };
      },
    });
    const server = await start({ here: endpoint });
    const answer = await server.send("/here?a=1&b=2", { headers: { "user-agent": "me" } });
    expect(answer.json()).toEqual(
      successEnvelope({ input: { a: 1 }, ctx: { user: "ann" }, agent: "me" }),
    );
    expect(answer.headers["x-path"]).toBe("/here");
    const said = server.lines.filter(({ message }) => message === "said");
    expect(said).toEqual(
      ["debug", "info", "warn", "error"].map((severity) => ({
        severity,
        message: "said",
        meta: { severity },
      })),
    );
  });
});

describe("build throws a DefinitionError", () => {
  const handler = () => ({});
  it.each(["build", "buildVoid"] as const)("that names the method that was called: %s", (name) => {
    for (const wrong of [{}, { handler, timeuot: 1 }])
      expect(() => Reflect.apply(factory[name], factory, [wrong])).toThrow(
        new RegExp(`^${name}: `),
      );
  });

  it.each([
    ["an upper-case method", { method: "GET", handler }, "SLP_DEFINITION_METHOD", '"GET"'],
    ["an unknown method", { method: "head", handler }, "SLP_DEFINITION_METHOD", '"head"'],
    [
      "one wrong method of several",
      { method: ["get", "x"], handler },
      "SLP_DEFINITION_METHOD",
      '"x"',
    ],
    ["no method at all", { method: [], handler }, "SLP_DEFINITION_METHOD", "[]"],
    ["no handler", {}, "SLP_DEFINITION_HANDLER", "`handler`"],
    ["nothing", undefined, "SLP_DEFINITION_HANDLER", "`handler`"],
    ["a generator", { handler: async function* () {} }, "SLP_DEFINITION_HANDLER", "ez.stream()"],
    ["an input that is not a schema", { input: {}, handler }, "SLP_DEFINITION_SCHEMA", "`input`"],
    ["an output that is not a schema", { output: 1, handler }, "SLP_DEFINITION_SCHEMA", "`output`"],
    ["a null input", { input: null, handler }, "SLP_DEFINITION_SCHEMA", "null"],
    ["an invalid timeout", { timeout: "1s", handler }, "SLP_DEFINITION_VALUE", "`timeout`"],
    ["a timeout of zero", { timeout: 0, handler }, "SLP_DEFINITION_VALUE", "positive"],
    ["a negative timeout", { timeout: -1, handler }, "SLP_DEFINITION_VALUE", "positive"],
    [
      "a timeout beyond the limit of timers",
      { timeout: 2 ** 31, handler },
      "SLP_DEFINITION_VALUE",
      "timeout",
    ],
  ])("for %s", (_case, definition, code, word) => {
    const build = () => factory.build(definition as never);
    expect(build).toThrow(expect.objectContaining({ name: "DefinitionError", code }));
    expect(build).toThrow(word);
  });
});

describe("a wrong definition is rejected where it is declared", () => {
  const handler = async (): Promise<object> => ({});

  it.each<[string, () => unknown, string]>([
    [
      "a misspelt key",
      () => defaultEndpointsFactory.build({ metod: "get", handler } as never),
      "Did you mean `method`?",
    ],
    [
      "an array as output",
      () => defaultEndpointsFactory.build({ output: z.array(z.string()), handler } as never),
      "kind array",
    ],
    [
      "a string as input",
      () => defaultEndpointsFactory.build({ input: z.string() as never, handler }),
      "kind string",
    ],
    ...[
      ...[z.array(z.any()), z.bigint(), z.boolean(), z.date(), z.enum(["a"]), z.literal("a")],
      ...[z.map(z.any(), z.any()), z.nan(), z.never(), z.null(), z.number(), z.set(z.any())],
      ...[z.string(), z.symbol(), z.templateLiteral(["a", z.string()]), z.tuple([]), z.undefined()],
      ...[z.void(), z.file(), z.promise(z.any())],
    ].map((schema): [string, () => unknown, string] => [
      `an output of kind ${schema._zod.def.type}`,
      () => defaultEndpointsFactory.build({ output: schema, handler } as never),
      `kind ${schema._zod.def.type}. Wrap it`,
    ]),
    [
      "an output for buildVoid",
      () => defaultEndpointsFactory.buildVoid({ output: z.object({}), handler } as never),
      "no key `output`",
    ],
    [
      "a middleware's key",
      () => defaultEndpointsFactory.addMiddleware({ inputs: z.object({}), handler } as never),
      "`input`?",
    ],
  ])("%s", (_name, declare, message) => {
    expect(declare).toThrow(DefinitionError);
    expect(declare).toThrow(message);
  });
});
