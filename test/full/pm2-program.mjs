// A server that PM2 starts in its cluster mode; the environment has the port.
import cluster from "node:cluster";
import { createConfig, createServer, defaultEndpointsFactory } from "../../dist/index.js";
import { z } from "zod";

const who = defaultEndpointsFactory.build({
  output: z.object({ worker: z.number() }),
  handler: () => ({ worker: cluster.worker?.id ?? 0 }),
});
const config = createConfig({
  http: { listen: { port: Number(process.env.PORT), host: "127.0.0.1" } },
  cors: false,
  logger: { level: "warn" },
  accessLogger: null,
  gracefulShutdown: true,
});
await createServer(config, { "get /who": who });
