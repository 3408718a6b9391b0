import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { connect } from "node:net";
import { fileURLToPath } from "node:url";
import { PGlite } from "@electric-sql/pglite";
import { Redis } from "ioredis";
import { Pool } from "pg";
import { createClient } from "redis";
import {
  memoryStore,
  postgresStore,
  postgresTable,
  redisStore,
  type Claim,
  type IdempotencyStore,
} from "sallyport/idempotency";
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { send } from "../http/harness.ts";

const listens = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    const settle = (isUp: boolean): void => {
      socket.destroy();
      resolve(isUp);
    };
    socket.once("connect", () => settle(true)).once("error", () => settle(false));
  });

const [hasRedis, hasPostgres] = await Promise.all([listens(6379), listens(5432)]);

const createPrefix = (): string => `sallyport:${randomUUID()}:`;

/** Each store with a way to close it. */
const stores: readonly {
  readonly name: string;
  readonly isUp: boolean;
  readonly open: () => Promise<[IdempotencyStore, () => unknown]>;
}[] = [
  { name: "memory", isUp: true, open: async () => [memoryStore(), () => undefined] },
  {
    name: "PGlite",
    isUp: true,
    open: async () => {
      const db = await PGlite.create();
      await db.exec(postgresTable());
      return [postgresStore(db), () => db.close()];
    },
  },
  {
    name: "PostgreSQL with pg",
    isUp: hasPostgres,
    open: async () => {
      const table = `sallyport_${randomUUID().replaceAll("-", "")}`;
      const address = { host: "127.0.0.1", port: 5432, user: "postgres", database: "postgres" };
      const pool = new Pool({ ...address, max: 10 });
      await pool.query(postgresTable(table));
      const close = async () => {
        await pool.query(`DROP TABLE ${table}`);
        await pool.end();
      };
      return [postgresStore(pool, { table }), close];
    },
  },
  {
    name: "Redis with node-redis",
    isUp: hasRedis,
    open: async () => {
      const client = await createClient().connect();
      return [redisStore(client, { prefix: createPrefix() }), () => client.close()];
    },
  },
  {
    name: "Redis with ioredis",
    isUp: hasRedis,
    open: async () => {
      const client = new Redis();
      return [redisStore(client, { prefix: createPrefix() }), () => client.quit()];
    },
  },
];

const createClaim = (key: string, fingerprint = "f"): Claim => ({
  ...{ key, fingerprint },
  token: randomUUID(),
});
const reply = {
  status: 201,
  headers: { Location: "/ä", "Set-Cookie": ["a", "b"] },
  body: '{"a":"\u0000é"}',
};
const minute = 60_000;

