// Run by sigterm.test.ts as a process of its own; its ledger of accepted requests is what it prints.
import { writeSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import { createConfig, createServer, defaultEndpointsFactory } from "../../dist/index.js";

const work = defaultEndpointsFactory.build({
  method: ["get", "post"],
  input: z.object({ id: z.string(), ms: z.coerce.number().int().min(0).max(30) }),
  output: z.object({ id: z.string() }),
  handler: async ({ input: { id, ms } }) => {
    writeSync(1, `begin ${id}\n`);
    await sleep(ms);
    return { id };
  },
});

const { servers } = await createServer(
  createConfig({
    http: { listen: { port: 0, host: "127.0.0.1" } },
    cors: false,
    logger: { level: "silent" },
    startupLogo: false,
    gracefulShutdown: true,
  }),
  { work },
);
writeSync(1, `port ${servers[0].address().port}\n`);
