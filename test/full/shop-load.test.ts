import { spawnSync } from "node:child_process";
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

/** Returns the resident memory of a process, in MiB. */
const toMemory = ({ child }: Shop): number =>
  Math.round(
    Number(spawnSync("ps", ["-o", "rss=", "-p", `${child.pid}`]).stdout.toString()) / 1024,
  );

test.skipIf(lacksServices)(
  "serves a mixed load with two processes, in constant memory",
  async () => {
    const [postgres, redis, folder] = [
      await startPostgres(),
      await startRedis(),
      await createFolder(),
    ];
    const variables = { DATABASE_URL: postgres.url, REDIS_URL: redis.url };
    const start = async (): Promise<Shop> => startShop(await findFreePort(), folder, variables);
    const shops = [await start(), await start()];
    await query(postgres.url, "UPDATE books SET stock = 1000000");
    const proxy = await startProxy(shops.map(({ port }) => port));

    const customers = Array.from({ length: 20 }, () => new Customer(proxy.port, true));
    await Promise.all(customers.map((customer) => customer.enter()));
    const watching = customers.map((customer) => customer.watch());
    /** Lets all customers buy, without a pause, for some seconds; returns the number of replies. */
    const load = async (length: number): Promise<number> => {
      const toTotal = (): number =>
        Object.values(sumReplies(customers)).reduce((sum, number) => sum + number, 0);
      const before = toTotal();
      const until = performance.now() + length * 1000;
      await Promise.all(
        customers.map(async (customer) => {
          while (performance.now() < until) {
            await customer.browse();
            await customer.browse();
            await customer.order();
          }
        }),
      );
      return toTotal() - before;
    };
    // until the code is compiled and the connections are open
    await load(seconds / 4);
    const memory = [shops.map(toMemory)];
    let requests = 0;
    for (let part = 0; part < 4; part++) {
      requests += await load(seconds / 4);
      memory.push(shops.map(toMemory));
    }
    await expect
      .poll(() => customers.flatMap((customer) => customer.listUnheard()), { timeout: 60_000 })
      .toEqual([]);
    for (const customer of customers) customer.leave();
    await sleep(100);
    for (const { child } of shops) child.kill("SIGTERM");
    const exits = await Promise.all(shops.map(({ ended }) => ended));
    await Promise.all(watching);

    const orders = customers.flatMap((customer) => customer.orders);
    report(
      `shop, mixed load: ${Math.round(requests / seconds)} requests/s, ${JSON.stringify(sumReplies(customers))}, ${orders.length} orders, MiB of both processes: ${memory.map((pair) => pair.join("+")).join(", ")}`,
    );
    expect(customers.flatMap(({ failures }) => failures).slice(0, 10)).toEqual([]);
    expect(shops.flatMap(({ errors }) => errors())).toEqual([]);
    expect(exits).toEqual([0, 0]);
    // by half-time, V8 has given the heap its size: 50 MiB more would be several KiB of each request
    const toSum = (pair: readonly number[] = []): number => pair.reduce((sum, one) => sum + one, 0);
    expect(toSum(memory.at(-1)) - toSum(memory[2])).toBeLessThan(50);
  },
  (seconds * 2 + 240) * 1000,
);
