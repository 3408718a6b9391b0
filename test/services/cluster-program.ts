// A server in several processes that other tests start, load, restart and end. Environment: PORT; REDIS, the port of a
// Redis for the channel; FAILS, a file: while it exists, no worker starts; OPTIONS of `runCluster`; and CASE, in which
// something is unusual.
import cluster from "node:cluster";
import { existsSync } from "node:fs";
import type { AddressInfo, Server } from "node:net";
import { createServer, defaultEndpointsFactory as factory, EventStreamFactory } from "sallyport";
import { createChannel, redisChannel } from "sallyport/channel";
import { runCluster } from "sallyport/cluster";
import { z } from "zod";

const { PORT, SECOND, REDIS, FAILS = "", OPTIONS = "{}", CASE } = process.env;

const block = (milliseconds: number): void =>
  void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);

const startServer = async (): Promise<void> => {
  if (existsSync(FAILS)) throw new Error("no database");
  if (CASE === "never listens") {
    process.stdout.write("starting\n");
    await new Promise(() => undefined);
  }
  const client = REDIS
    ? (await import("redis")).createClient({ url: `redis://127.0.0.1:${REDIS}` })
    : undefined;
  client?.on("error", () => undefined);
  const counted = z.object({ number: z.number() });
  const numbers = createChannel({
    events: { counted },
    history: { events: 100_000, bytes: 100_000_000 },
    retry: 10,
    ...(client && { store: redisChannel(client, { key: "numbers" }) }),
  });
  const hold = z.object({ ms: z.coerce.number().int() });
  const { servers } = await createServer(
    {
      http: { listen: { port: Number(PORT), host: "127.0.0.1" } },
      ...(SECOND && {
        https: { listen: { port: Number(SECOND), host: "127.0.0.1" }, options: {} },
      }),
      cors: false,
      ...{ logger: { level: "warn" }, accessLogger: null, startupLogo: false },
      ...(CASE !== "no shutdown" && { gracefulShutdown: true }),
      resources: client
        ? [{ name: "redis", start: () => client.connect(), stop: () => client.close() }]
        : [],
    },
    {
      "get /who": factory.build({
        output: z.object({ worker: z.number() }),
        handler: () => ({ worker: cluster.worker?.id ?? 0 }),
      }),
      "get /crash": factory.build({ handler: () => process.exit(3) }),
      "get /held": factory.build({
        input: hold,
        handler: async ({ input }) => {
          process.stdout.write("held\n");
          await new Promise((resolve) => setTimeout(resolve, input.ms));
          return {};
        },
      }),
      "post /numbers": factory.build({
        method: "post",
        input: counted,
        output: z.object({ id: z.string() }),
        handler: async ({ input }) => ({ id: await numbers.publish("counted", input) }),
      }),
      "get /numbers": new EventStreamFactory({}).build({ channel: numbers }),
    },
  );
  const server = servers[0] as Server;
  if (PORT === "0") process.stdout.write(`port ${(server.address() as AddressInfo).port}\n`);
  if (CASE === "slow close") {
    const close = server.close.bind(server);
    server.close = (callback) => {
      process.kill(process.ppid, "SIGUSR2");
      block(500);
      process.stdout.write("closing\n");
      block(1500);
      return close(callback);
    };
  }
  if (CASE === "endless stop")
    process.on("SIGTERM", () => {
      for (;;);
    });
};

// the primary learns of the connections that wait before it learns that the server is closed
if (CASE === "slow close") process.on("SIGUSR2", () => block(4000));
await runCluster(
  {
    workers: 2,
    logger: { level: "info", color: false },
    ...(JSON.parse(OPTIONS) as object),
  },
  startServer,
);
