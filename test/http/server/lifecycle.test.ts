import { createServer as createNetServer, connect } from "node:net";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ConfigError, defaultEndpointsFactory as factory, type ServerConfig } from "sallyport";
import { testServer } from "sallyport/testing";
import { expect, onTestFinished, test } from "vitest";
import { findFreePort } from "../../free-port.ts";
import { start } from "../harness.ts";

const hello = factory.build({ handler: () => ({ hello: "world" }) });

/** Creates hooks and two resources that note when they run; those named in `failing` fail. */
const createLife = (...failing: readonly string[]) => {
  const steps: string[] = [];
  const note = (step: string) => async (): Promise<void> => {
    await new Promise((resolve) => setImmediate(resolve));
    steps.push(step);
    if (failing.includes(step)) throw new Error(`no ${step}`);
  };
  const life: Partial<ServerConfig> = {
    resources: ["one", "two"].map((name) => ({
      name,
      start: note(`start ${name}`),
      stop: note(`stop ${name}`),
    })),
    onStart: note("onStart"),
    onStop: note("onStop"),
  };
  return { steps, life, note };
};

const started = ["start one", "start two", "onStart"];
const stopped = ["onStop", "stop two", "stop one"];

const expectNobodyListens = async (port: number): Promise<void> => {
  const socket = connect(port, "127.0.0.1");
  expect(await once(socket, "error")).toMatchObject([{ code: "ECONNREFUSED" }]);
};

test("resources start in order before `onStart` and the first request, and stop in reverse after the last", async () => {
  const { steps, life, note } = createLife();
  const server = await start(
    { slow: factory.build({ handler: async () => (await note("request")(), {}) }) },
    { ...life, beforeRouting: () => void steps.push("beforeRouting") },
  );
  expect(steps.splice(0)).toEqual(["beforeRouting", ...started]);
  const arrived = server.untilRequest();
  const answer = server.send("/slow");
  await arrived;
  await Promise.all([server.close(), server.close()]);
  expect((await answer).status).toBe(200);
  expect(steps).toEqual(["request", ...stopped]);
  await server.close();
  expect(steps).toHaveLength(4);
});

test("hooks and resources receive the application and the logger; each may have a half only", async () => {
  const received: unknown[] = [];
  const receive = ({ app, logger }: { readonly app: unknown; readonly logger: unknown }): void =>
    void received.push([app, logger]);
  class Counter {
    name = "counter";
    start() {
      expect(this).toBeInstanceOf(Counter);
    }
  }
  const server = await start(
    { hello },
    {
      onStart: receive,
      resources: [
        { name: "begun", start: receive },
        { name: "ended", stop: receive },
        new Counter(),
      ],
    },
  );
  await server.close();
  expect(received).toHaveLength(3);
  for (const [app, logger] of received as [unknown, unknown][]) {
    expect(app).toBe(server.app);
    expect(logger).toBe(server.logger);
  }
});

test("if a resource does not start, those before it are stopped, and the error names it", async () => {
  const port = await findFreePort();
  const { steps, life } = createLife("start two");
  const http = { listen: { port, host: "127.0.0.1" } };
  const error = await start({ hello }, { ...life, http }).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(ConfigError);
  expect(error).toMatchObject({
    code: "SLP_CONFIG_RESOURCE",
    message: "The resource `two` could not start: no start two",
    cause: new Error("no start two"),
  });
  expect(steps).toEqual(["start one", "start two", "stop one"]);
  await expectNobodyListens(port);
});

test.each([
  ["an error without a message", Object.assign(new AggregateError([]), { code: "ECONNREFUSED" })],
  ["a string", "ECONNREFUSED"],
])("a resource that does not start may throw %s", async (_name, thrown) => {
  const resources = [{ name: "database", start: () => Promise.reject(thrown) }];
  await expect(start({ hello }, { resources })).rejects.toMatchObject({
    message: "The resource `database` could not start: ECONNREFUSED",
    cause: thrown,
  });
});

test("if `onStart` fails, the resources are stopped, and the server rejects with its error", async () => {
  const port = await findFreePort();
  const { steps, life } = createLife("onStart", "stop two");
  const http = { listen: { port, host: "127.0.0.1" } };
  await expect(start({ hello }, { ...life, http })).rejects.toThrow(new Error("no onStart"));
  expect(steps).toEqual([...started, "stop two", "stop one"]);
  await expectNobodyListens(port);
});