describe.each(stores)("the store $name", ({ isUp, open }) => {
  let store: IdempotencyStore;
  let close: () => unknown = () => undefined;
  beforeAll(async () => {
    if (isUp) [store, close] = await open();
  });
  afterAll(async () => void (await close()));

  test.skipIf(!isUp)("lets one of 100 concurrent requests claim a key", async () => {
    const claims = Array.from({ length: 100 }, () => store.claim(createClaim("a"), minute));
    const used = await Promise.all(claims);
    expect(used.filter((entry) => entry === undefined)).toHaveLength(1);
    expect(used.filter((entry) => entry?.fingerprint === "f")).toHaveLength(99);
  });

  test.skipIf(!isUp)("keeps a reply, which only the claim's own request may set", async () => {
    const own = createClaim("b");
    expect(await store.claim(own, minute)).toBeUndefined();
    expect(await store.keep(createClaim("b"), { ...reply, status: 500 }, minute)).toBe(false);
    await store.release(createClaim("b"));
    expect((await store.claim(createClaim("b"), minute))?.reply).toBeUndefined();
    expect(await store.keep(own, reply, minute)).toBe(true);
    expect(await store.keep(own, reply, minute)).toBe(true);
    await store.renew(createClaim("b"), 1);
    await store.renew(own, 1);
    await new Promise((resolve) => setTimeout(resolve, 20));
    const used = await store.claim(createClaim("b", "g"), minute);
    expect([used?.fingerprint, used?.reply]).toEqual(["f", reply]);
  });

  test.skipIf(!isUp)("frees a key that is released, or whose lease or time ends", async () => {
    const released = createClaim("c");
    await store.claim(released, minute);
    await store.release(released);
    const kept = createClaim("c");
    expect(await store.claim(kept, minute)).toBeUndefined();
    await store.keep(kept, reply, 1);
    await expect.poll(() => store.claim(createClaim("c", "g"), minute)).toBeUndefined();
    await store.claim(createClaim("d"), 1);
    await expect.poll(() => store.claim(createClaim("d", "g"), minute)).toBeUndefined();
    expect(await store.claim(createClaim("d"), minute)).toMatchObject({ fingerprint: "g" });
  });

  test.skipIf(!isUp)("takes a claim that its client has sent twice for one", async () => {
    const own = createClaim("f");
    expect(await store.claim(own, minute)).toBeUndefined();
    expect(await store.claim(own, minute)).toBeUndefined();
    expect(await store.claim(createClaim("f"), minute)).toBeDefined();
  });

  test.skipIf(!isUp)(
    "keeps a reply after the lease unless another has claimed the key",
    async () => {
      const own = createClaim("g");
      await store.claim(own, 1);
      const lost = createClaim("h");
      await store.claim(lost, 1);
      await expect.poll(() => store.claim(createClaim("h", "g"), minute)).toBeUndefined();
      await store.keep(own, reply, minute);
      expect(await store.claim(createClaim("g"), minute)).toMatchObject({
        fingerprint: "f",
        reply,
      });
      expect(await store.keep(lost, reply, minute)).toBe(false);
      expect((await store.claim(createClaim("h"), minute))?.reply).toBeUndefined();
    },
  );

  test.skipIf(!isUp)("extends the lease of a request", async () => {
    const own = createClaim("e");
    await store.claim(own, 500);
    expect(await store.renew(own, minute)).toBe(true);
    await new Promise((resolve) => setTimeout(resolve, 600));
    expect(await store.claim(createClaim("e"), minute)).toBeDefined();
  });

  test.skipIf(!isUp)("tells that a lease had ended, whether or not the key is taken", async () => {
    const own = createClaim("i");
    await store.claim(own, 1);
    await expect.poll(() => store.renew(own, 1)).toBe(false);
    await expect.poll(() => store.claim(createClaim("i"), minute)).toBeUndefined();
    expect(await store.renew(own, minute)).toBe(false);
    expect(await store.keep(own, reply, minute)).toBe(false);
  });
});

test("the table of keys loses 10,000 expired ones", async () => {
  const db = await PGlite.create();
  onTestFinished(() => db.close());
  await db.exec(postgresTable());
  const store = postgresStore(db);
  await db.exec(
    `INSERT INTO idempotency_keys SELECT i, i, i, NULL, now() - interval '1 second' FROM generate_series(1, 10000) i`,
  );
  const now = vi.spyOn(performance, "now").mockReturnValue(performance.now() + 2 * minute);
  onTestFinished(() => now.mockRestore());
  await store.claim(createClaim("a"), minute);
  const countKeys = async () =>
    (await db.query<{ count: number }>("SELECT count(*)::int AS count FROM idempotency_keys")).rows;
  await expect.poll(countKeys).toEqual([{ count: 1 }]);
});

/** Claims a key in one store, and expects that another one does not know it. */
const expectApart = async (one: IdempotencyStore, other: IdempotencyStore): Promise<void> => {
  const key = randomUUID();
  const own = createClaim(key);
  expect(await one.claim(own, minute)).toBeUndefined();
  expect(await one.keep(own, reply, minute)).toBe(true);
  expect(await other.claim(createClaim(key), minute)).toBeUndefined();
  expect((await one.claim(createClaim(key), minute))?.reply).toEqual(reply);
};

test.skipIf(!hasRedis)("services that share Redis have keys of their own", async () => {
  const sent = new Set<string>();
  const client = new Redis();
  onTestFinished(async () => {
    await client.del([...sent]);
    await client.quit();
  });
  const call = async (command: string, ...args: string[]): Promise<unknown> => {
    sent.add(args[2] as string);
    return client.call(command, ...args);
  };
  await expectApart(redisStore({ call }, { name: "a" }), redisStore({ call }, { name: "b" }));
  await expectApart(redisStore({ call }), redisStore({ call }, { name: "a" }));
  const prefix = createPrefix();
  const named = redisStore({ call }, { prefix, name: "a" });
  await expectApart(redisStore({ call }, { prefix }), named);
  // the claim's own key is the rest
  expect(new Set([...sent].map((key) => key.slice(0, -36)))).toEqual(
    new Set(["idempotency:a:", "idempotency:b:", "idempotency:sallyport:", prefix, `${prefix}a:`]),
  );
});

