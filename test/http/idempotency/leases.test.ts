import type { Response } from "express";
import { defaultEndpointsFactory as factory } from "sallyport";
import { idempotency, memoryStore, type IdempotencyStore } from "sallyport/idempotency";
import { expect, test, vi } from "vitest";
import { start, successEnvelope, type TestServer } from "../harness.ts";

const createGate = () => {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
};

/** Starts an endpoint that counts its runs, the first of which waits for a gate. */
const startPayment = async (store: IdempotencyStore, lease: number) => {
  const gate = createGate();
  const runs = { count: 0, responses: [] as Response[] };
  const pay = factory.addMiddleware(idempotency({ store, lease, scope: () => "all" })).build({
    method: "post",
    statusCode: 201,
    handler: async ({ response }) => {
      const count = ++runs.count;
      runs.responses.push(response);
      if (count === 1) await gate.opened;
      return { count };
    },
  });
  return { gate, runs, server: await start({ pay }) };
};

const pay = (server: TestServer, key: string) =>
  server.send("/pay", { method: "POST", headers: { "idempotency-key": key } });

const messages = (server: TestServer) => server.linesOf("error").map(({ message }) => message);

test("a running handler renews its lease", async () => {
  const store = memoryStore();
  const renew = vi.spyOn(store, "renew");
  const { gate, runs, server } = await startPayment(store, 500);
  const first = pay(server, "a");
  await expect.poll(() => renew.mock.calls.length).toBeGreaterThan(4);
  expect((await pay(server, "a")).status).toBe(409);
  gate.open();
  expect((await first).status).toBe(201);
  expect(runs.count).toBe(1);
  expect(messages(server)).toEqual([]);
});

test("a late reply does not replace that of a request that has used the key after the lease, and is logged", async () => {
  const store = memoryStore();
  vi.spyOn(store, "renew").mockResolvedValue(true);
  const { gate, runs, server } = await startPayment(store, 50);
  const first = pay(server, "a");
  await expect.poll(() => runs.count).toBe(1);
  await expect.poll(async () => (await pay(server, "a")).status).toBe(201);
  gate.open();
  expect((await first).json()).toEqual(successEnvelope({ count: 1 }));
  expect((await pay(server, "a")).json()).toEqual(successEnvelope({ count: 2 }));
  expect(messages(server)).toEqual([expect.stringContaining("both have run")]);
  expect(server.linesOf("error")[0]?.meta).toEqual({ method: "POST", path: "/pay" });
});

test("a renewal that comes too late is logged once, and the reply is kept if the key is still free", async () => {
  const store = memoryStore();
  const renew = vi.spyOn(store, "renew").mockResolvedValue(false);
  const { gate, server } = await startPayment(store, 60);
  const first = pay(server, "a");
  await expect.poll(() => renew.mock.calls.length).toBeGreaterThan(1);
  gate.open();
  expect((await first).status).toBe(201);
  expect((await pay(server, "a")).headers).toHaveProperty("idempotency-replayed");
  expect(messages(server)).toEqual([expect.stringContaining("before the store was told")]);
});

test("a renewal that waits in the store is seen before the reply is kept", async () => {
  const store = memoryStore();
  const waiting = createGate();
  const renew = vi.spyOn(store, "renew").mockImplementation(async () => {
    await waiting.opened;
    return false;
  });
  const keep = vi.spyOn(store, "keep");
  const { gate, runs, server } = await startPayment(store, 30);
  const first = pay(server, "a");
  await expect.poll(() => renew.mock.calls.length).toBe(1);
  gate.open();
  await expect.poll(() => runs.responses[0]?.writableEnded).toBe(true);
  expect(keep).not.toHaveBeenCalled();
  waiting.open();
  expect((await first).status).toBe(201);
  expect(keep).toHaveBeenCalledOnce();
  expect(messages(server)).toEqual([expect.stringContaining("before the store was told")]);
});
