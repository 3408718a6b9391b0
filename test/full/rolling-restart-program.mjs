// One of two servers behind a proxy; its argument is the port.
import { writeSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { createConfig, createServer, defaultEndpointsFactory } from "../../dist/index.js";
import { z } from "zod";

const [port] = process.argv.slice(2);
const schema = z.object({ id: z.string() });
const handler = async ({ input }) => {
  await sleep(Math.random() * 50);
  return { id: input.id };
};
const config = createConfig({
  http: { listen: { port: Number(port), host: "127.0.0.1" } },
  cors: false,
  accessLogger: null,
  logger: { level: "warn" },
  health: true,
  gracefulShutdown: { drain: 1500, timeout: 10_000 },
});
await createServer(config, {
  work: {
    get: defaultEndpointsFactory.build({ input: schema, output: schema, handler }),
    post: defaultEndpointsFactory.build({ method: "post", input: schema, output: schema, handler }),
  },
});
writeSync(1, `port ${port}\n`);
