import { Writable } from "node:stream";
import express from "express";
import createHttpError from "http-errors";
import { pino } from "pino";
import {
  attachRouting,
  createConfig,
  defaultEndpointsFactory as factory,
  EndpointsFactory,
  Middleware,
  ResultHandler,
  type LogFaults,
  type LoggedFault,
  type Logger,
  type Routing,
} from "sallyport";
import { testEndpoint, testMiddleware } from "sallyport/testing";
import { describe, expect, test, vi } from "vitest";
import { z } from "zod";
import { createRecorder, send, start } from "../harness.ts";

const fault = new Error("no connection");
const throws = (error: Error) => () => {
  throw error;
};
const failing = factory.build({ handler: throws(fault) });

const broken = new Error("the result handler broke");
const brokenFactory = new EndpointsFactory(
  new ResultHandler({ positive: z.object({}), negative: z.object({}), handler: throws(broken) }),
);
const missing = createHttpError(404, "no such user");
const brokenRouting = { missing: brokenFactory.build({ handler: throws(missing) }) };

describe("an error that a result handler fails to send", () => {
  test("is logged beside the handler's own error", async () => {
    const server = await start(brokenRouting);
    expect((await server.send("/missing")).status).toBe(500);
    expect(server.linesOf("error")).toMatchObject([
      { message: "Server fault", meta: { path: "/missing", error: broken, original: missing } },
    ]);
  });

  test("is logged with its stack by a logger that writes JSON", async () => {
    let text = "";
    const sink = new Writable({
      write(chunk, _encoding, done) {
        text += String(chunk);
        done();
      },
    });
    const logger = pino({ level: "error" }, sink) as unknown as Logger;
    const server = await start(brokenRouting, { logger });
    await server.send("/missing");
    expect(JSON.parse(text)).toMatchObject({
      err: { message: broken.message },
      original: { message: missing.message, stack: missing.stack },
    });
  });

  test("is logged once if the handler throws this error", async () => {
    const handler = ({ error }: { readonly error: Error | null }) => {
      throw error;
    };
    const schemas = { positive: z.object({}), negative: z.object({}) };
    const own = new EndpointsFactory(new ResultHandler({ ...schemas, handler }));
    const server = await start({ missing: own.build({ handler: throws(missing) }) });
    await server.send("/missing");
    const [line, ...others] = server.linesOf("error");
    expect([line?.meta, others]).toEqual([{ method: "GET", path: "/missing", error: missing }, []]);
  });

  test("is passed to the function of `logFaults`", async () => {
    const logFaults = vi.fn<(fault: LoggedFault) => void>();
    const server = await start(brokenRouting, { logFaults });
    await server.send("/missing");
    expect(logFaults).toHaveBeenCalledExactlyOnceWith(
      expect.objectContaining({ error: broken, original: missing }),
    );
  });
});

describe("with `logFaults: false`", () => {
  test("a fault that a result handler receives is not logged", async () => {
    const server = await start({ failing }, { logFaults: false });
    expect((await server.send("/failing")).status).toBe(500);
    expect(server.linesOf("error")).toEqual([]);
  });

  test("a fault that no result handler receives is logged", async () => {
    const endpoint = factory.buildVoid({
      handler: ({ response }) => {
        response.write("begun");
        throw fault;
      },
    });
    const server = await start({ endpoint, ...brokenRouting }, { logFaults: false });
    await expect(server.send("/endpoint")).rejects.toThrow(/aborted|socket hang up/);
    await server.send("/missing");
    expect(server.linesOf("error")).toMatchObject([
      { meta: { error: fault } },
      { meta: { error: broken, original: missing } },
    ]);
  });
});

