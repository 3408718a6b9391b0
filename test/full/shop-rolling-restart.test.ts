import { beforeAll, expect, test } from "vitest";
import { findFreePort } from "../free-port.ts";
import { ensureBuilt, report, sleep, toCount } from "./harness.ts";
import { Customer, sumReplies } from "./shop-customer.ts";
import {
  createFolder,
  lacksServices,
  query,
  startPostgres,
  startProxy,
  startRedis,
  startShop,
  type Shop,
} from "./shop-services.ts";

const seconds = toCount("SALLYPORT_SHOP_SECONDS", 60);

beforeAll(ensureBuilt);

test.skipIf(lacksServices)(
  "restarts two shops behind nginx, in turn and under load, without a failed request",
  async () => {
    const [postgres, redis, folder] = [
      await startPostgres(),
      await startRedis(),
      await createFolder(),
    ];
    const variables = { DATABASE_URL: postgres.url, REDIS_URL: redis.url };
    const start = (port: number): Promise<Shop> => startShop(port, folder, variables);
    // at the same time: one of them creates the tables
    const shops = await Promise.all([start(await findFreePort()), start(await findFreePort())]);
    const ports = shops.map(({ port }) => port);
    await query(postgres.url, "UPDATE books SET stock = 1000000");
    const proxy = await startProxy(ports);

    // a proxy that reads its configuration again closes the connections that its clients keep
    const customers = Array.from({ length: 20 }, () => new Customer(proxy.port, false));
    await Promise.all(customers.map((customer) => customer.enter()));
    const state = { isOver: false };
    const watching = customers.map((customer) => customer.watch());
    const buying = customers.map(async (customer) => {
      while (!state.isOver) {
        await customer.browse();
        await customer.order();
        await sleep(50);
      }
    });

    const exits: unknown[] = [];
    const errors: unknown[] = [];
    const until = performance.now() + seconds * 1000;
    for (let index = 0; performance.now() < until; index = 1 - index) {
      const { port, child, ended, errors: listErrors } = shops[index] as Shop;
      child.kill("SIGTERM");
      // what a controller does: it asks until the server is not ready, and sends no more requests to it
      while ((await fetch(`http://127.0.0.1:${port}/readyz`)).status === 200) await sleep(100);
      await proxy.use(ports.filter((one) => one !== port));
      exits.push(await ended);
      errors.push(...listErrors());
      shops[index] = await start(port);
      await proxy.use(ports);
      await sleep(1000);
    }
    state.isOver = true;
    await Promise.all(buying);
    // a payment that a restart has interrupted is asked for again after 15 seconds
    await expect
      .poll(() => customers.flatMap((customer) => customer.listUnheard()), { timeout: 60_000 })
      .toEqual([]);
    for (const customer of customers) customer.leave();
    for (const { child } of shops) child.kill("SIGTERM");
    for (const { ended } of shops) exits.push(await ended);
    await Promise.all(watching);

    const kept = await query<{ id: string }>(postgres.url, "SELECT id FROM orders");
    const [sums] = await query<{ unsold: number; open: number }>(
      postgres.url,
      `SELECT (SELECT sum(1000000 - stock) FROM books)::int - (SELECT sum(quantity) FROM order_items)::int AS unsold,
        (SELECT count(*) FROM payments WHERE status <> 'succeeded')::int AS open`,
    );
    const orders = customers.flatMap((customer) => customer.orders);
    const events = customers.flatMap((customer) => customer.events);
    const streams = customers.reduce((sum, customer) => sum + customer.streams, 0);
    report(
      `shop, rolling restart: ${JSON.stringify(sumReplies(customers))}, ${exits.length - 2} restarts, ${orders.length} orders, ${events.length} events in ${streams} streams`,
    );
    report(await proxy.readErrors());

    expect(customers.flatMap(({ failures }) => failures).slice(0, 10)).toEqual([]);
    expect(new Set(exits)).toEqual(new Set([0]));
    expect(errors).toEqual([]);
    // each order is there once, with its books and its charge, and each of its events came once
    expect(kept.map(({ id }) => id).toSorted()).toEqual(orders.toSorted());
    expect(sums).toEqual({ unsold: 0, open: 0 });
    expect(events.toSorted()).toEqual(
      orders.flatMap((id) => [`${id} paid`, `${id} placed`]).toSorted(),
    );
    expect(exits.length).toBeGreaterThan(3);
  },
  (seconds + 240) * 1000,
);
