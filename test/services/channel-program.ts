// A server that other tests run in several processes, whose channel is in Redis. The arguments are the port of Redis,
// the key of the channel, and how many events are kept.
import type { AddressInfo } from "node:net";
import { createClient } from "redis";
import { createServer, defaultEndpointsFactory, EventStreamFactory } from "sallyport";
import { createChannel, redisChannel } from "sallyport/channel";
import { z } from "zod";

const [, , port, key, kept] = process.argv;
const client = createClient({ url: `redis://127.0.0.1:${port}` });
client.on("error", () => undefined);
await client.connect();

const counted = z.object({ number: z.number(), padding: z.string().optional() });
const numbers = createChannel({
  events: { counted },
  history: { events: Number(kept) },
  retry: 10,
  store: redisChannel(client, { key }),
});

const { servers, close } = await createServer(
  { http: { listen: { port: 0, host: "127.0.0.1" } }, cors: false, logger: { level: "silent" } },
  {
    "get /numbers": new EventStreamFactory({}).build({ channel: numbers }),
    "post /numbers": defaultEndpointsFactory.build({
      method: "post",
      input: counted,
      output: z.object({ id: z.string() }),
      handler: async ({ input }) => ({ id: await numbers.publish("counted", input) }),
    }),
    "get /memory": defaultEndpointsFactory.build({
      output: z.object({ bytes: z.number() }),
      handler: () => {
        globalThis.gc?.();
        const { heapUsed, external } = process.memoryUsage();
        return { bytes: heapUsed + external };
      },
    }),
  },
);
process.once("SIGTERM", () => {
  // the reader of the channel must not keep the process alive
  void close().then(() => client.close());
});
const address = servers[0]?.address() as AddressInfo;
process.stdout.write(`port ${address.port}\n`);