describe("a function as `logFaults`", () => {
  test("receives each fault with its request and the request's logger, in place of the log", async () => {
    const logFaults = vi.fn<(fault: LoggedFault) => void>();
    const unserialisable = factory.build({ handler: () => ({ big: 1n }) });
    const routing = { failing, unserialisable };
    const server = await start(routing, {
      logFaults,
      requestId: true,
      childLoggerProvider: ({ parent }) => parent.child({ tenant: "t" }),
    });
    const id = (await server.send("/failing")).headers["x-request-id"];
    await server.send("/unserialisable");
    expect(server.linesOf("error")).toEqual([]);
    const [[first], [second]] = logFaults.mock.calls as [[LoggedFault], [LoggedFault]];
    expect(first).toMatchObject({ error: fault, original: undefined, request: { id } });
    expect(second.error).toMatchObject({ code: "SLP_OUTPUT_UNSERIALIZABLE" });
    first.logger.error("Reported");
    expect(server.linesOf("error")).toMatchObject([{ meta: { requestId: id, tenant: "t" } }]);
  });

  test.each([
    ["throws", throws(new Error("no reporter"))],
    ["rejects", async () => Promise.reject(new Error("no reporter"))],
  ])("never fails a request if it %s; both errors are logged", async (_how, logFaults) => {
    const server = await start({ failing }, { logFaults });
    expect((await server.send("/failing")).status).toBe(500);
    expect(server.linesOf("error")).toMatchObject([
      { meta: { error: { message: "no reporter" } } },
      { message: "Server fault", meta: { error: fault } },
    ]);
  });

  test("is called for an API on an own application", async () => {
    const app = express();
    const { logger, lines } = createRecorder();
    const logFaults = vi.fn<(fault: LoggedFault) => void>();
    attachRouting(createConfig({ app, logger, logFaults, accessLogger: null, cors: false }), {
      failing,
    });
    const server = app.listen(0);
    await send((server.address() as { port: number }).port, "/failing");
    server.close();
    expect([logFaults.mock.calls.length, lines]).toEqual([1, []]);
  });

  test("is called in tests of endpoints and middlewares", async () => {
    const logFaults = vi.fn<(fault: LoggedFault) => void>();
    const configProps = { logFaults };
    const middleware = new Middleware({ handler: throws(fault) });
    const runs = [
      await testEndpoint({ endpoint: failing, configProps }),
      await testMiddleware({ middleware, configProps }),
    ];
    for (const { loggerMock } of runs) expect(loggerMock._getLogs().error).toEqual([]);
    expect(logFaults).toHaveBeenCalledTimes(2);
  });
});

test("the credentials in a target are not logged", async () => {
  const server = await start({ failing });
  const reply = await server.raw("GET ftp://u:SECRET@a/get HTTP/1.1\r\nHost: a\r\n\r\n");
  expect(reply).toMatch(/^HTTP\/1\.1 400 /);
  await server.send("//u:SECRET@host/get");
  await expect.poll(() => server.linesOf("debug").length).toBeGreaterThan(2);
  expect(JSON.stringify(server.lines)).not.toContain("SECRET");
});

describe("`logFaults: { input }`", () => {
  const input = z.object({ name: z.string(), password: z.string() });
  const signIn = factory.build({ method: "post", input, handler: throws(fault) });
  const body = { name: "Ada", password: "secret" };
  const ask = async (logFaults: LogFaults, routing: Routing = { "": signIn }) => {
    const server = await start(routing, { logFaults });
    await server.send("/", { method: "POST", body });
    return server.linesOf("error");
  };

  test("adds what the function returns for the input to the line", async () => {
    const [line, ...others] = await ask({ input: ({ password: _password, ...rest }) => rest });
    expect(line).toMatchObject({ message: "Server fault", meta: { error: fault } });
    expect(line?.meta).toHaveProperty("input", { name: "Ada" });
    expect(others).toEqual([]);
  });

  test("adds nothing if no stage has read the input", async () => {
    const redact = vi.fn();
    const early = factory.addMiddleware({ handler: throws(fault) }).build({ handler: () => ({}) });
    const [line] = await ask({ input: redact }, { "post /": early });
    expect(line?.meta).not.toHaveProperty("input");
    expect(redact).not.toHaveBeenCalled();
  });

  test("logs the fault without the input if the function fails", async () => {
    const lines = await ask({ input: throws(new Error("no")) });
    expect(lines.map(({ message }) => message)).toEqual([
      "The function of `logFaults` failed",
      "Server fault",
    ]);
    expect(lines[1]?.meta).not.toHaveProperty("input");
  });

  test("a function in place of the log receives the input, too", async () => {
    const logFault = vi.fn<(fault: LoggedFault) => void>();
    await ask(logFault);
    expect(logFault.mock.calls[0]?.[0].input).toEqual(body);
  });
});

test("an error that a function of the application throws while issues are formatted has its stack in the log", async () => {
  const failing = factory.build({
    input: z.object({
      a: z.string({
        error: () => {
          throw new TypeError("own");
        },
      }),
    }),
    handler: () => ({}),
  });
  const server = await start({ failing });
  expect((await server.send("/failing")).status).toBe(500);
  const [line] = server.linesOf("error");
  expect(line?.meta).toHaveProperty("error.stack", expect.stringContaining("fault-logs.test.ts"));
});
