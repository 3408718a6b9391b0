// A server that emfile.test.ts runs with few file descriptors.
import { createServer, defaultEndpointsFactory } from "../../dist/index.js";

const { servers } = await createServer(
  {
    http: { listen: { port: 0, host: "127.0.0.1" } },
    cors: false,
    logger: { level: "silent" },
  },
  { ping: defaultEndpointsFactory.build({ handler: async () => ({}) }) },
);
process.stdout.write(`port ${servers[0].address().port}\n`);
