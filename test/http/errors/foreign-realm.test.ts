import { runInNewContext } from "node:vm";
import { defaultEndpointsFactory as factory, ez, type CorsFunction } from "sallyport";
import { createClient } from "sallyport/client";
import { testEndpoint } from "sallyport/testing";
import { queryKey } from "sallyport/tanstack-query";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { errorEnvelope, start, type Line } from "../harness.ts";

/** Evaluates an expression in another realm, as Jest does with all code of a test: its classes are not those of this realm. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- only the caller knows what the expression makes
const foreign = <T>(expression: string): T => runInNewContext(expression) as T;

const teapot = (): Error =>
  foreign(
    'Object.assign(new RangeError("Short and stout"), { status: 418, headers: { "X-A": "b" } })',
  );

describe("an error of another realm", () => {
  test.each([
    ["thrown by a handler", factory.build({ handler: () => Promise.reject(teapot()) })],
    ["returned by a handler", factory.build({ handler: () => teapot() as never })],
    [
      "thrown by a middleware",
      factory
        .addMiddleware({ handler: () => Promise.reject(teapot()) })
        .build({ handler: () => ({}) }),
    ],
    [
      "returned by a middleware",
      factory.addMiddleware({ handler: () => teapot() }).build({ handler: () => ({}) }),
    ],
    [
      "passed on by a native middleware",
      factory.use((_request, _response, next) => next(teapot())).build({ handler: () => ({}) }),
    ],
    [
      "thrown by a stream",
      factory.build({
        output: ez.stream("text/plain"),
        // oxlint-disable-next-line require-yield -- it fails before the first piece
        handler: async function* () {
          throw teapot();
        },
      }),
    ],
  ])("has its status, message and header fields: %s", async (_how, endpoint) => {
    const answer = await (await start({ run: endpoint })).send("/run");
    expect([answer.status, answer.json(), answer.headers["x-a"]]).toEqual([
      418,
      errorEnvelope("Short and stout"),
      "b",
    ]);
  });

  test("has the data that is declared for its status", async () => {
    const endpoint = factory.build({
      errors: { 409: { description: "Taken", schema: z.object({ by: z.string() }) } },
      handler: () =>
        Promise.reject(
          foreign('Object.assign(new Error("Taken"), { status: 409, data: { by: "Ada" } })'),
        ),
    });
    const answer = await (await start({ run: endpoint })).send("/run");
    expect(answer.json()).toEqual({
      status: "error",
      error: { message: "Taken", data: { by: "Ada" } },
    });
  });

  test("is logged with its name and stack, however the logger wants it", async () => {
    const lines: unknown[] = [];
    const write = (...line: readonly unknown[]) => void lines.push(line);
    const pino = {
      debug: write,
      info: write,
      warn: write,
      error: write,
      [Symbol.for("pino.serializers")]: {},
    };
    const winston = {
      ...pino,
      levels: {},
      format: {},
      transports: [],
      [Symbol.for("pino.serializers")]: undefined,
    };
    Reflect.deleteProperty(winston, Symbol.for("pino.serializers"));
    const error = foreign<Error>('new Error("Broken")');
    const handler = ({
      logger,
    }: {
      readonly logger: { error: (message: string, meta: unknown) => void };
    }) => {
      logger.error("It broke", error);
      return {};
    };
    for (const logger of [pino, winston]) {
      const server = await start({ run: factory.build({ handler }) }, { logger });
      await server.send("/run");
    }
    expect(lines.filter((line) => JSON.stringify(line).includes("It broke"))).toEqual([
      [{ err: error }, "It broke"],
      [
        "It broke",
        { error: expect.objectContaining({ name: "Error", message: "Broken" }) as object },
      ],
    ]);
  });
});

describe("values of another realm", () => {
  test("are bytes of a body, pieces of a stream, dates and options", async () => {
    const bytes = () => foreign<Uint8Array>("Uint8Array.of(123, 125)");
    const date = foreign<Date>("new Date(86400000)");
    const run = factory
      .use((request, _response, next) => {
        request.body = bytes();
        next();
      })
      .build({
        method: "post",
        input: ez.raw(),
        handler: ({ input }) => ({ is: String(input.raw) }),
      });
    const stream = factory.build({
      output: ez.stream("text/plain"),
      handler: async function* () {
        yield bytes();
      },
    });
    const dated = factory.build({ version: () => date, handler: () => ({}) });
    const cors: CorsFunction = () =>
      foreign('({ "Access-Control-Allow-Origin": "https://a.test" })');
    const limitError = foreign<Error>('Object.assign(new Error("Too large"), { status: 413 })');
    const server = await start(
      { "post run": run, stream, dated },
      { cors, upload: { limitError } },
    );
    const raw = await server.send("/run", {
      method: "POST",
      headers: { "content-type": "text/x" },
    });
    expect(raw.json()).toMatchObject({ data: { is: "{}" } });
    expect(raw.headers["access-control-allow-origin"]).toBe("https://a.test");
    expect((await server.send("/stream")).text).toBe("{}");
    expect((await server.send("/dated")).headers["last-modified"]).toBe(date.toUTCString());
    expect(server.linesOf("error")).toEqual([] satisfies Line[]);
  });

  test("are deprecation dates, and inputs of a client", async () => {
    const endpoint = factory
      .build({ input: z.object({ at: z.string() }), handler: ({ input }) => input })
      .deprecated({ since: foreign("new Date(0)") });
    const { responseMock } = await testEndpoint({ endpoint, requestProps: { query: { at: "" } } });
    expect(responseMock._getHeaders()["deprecation"]).toBe("@0");
    const server = await start({ run: endpoint });
    const client = createClient<{ run: typeof endpoint }>({
      baseUrl: `http://127.0.0.1:${server.port}`,
    });
    const at = foreign<string>("new Date(0)");
    expect(await client.provide("get /run", { at })).toMatchObject({
      data: { at: "1970-01-01T00:00:00.000Z" },
    });
    const keys = ["Uint8Array.of(1).buffer", "Uint8Array.of(2).buffer"].map((bytes) =>
      queryKey("get /run", { bytes: foreign(bytes) }),
    );
    expect(keys[0]).not.toEqual(keys[1]);
  });

  test("are promises of a logger and of a result handler", async () => {
    const rejected = () => foreign<never>('Promise.reject(new Error("Full disk"))');
    const logger = { debug: rejected, info: rejected, warn: rejected, error: rejected };
    const server = await start(
      { run: factory.build({ handler: ({ logger: own }) => (own.error("x"), {}) }) },
      { logger },
    );
    expect((await server.send("/run")).status).toBe(200);
  });
});
