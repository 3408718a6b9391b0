import createHttpError from "http-errors";
import {
  defaultEndpointsFactory,
  Middleware,
  problemEndpointsFactory as factory,
  type ErrorDeclarations,
} from "sallyport";
import { generateClient } from "sallyport/generate-client";
import { rateLimit } from "sallyport/rate-limit";
import { expect, onTestFinished, test, vi } from "vitest";
import { z } from "zod";
import { generate, generateOne } from "../../openapi/generate.ts";
import { start } from "../harness.ts";

const taken = {
  description: "The name is taken",
  type: "https://example.com/problems/taken",
  title: "Name taken",
};

/** Creates a routing with an endpoint that throws an error with the given status and properties. */
const throwing = (errors: ErrorDeclarations, status: number, properties: object = {}) => ({
  run: factory.build({
    method: "post",
    errors,
    input: z.object({ name: z.string().optional() }),
    handler: () => {
      throw createHttpError(status, "Oh", properties);
    },
  }),
});

const ask = async (...args: Parameters<typeof throwing>): Promise<unknown> =>
  (await (await start(throwing(...args))).send("/run", { method: "POST" })).json();

const { type, title } = taken;

test("The declared type and title are sent", async () => {
  expect(await ask({ 409: taken }, 409)).toEqual({ type, title, status: 409, detail: "Oh" });
  expect(await ask({ 409: taken }, 410)).toMatchObject({ type: "about:blank", title: "Gone" });
  const schema = z.object({ a: z.number() });
  expect(await ask({ 409: { ...taken, schema } }, 409, { data: { a: 1, b: 2 } })).toMatchObject({
    ...{ type, title, data: { a: 1 } },
  });
});

test("The type of an error does not replace the declared one, but its title does", async () => {
  const problem = { type: "urn:other", title: "Occupied", balance: 3 };
  expect(await ask({ 409: taken }, 409, { problem })).toEqual({
    ...{ type, title: "Occupied", status: 409, detail: "Oh", balance: 3 },
  });
});

test.each([factory, defaultEndpointsFactory])(
  "An error whose data JSON cannot represent is replaced by a 500 in the envelope",
  async (any) => {
    const run = any.build({
      errors: { 409: { description: "Taken", schema: z.object({ id: z.bigint() }) } },
      handler: () => {
        throw createHttpError(409, "Taken", { data: { id: 1n } });
      },
    });
    const server = await start({ run });
    const { status, headers, text } = await server.send("/run");
    expect([status, headers["content-type"]]).toEqual([500, expect.stringContaining("json")]);
    expect(text).toContain("data.id is a BigInt");
    expect(server.linesOf("error")).toMatchObject([
      { meta: { error: { code: "SLP_OUTPUT_UNSERIALIZABLE" }, original: { message: "Taken" } } },
    ]);
  },
);

test("The type is sent although the message is not", async () => {
  vi.stubEnv("NODE_ENV", "production");
  onTestFinished(() => void vi.unstubAllEnvs());
  expect(await ask({ 503: taken }, 503, { expose: false, problem: { a: 1 } })).toEqual({
    ...{ type, title, status: 503, detail: "Service Unavailable" },
  });
});

test("Of two errors at once, one is sent, with what is declared of it", async () => {
  const wait = async (turns: number): Promise<void> => {
    for (let turn = 0; turn < turns; turn++) await Promise.resolve();
  };
  const declare = (status: number) => {
    const schema = z.object({ own: z.literal(status) });
    return { description: "Oh", type: `https://example.com/${status}`, schema };
  };
  const fail = (status: number) => {
    throw createHttpError(status, { data: { own: status } });
  };
  const server = await start({
    run: factory
      .use(async (request, _response, next) => {
        await new Promise(setImmediate);
        next();
        await wait(Number(request.query["turns"]));
        fail(410);
      })
      .build({
        errors: { 409: declare(409), 410: declare(410) },
        handler: () => fail(409),
      }),
  });
  const sent = new Set<unknown>();
  for (let turns = 0; turns < 30; turns++) {
    const { type, status, data } = (await server.send(`/run?turns=${turns}`)).json() as {
      [key in "data" | "status" | "type"]: unknown;
    };
    expect({ type, data }).toEqual({
      type: `https://example.com/${String(status)}`,
      data: { own: status },
    });
    sent.add(status);
  }
  expect(sent).toEqual(new Set([409, 410]));
});

test.each([
  // oxlint-disable-next-line unicorn/no-thenable -- such as a query builder, which is run when it is awaited
  ["a thenable that never settles", { then: () => undefined }],
  ["a revoked proxy", (({ proxy, revoke }) => (revoke(), proxy))(Proxy.revocable({}, {}))],
])("%s that is thrown gets a 500 although errors are declared", async (_what, thrown) => {
  const handler = () => {
    throw thrown;
  };
  const server = await start({ run: factory.build({ errors: { 409: taken }, handler }) });
  const answer = await server.send("/run");
  expect(answer.json()).toMatchObject({ status: 500, title: "Internal Server Error" });
});

