import { beforeAll, expect, test } from "vitest";
import { findFreePort } from "../free-port.ts";
import { ensureBuilt, report, sleep } from "./harness.ts";
import { Customer, sumReplies } from "./shop-customer.ts";
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
  const [postgres, redis, folder] = [await startPostgres(), await startRedis(), await createFolder()];
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
      let isOver = false;
      const buying = customers.map(async (customer) => {
        while (!isOver) {
          await customer.browse();
          await customer.order();
          await sleep(50);
        }
      });
      return async () => {
        isOver = true;
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
    const during = sumReplies(customers);
    const live = await fetch(`http://127.0.0.1:${shop.port}/livez`);
    const ready = await (await fetch(`http://127.0.0.1:${shop.port}/readyz`)).json();
    await postgres.start();
    await customers[0]?.browse();
    await sleep(3000);
    const recovered = sumReplies(customers);
    await sleep(3000);
    const after = since(recovered, sumReplies(customers));
    await stopLoad();
    const left = await count();
    const failures = customers.flatMap((customer) => customer.failures) as Record<string, unknown>[];
    report(
      `shop, PostgreSQL stopped by ${signal}: before ${JSON.stringify(before)}, during ${JSON.stringify(since(before, during))}, 3 to 6 s after ${JSON.stringify(after)}; connections ${JSON.stringify(connections)}, then ${JSON.stringify(left)}; the first failure ${JSON.stringify(failures[0])}`,
    );
    const texts = failures.filter(({ status }) => status !== 503);
    report(JSON.stringify([texts.slice(0, 5), shop.errors().slice(0, 3)]).slice(0, 4000));
    const orders = await query<{ id: string }>(postgres.url, "SELECT id FROM orders");
    const confirmed = customers.flatMap((customer) => customer.orders);

    expect(live.status).toBe(200);
    expect(ready).toMatchObject({ status: "degraded", checks: { database: { status: "down" } } });
    expect(texts).toEqual([]);
    expect(failures.filter(({ headers }) => !(headers as Record<string, string>)["retry-after"])).toEqual([]);
    expect(Object.keys(after).toSorted()).toEqual(["200", "201"]);
    expect(left.postgres).toBeLessThanOrEqual(10);
    // what was confirmed is there
    const ids = new Set(orders.map(({ id }) => id));
    expect(confirmed.filter((id) => !ids.has(id))).toEqual([]);
    expect(await close()).toBe(0);
  },
  180_000,
);

test.skipIf(lacksServices)(
  "sells nothing but shows everything while Redis is down, and recovers by itself",
  async () => {
    const { redis, postgres, shop, customers, load, count, close } = await open();
    const stopLoad = load();
    await sleep(3000);
    const [before, connections] = [sumReplies(customers), await count()];
    await redis.stop("SIGKILL");
    await sleep(5000);
    const during = sumReplies(customers);
    const ready = await (await fetch(`http://127.0.0.1:${shop.port}/readyz`)).json();
    const books = await fetch(`http://127.0.0.1:${shop.port}/v2/books`);
    const stranger = new Customer(shop.port, false);
    await stranger.enter();
    await redis.start();
    await sleep(5000);
    const recovered = sumReplies(customers);
    await sleep(3000);
    const after = since(recovered, sumReplies(customers));
    await stopLoad();
    await expect
      .poll(() => customers.flatMap((customer) => customer.listUnheard()).length, { timeout: 30_000 })
      .toBeLessThan(1e9);
    const left = await count();
    const failures = customers.flatMap((customer) => customer.failures) as Record<string, unknown>[];
    report(
      `shop, Redis stopped: before ${JSON.stringify(before)}, during ${JSON.stringify(since(before, during))}, 5 to 8 s after ${JSON.stringify(after)}; connections ${JSON.stringify(connections)}, then ${JSON.stringify(left)}; the first failure ${JSON.stringify(failures[0])}`,
    );
    report(JSON.stringify([stranger.failures, failures.filter(({ status }) => status !== 503).slice(0, 5), shop.errors().slice(0, 3), postgres.url]).slice(0, 4000));
    expect(ready).toMatchObject({ status: "degraded", checks: { redis: { status: "down" } } });
    expect(books.status).toBe(200);
    expect(failures.filter(({ status, path }) => status !== 503 || path !== "/v2/orders")).toEqual([]);
    expect(Object.keys(after).toSorted()).toEqual(["200", "201"]);
    expect(left).toEqual(connections);
    expect(await close()).toBe(0);
  },
  180_000,
);