test("if the server cannot listen, everything is stopped", async () => {
  const other = createNetServer().listen(0, "127.0.0.1");
  await once(other, "listening");
  onTestFinished(() => void other.close());
  const { steps, life } = createLife();
  const http = { listen: other.address() as { readonly port: number } };
  await expect(start({ hello }, { ...life, http })).rejects.toThrow("EADDRINUSE");
  expect(steps).toEqual([...started, ...stopped]);
});

test("nothing is started if the configuration, the routing or a hook is at fault", async () => {
  const { steps, life } = createLife();
  const fail = () => Promise.reject(new Error("no route"));
  await expect(start({ hello }, { ...life, cors: 1 as never })).rejects.toThrow("cors");
  await expect(start({ "/:": hello }, life)).rejects.toThrow("/:");
  await expect(start({ hello }, { ...life, afterRouting: fail })).rejects.toThrow("no route");
  expect(steps).toEqual([]);
});

test("what fails while the server stops is logged, and the rest is stopped", async () => {
  const { steps, life } = createLife("onStop", "stop two");
  const server = await start({ hello }, life);
  await server.close();
  expect(steps).toEqual([...started, ...stopped]);
  expect(server.linesOf("error")).toMatchObject([
    { message: "`onStop` failed", meta: { error: new Error("no onStop") } },
    {
      message: "A resource could not be stopped",
      meta: { resource: "two", error: new Error("no stop two") },
    },
  ]);
});

test("what hangs while the server stops is given up after the time limit", async () => {
  const { steps, life } = createLife();
  const server = await start(
    { hello },
    {
      ...life,
      onStop: () => new Promise(() => undefined),
      gracefulShutdown: { timeout: 0, events: [] },
    },
  );
  await server.close();
  expect(steps).toEqual([...started, "stop two", "stop one"]);
  expect(server.linesOf("error")).toMatchObject([
    { meta: { error: new Error("`onStop` did not end within 1000 ms") } },
  ]);
});

test("a server knows its addresses, with the port that it was given", async () => {
  const server = await start(
    { hello },
    { http: { listen: 0 }, https: { listen: { port: 0, host: "127.0.0.1" }, options: {} } },
  );
  const [http, https] = server.servers.map((one) => (one.address() as { port: number }).port);
  const urls = [`http://localhost:${http}`, `https://127.0.0.1:${https}`];
  expect(server.url).toBe(urls[0]);
  expect(server.urls).toEqual(urls);
  expect(await (await fetch(`${server.url}/hello`)).json()).toMatchObject({ status: "success" });
  expect(server.linesOf("info").map(({ message }) => message)).toEqual(
    urls.map((url) => `Listening on ${url}`),
  );
  await server.close();
  expect(server.url).toBe(urls[0]);
});

test("a UNIX socket has no URL", async () => {
  const folder = mkdtempSync(join(tmpdir(), "sallyport-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const listen = join(folder, "api.sock");
  const server = await start({ hello }, { http: { listen } });
  expect([server.url, server.urls]).toEqual([undefined, []]);
  expect(server.linesOf("info")).toMatchObject([{ message: `Listening on ${listen}` }]);
});

test("`testServer` starts what a server starts, and stops it when it is closed", async () => {
  const { steps, life } = createLife("stop one");
  const { fetch, close, loggerMock } = await testServer(
    { ...life, gracefulShutdown: true, onStart: ({ logger }) => logger.info("begun") },
    { hello },
  );
  expect(steps.splice(0)).toEqual(["start one", "start two"]);
  expect(loggerMock._getLogs().info).toEqual([["begun"]]);
  expect((await fetch("/hello")).status).toBe(200);
  const before = process.listenerCount("SIGTERM");
  await Promise.all([close(), close()]);
  expect(steps).toEqual(stopped);
  expect(process.listenerCount("SIGTERM")).toBe(before);
  expect(loggerMock._getLogs().error).toMatchObject([
    ["A resource could not be stopped", { resource: "one" }],
  ]);
});

test("`testServer` rejects as a server does if something does not start", async () => {
  const { steps, life } = createLife("start two");
  await expect(testServer(life, { hello })).rejects.toThrow("The resource `two` could not start");
  expect(steps).toEqual(["start one", "start two", "stop one"]);
});