test("Errors of the framework, and faults that replace an error, have no declared type", async () => {
  const server = await start(throwing({ 400: taken, 413: taken }, 400));
  const invalid = await server.send("/run", { method: "POST", body: { name: 1 } });
  expect(invalid.json()).toMatchObject({ type: "about:blank", title: "Bad Request" });
  const schema = z.object({ a: z.number() });
  expect(await ask({ 409: { ...taken, schema } }, 409)).toMatchObject({
    ...{ type: "about:blank", status: 500 },
  });
  const headers = { "a b": "c" };
  expect(await ask({ 409: taken }, 409, { headers })).toMatchObject({
    ...{ type: "about:blank", status: 500 },
  });
});

test("A status that a middleware also declares keeps the type of the endpoint", async () => {
  const middleware = new Middleware({ errors: { 409: "Busy" }, handler: () => undefined });
  const run = factory.addMiddleware(middleware).build({
    errors: { 409: taken },
    handler: () => {
      throw createHttpError(409, "Oh");
    },
  });
  expect((await (await start({ run })).send("/run")).json()).toMatchObject({
    type: taken.type,
    title: taken.title,
  });
});

test("Documents and generated clients have the type as a constant", () => {
  const routing = throwing({ 409: taken, 400: taken, 410: "Gone" }, 409);
  const { responses } = generateOne("POST /run", routing);
  const { schemas = {} } = generate(routing).components ?? {};
  const typeOf = (status: string): unknown => {
    const media = responses[status]?.content?.["application/problem+json"];
    const name = String(media?.schema["$ref"]).split("/").at(-1) ?? "";
    const schema = schemas[name] as unknown as { properties: { type: unknown } };
    return schema.properties.type;
  };
  expect(typeOf("409")).toEqual({ type: "string", const: type });
  // the framework itself sends this status, too
  expect([typeOf("400"), typeOf("410")]).toEqual([{ type: "string" }, { type: "string" }]);
  expect(generateClient({ routing })).toContain(`type: "${type}";`);
});

test.each<[string, object]>([
  ["`type` that is not a URI", { type: "a b" }],
  ["`type` that is not a URI", { type: "" }],
  ["`type` that is not a URI", { type: "http://[" }],
  ["`title` that is not a text", { title: 1 }],
  ["`title` that is not a text", { title: " " }],
])("A declaration is rejected because of a %s", (message, wrong) => {
  expect(() =>
    factory.build({ errors: { 409: { ...taken, ...wrong } }, handler: () => ({}) }),
  ).toThrow(message);
});

test("An exceeded limit has the type of the IETF draft, in problem details alone", async () => {
  const limit = () => rateLimit({ limit: 1, name: "burst" });
  const routing = {
    problem: factory.addMiddleware(limit()).build({ handler: () => ({}) }),
    plain: defaultEndpointsFactory.addMiddleware(limit()).build({ handler: () => ({}) }),
  };
  const server = await start(routing);
  const refuse = async (path: string): Promise<unknown> => {
    await server.send(path);
    return (await server.send(path)).json();
  };
  const quota = "https://iana.org/assignments/http-problem-types#quota-exceeded";
  expect(await refuse("/problem")).toEqual({
    type: quota,
    title: "Request cannot be satisfied as assigned quota has been exceeded",
    status: 429,
    detail: "Too Many Requests",
    code: "SLP_RATE_LIMITED",
    "violated-policies": ["burst"],
  });
  expect(await refuse("/plain")).toEqual({
    ...{ status: "error", error: { message: "Too Many Requests", code: "SLP_RATE_LIMITED" } },
  });
  expect(JSON.stringify(generate(routing))).toContain(quota);
});

test("The instance is the id of the request, if that is a UUID, unless the error has one", async () => {
  const errors = { 409: "Busy" };
  const header = "x-id";
  const own = await start(throwing(errors, 409), { requestId: { header } });
  const send = async (id?: string) =>
    own.send("/run", { method: "POST", headers: id === undefined ? {} : { [header]: id } });
  const id = "0b4b6a1c-94a8-4d0e-9f0a-0f6c1d2e3f40";
  expect((await send(id)).json()).toMatchObject({ instance: `urn:uuid:${id}` });
  const made = await send();
  expect(made.json()).toMatchObject({ instance: `urn:uuid:${String(made.headers[header])}` });
  expect((await send("trace-1")).json()).not.toHaveProperty("instance");
  const named = await start(throwing(errors, 409, { problem: { instance: "/a" } }), {
    requestId: true,
  });
  expect((await named.send("/run", { method: "POST" })).json()).toMatchObject({ instance: "/a" });
});
