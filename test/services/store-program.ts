// A server that other tests run in several processes, which share a store in Redis. The argument begins its keys.
import type { AddressInfo } from "node:net";
import { RedisStore } from "rate-limit-redis";
import { createClient } from "redis";
import { createServer, defaultEndpointsFactory as factory } from "sallyport";
import { idempotency, redisStore } from "sallyport/idempotency";
import { rateLimit } from "sallyport/rate-limit";

const prefix = process.argv[2] ?? "";
const client = await createClient().connect();

const limited = factory.addMiddleware(
  rateLimit({
    limit: 100,
    key: () => "all",
    storeTimeout: 60_000,
    store: new RedisStore({ prefix, sendCommand: (...args: string[]) => client.sendCommand(args) }),
  }),
);
const once = factory.addMiddleware(
  idempotency({ store: redisStore(client, { prefix }), scope: () => "all", lease: 8000 }),
);

const { servers } = await createServer(
  { http: { listen: { port: 0, host: "127.0.0.1" } }, cors: false, logger: { level: "silent" } },
  {
    "get /limited": limited.build({ handler: () => ({}) }),
    "post /once": once.build({
      method: "post",
      handler: async ({ request }) => {
        const runs = await client.incr(`${prefix}runs`);
        await new Promise((resolve) => setTimeout(resolve, Number(request.headers["x-pause"])));
        return { runs };
      },
    }),
  },
);
const address = servers[0]?.address() as AddressInfo;
process.stdout.write(`port ${address.port}\n`);
