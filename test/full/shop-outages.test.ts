import { beforeAll, expect, test } from "vitest";
import { findFreePort } from "../free-port.ts";
import { ensureBuilt, report, sleep } from "./harness.ts";
import { Customer, sumReplies, type Failure } from "./shop-customer.ts";
import {
  askRedis,
  createFolder,
  lacksServices,
  query,
  startPostgres,
  startRedis,
  startShop,
  type Service,
  type Shop,
} from "./shop-services.ts";

beforeAll(ensureBuilt);

interface Opened {
  readonly postgres: Service;
  readonly redis: Service;
  readonly shop: Shop;
  readonly customers: readonly Customer[];
  /** Lets all customers buy, until the returned function is called. */
  readonly load: () => () => Promise<void>;
  /** Counts the connections of the shop. */
  readonly count: () => Promise<{ readonly postgres: number; readonly redis: number }>;
  readonly close: () => Promise<unknown>;
}

const open = async (): Promise<Opened> => {
  const [postgres, redis, folder] = [
    await startPostgres(),
    await startRedis(),
    await createFolder(),
  ];
  const shop = await startShop(await findFreePort(), folder, {
    DATABASE_URL: postgres.url,
    REDIS_URL: redis.url,
  });
  await query(postgres.url, "UPDATE books SET stock = 1000000");
  const customers = Array.from({ length: 20 }, () => new Customer(shop.port, true));
  await Promise.all(customers.map((customer) => customer.enter()));
  const watching = customers.map((customer) => customer.watch());
  return {
    postgres,
    redis,
    shop,
    customers,
    load: () => {
      const state = { isOver: false };
      const buying = customers.map(async (customer) => {
        while (!state.isOver) {
          await customer.browse();
          await customer.order();
          await sleep(50);
        }
      });
      return async () => {
        state.isOver = true;
        await Promise.all(buying);
      };
    },
    count: async () => {
      const [row] = await query<{ count: number }>(
        postgres.url,
        "SELECT count(*)::int FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()",
      );
      const clients = askRedis(redis.url, "CLIENT", "LIST").trim().split("\n");
      // one of them is the one that asks
      return { postgres: row?.count ?? -1, redis: clients.length - 1 };
    },
    close: async () => {
      for (const customer of customers) customer.leave();
      shop.child.kill("SIGTERM");
      const code = await shop.ended;
      await Promise.all(watching);
      return code;
    },
  };
};

const listUnheard = (customers: readonly Customer[]): string[] =>
  customers.flatMap((customer) => customer.listUnheard());

/** Whether a customer was told to try again. */
const isUnavailable = ({ status, headers, text }: Failure): boolean =>
  status === 503 &&
  headers["retry-after"] === "5" &&
  text ===
    '{"status":"error","error":{"message":"A part of the shop is down: try again in a few seconds","code":"unavailable"}}';

const show = (value: unknown): string => JSON.stringify(value);

/** Returns the replies since an earlier sum. */
const since = (
  before: Readonly<Record<string, number>>,
  now: Readonly<Record<string, number>>,
): Record<string, number> =>
  Object.fromEntries(
    Object.entries(now)
      .map(([status, number]) => [status, number - (before[status] ?? 0)] as const)
      .filter(([, number]) => number > 0),
  );

test.skipIf(lacksServices).each(["SIGINT", "SIGKILL"] as const)(
  "is unavailable while PostgreSQL is down (%s), and recovers by itself",
  async (signal) => {
    const { postgres, shop, customers, load, count, close } = await open();
    const stopLoad = load();
    await sleep(3000);
    const [before, connections] = [sumReplies(customers), await count()];
    await postgres.stop(signal);
    await sleep(5000);
    const during = since(before, sumReplies(customers));
    const live = await fetch(`http://127.0.0.1:${shop.port}/livez`);
    const ready = await (await fetch(`http://127.0.0.1:${shop.port}/readyz`)).json();
    await postgres.start();
    await sleep(3000);
    const recovered = sumReplies(customers);
    await sleep(3000);
    const after = since(recovered, sumReplies(customers));
    await stopLoad();
    const left = await count();
    // webhooks that the shop could not take come again
    await expect
      .poll(() => listUnheard(customers), { timeout: 90_000, interval: 1000 })
      .toEqual([]);
    const kept = await query<{ id: string }>(postgres.url, "SELECT id FROM orders");
    const failures = customers.flatMap((customer) => customer.failures);
    report(
      `shop, PostgreSQL stopped by ${signal}: before ${show(before)}, during 5 s ${show(during)}, then 3 s after 3 s ${show(after)}; connections ${show(connections)}, then ${show(left)}`,
    );

    expect(live.status).toBe(200);
    expect(ready).toMatchObject({ status: "degraded", checks: { database: { status: "down" } } });
    expect(during["503"]).toBeGreaterThan(0);
    expect(failures.filter((failure) => !isUnavailable(failure)).slice(0, 5)).toEqual([]);
    expect(Object.keys(after)).toEqual(["200", "201"]);
    // no connection of the pool is lost
    expect(left.postgres).toBe(connections.postgres);
    expect(left.redis).toBe(connections.redis);
    // what was confirmed is there
    const ids = new Set(kept.map(({ id }) => id));
    const confirmed = customers.flatMap((customer) => customer.orders);
    expect(confirmed.filter((id) => !ids.has(id))).toEqual([]);
    expect(await close()).toBe(0);
  },
  240_000,
);

test.skipIf(lacksServices)(
  "shows everything but takes no orders while Redis is down, and recovers by itself",
  async () => {
    const { redis, shop, customers, load, count, close } = await open();
    const stopLoad = load();
    await sleep(3000);
    const [before, connections] = [sumReplies(customers), await count()];
    await redis.stop("SIGKILL");
    await sleep(5000);
    const during = since(before, sumReplies(customers));
    const ready = await (await fetch(`http://127.0.0.1:${shop.port}/readyz`)).json();
    const stranger = new Customer(shop.port, false);
    await stranger.enter();
    await redis.start();
    await sleep(3000);
    const recovered = sumReplies(customers);
    const old = new Set(customers.flatMap(({ orders }) => orders));
    await sleep(3000);
    const after = since(recovered, sumReplies(customers));
    await stopLoad();
    const toNew = (): string[] => listUnheard(customers).filter((id) => !old.has(id));
    await expect.poll(toNew, { timeout: 90_000, interval: 1000 }).toEqual([]);
    const left = await count();
    const failures = customers.flatMap((customer) => customer.failures);
    report(
      `shop, Redis stopped: before ${show(before)}, during 5 s ${show(during)}, then 3 s after 3 s ${show(after)}; connections ${show(connections)}, then ${show(left)}`,
    );

    expect(ready).toMatchObject({ status: "degraded", checks: { redis: { status: "down" } } });
    expect(during["503"]).toBeGreaterThan(0);
    expect(failures.filter((failure) => !isUnavailable(failure)).slice(0, 5)).toEqual([]);
    // browsing goes on; orders wait, whose keys are in Redis, and so do logins, whose limit is
    expect(new Set(failures.map(({ path }) => path))).toEqual(new Set(["/v2/orders"]));
    expect(stranger.failures).toMatchObject([{ path: "/v2/session", status: 503 }]);
    expect(Object.keys(after)).toEqual(["200", "201"]);
    // the events that Redis has lost are a gap, after which the streams go on
    expect(customers.filter(({ events }) => !events.includes("gap"))).toEqual([]);
    expect(left).toEqual(connections);
    expect(await close()).toBe(0);
  },
  240_000,
);
