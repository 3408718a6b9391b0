import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createClient as createRedis } from "redis";
import { createClient } from "sallyport/client";
import { expect, onTestFinished, test } from "vitest";
import type { routing } from "../../example/src/routing.ts";
import {
  addCustomers,
  createDatabase,
  isPostgresUp,
  isRedisUp,
  order,
  startShop,
} from "./shop-harness.ts";

// a database of its own
const redisUrl = "redis://127.0.0.1:6379/9";

/** Starts a collector that notes what it receives, by path. */
const startCollector = async () => {
  const received = new Map<string, string>();
  const server = createServer((request, response) => {
    request.setEncoding("utf8").on("data", (text: string) => {
      const path = request.url ?? "";
      received.set(path, (received.get(path) ?? "") + text);
    });
    response.end("{}");
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => server.close().closeAllConnections());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, received };
};

const logIn = async (url: string, email: string, password: string): Promise<Response> =>
  fetch(`${url}/v2/session`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-forwarded-for": "10.2.0.1" },
    body: JSON.stringify({ email, password }),
  });

test.skipIf(!isPostgresUp || !isRedisUp)(
  "in production, two processes share PostgreSQL at 127.0.0.1:5432 and Redis at 127.0.0.1:6379",
  async () => {
    const redis = await createRedis({ url: redisUrl }).connect();
    onTestFinished(async () => {
      await redis.flushDb();
      redis.destroy();
    });
    const { url, pool } = await createDatabase();
    const collector = await startCollector();
    const variables = {
      ...{ NODE_ENV: "production", DATABASE_URL: url, REDIS_URL: redisUrl },
      ...{ ADMIN_PASSWORD: "the administrator's", OTEL_EXPORTER_OTLP_ENDPOINT: collector.url },
    };
    const [one, other] = await Promise.all([startShop(variables), startShop(variables)]);
    const { rows } = await pool.query<{ id: string }>("SELECT id FROM books WHERE stock > 5");
    const [customer] = await addCustomers(pool, 1, { [rows[0]?.id ?? ""]: 1 });
    const headers = { authorization: `Bearer ${customer?.token}` };

    const client = createClient<typeof routing>({ baseUrl: other.url, headers });
    const events = client.subscribe("get /v2/orders/events");
    const first = events.next();
    await expect
      .poll(() => redis.clientList().then((all) => all.some(({ cmd }) => cmd === "xread")))
      .toBe(true);
    expect((await order(one.url, headers, "once")).status).toBe(201);
    expect((await order(other.url, headers, "once")).headers.get("idempotency-replayed")).toBe(
      "true",
    );
    expect((await first).value).toMatchObject({ event: "changed", data: { status: "placed" } });
    expect((await events.next()).value).toMatchObject({ data: { status: "paid" } });
    await events.return(undefined);

    expect((await fetch(`${one.url}/docs`)).status).toBe(401);
    expect((await fetch(`${one.url}/docs`, { headers })).status).toBe(403);
    const email = "admin@shop.example";
    const entered = await logIn(one.url, email, "the administrator's");
    const cookie = entered.headers.get("set-cookie")?.split(";")[0] ?? "";
    expect((await fetch(`${other.url}/docs`, { headers: { cookie } })).status).toBe(200);

    // both processes count the guesses
    const statuses: number[] = [];
    for (let count = 0; count < 11; count++)
      statuses.push((await logIn([one.url, other.url][count % 2] ?? "", email, "a")).status);
    expect(statuses).toEqual([...Array<number>(10).fill(401), 429]);

    const ready = await fetch(`${one.url}/readyz`);
    expect(await ready.json()).toEqual({ status: "up" });
    await one.stop();
    expect(collector.received.get("/v1/traces")).toContain("POST /v2/orders");
    expect(collector.received.get("/v1/metrics")).toContain("http.server.request.duration");
  },
);
