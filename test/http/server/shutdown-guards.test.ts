import { once } from "node:events";
import { defaultEndpointsFactory as factory, Middleware, ServeStatic } from "sallyport";
import { expect, test, vi } from "vitest";
import { start } from "../harness.ts";

/** Creates work that records its steps, and ends when the test says so. */
const createWork = () => {
  const events: string[] = [];
  let finish: () => void = () => undefined;
  const finished = new Promise<void>((resolve) => (finish = resolve));
  const work = async (signal?: AbortSignal): Promise<void> => {
    events.push("begun");
    signal?.addEventListener("abort", () => events.push((signal.reason as { code: string }).code));
    await finished;
    events.push("ended");
  };
  return { events, work, finish: () => finish() };
};

test("S1: a shutdown waits for the middlewares that guard files, and aborts their signals", async () => {
  const { events, work, finish } = createWork();
  const guard = new Middleware({
    around: async ({ signal }, next) => {
      await work(signal);
      return next();
    },
  });
  const files = new ServeStatic(import.meta.dirname, {}, factory.addMiddleware(guard));
  const server = await start({ files });
  const reply = server.send("/files/shutdown-guards.test.ts");
  await expect.poll(() => events).toEqual(["begun"]);
  const closed = vi.fn();
  void server.close().then(closed);
  await expect.poll(() => events).toEqual(["begun", "SLP_SHUTTING_DOWN"]);
  finish();
  expect((await reply).status).toBe(200);
  await expect.poll(() => closed.mock.calls.length).toBe(1);
});

test.each([
  ["middlewares that guard files", "GET /files/shutdown-guards.test.ts"],
  ["native middlewares that run for a preflight", "OPTIONS /native"],
])("S1: a shutdown waits for %s even if the client has left", async (_which, line) => {
  const { events, work, finish } = createWork();
  const guarded = factory.addMiddleware({ handler: async () => (await work(), {}) });
  const native = factory.use(async (_request, _response, next) => {
    await work();
    next();
  });
  const files = new ServeStatic(import.meta.dirname, {}, guarded);
  const server = await start({ files, native: native.build({ handler: () => ({}) }) });
  const socket = await server.open();
  socket.write(
    `${line} HTTP/1.1\r\nHost: a\r\nOrigin: https://b\r\nAccess-Control-Request-Method: GET\r\n\r\n`,
  );
  await expect.poll(() => events).toEqual(["begun"]);
  socket.destroy();
  await once(socket, "close");
  await server.untilLeft();
  const closed = server.close().then(() => events.push("closed"));
  await new Promise((resolve) => setTimeout(resolve, 100));
  finish();
  await closed;
  expect(events).toEqual(["begun", "ended", "closed"]);
});