test("services that share a table have keys of their own", async () => {
  const keys: unknown[] = [];
  const query = async (_text: string, [key]: unknown[] = []) => ({ rows: [void keys.push(key)] });
  const claim = createClaim("a");
  for (const store of [postgresStore({ query }), postgresStore({ query }, { name: "b" })]) {
    await store.keep(claim, reply, minute);
    await store.renew(claim, minute);
    await store.release(claim);
  }
  expect(keys).toEqual([...Array(3).fill("sallyport:a"), ...Array(3).fill("b:a")]);
});

test("an unknown or invalid option of a store is refused", () => {
  const client = { call: async () => undefined };
  const pool = { query: async () => ({ rows: [] }) };
  expect(() => redisStore(client, { prefx: "a" } as never)).toThrow("Did you mean `prefix`?");
  expect(() => redisStore(client, { name: "" })).toThrow("`name` must be a non-empty string");
  expect(() => postgresStore(pool, { tabel: "a" } as never)).toThrow("Did you mean `table`?");
});

test("the name of a table cannot carry SQL", () => {
  expect(() => postgresTable("a; DROP TABLE b")).toThrow("`table` must be the name of a table");
});

/** Starts two processes that share a store. */
const startTwo = async () => {
  const prefix = createPrefix();
  const program = fileURLToPath(new URL("store-program.ts", import.meta.url));
  const begin = async () => {
    const child = spawn(process.execPath, ["--import", "tsx", program, prefix], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const end = async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill("SIGKILL");
      await once(child, "exit");
    };
    onTestFinished(end);
    const [printed] = (await once(child.stdout, "data")) as [Buffer];
    return { port: Number(/port (\d+)/.exec(printed.toString())?.[1]), end };
  };
  return { prefix, servers: await Promise.all([begin(), begin()]) };
};

const count = (statuses: readonly number[], status: number): number =>
  statuses.filter((each) => each === status).length;

describe.skipIf(!hasRedis)("two processes with one Redis", () => {
  test("allow exactly 100 of 1,000 concurrent requests", async () => {
    const { servers } = await startTwo();
    const sending = Array.from({ length: 500 }, () =>
      servers.map(async ({ port }) => (await send(port, "/limited")).status),
    );
    const statuses = await Promise.all(sending.flat());
    expect([count(statuses, 200), count(statuses, 429)]).toEqual([100, 900]);
  });

  test(
    "run one of 100 concurrent requests with a key; a killed process frees its key",
    { timeout: 60_000 },
    async () => {
      const { prefix, servers } = await startTwo();
      const [first, second] = servers;
      const ask = (port: number, key: string, pause: number) =>
        send(port, "/once", {
          method: "POST",
          headers: { "idempotency-key": key, "x-pause": String(pause) },
        });
      const sending = Array.from({ length: 50 }, () =>
        [first, second].map(({ port }) => ask(port, "a", 500)),
      );
      const replies = await Promise.all(sending.flat());
      const statuses = replies.map(({ status }) => status);
      expect(count(statuses, 200) + count(statuses, 409)).toBe(100);
      const bodies = replies.filter(({ status }) => status === 200).map(({ text }) => text);
      expect(new Set(bodies)).toEqual(
        new Set([JSON.stringify({ status: "success", data: { runs: 1 } })]),
      );

      const lost = ask(first.port, "b", minute).catch(String);
      // the first process must be the one that claims the key
      const redis = new Redis();
      onTestFinished(() => void redis.quit());
      await expect.poll(() => redis.get(`${prefix}runs`), { timeout: 20_000 }).toBe("2");
      expect((await ask(second.port, "b", 0)).status).toBe(409);
      await first.end();
      await lost;
      const retry = async () => (await ask(second.port, "b", 0)).status;
      await expect.poll(retry, { timeout: 30_000 }).toBe(200);
      expect((await ask(second.port, "b", 0)).headers).toHaveProperty("idempotency-replayed");
    },
  );
});
