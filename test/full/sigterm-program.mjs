// A server that prints the requests it accepts; sigterm.test.ts runs it in a separate process.
import { writeSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import {
  createConfig,
  createServer,
  defaultEndpointsFactory,
  EventStreamFactory,
} from "../../dist/index.js";

const work = defaultEndpointsFactory.build({
  method: ["get", "post"],
  input: z.object({ id: z.string(), ms: z.coerce.number().int().min(0).max(30) }),
  output: z.object({ id: z.string() }),
  handler: async ({ input: { id, ms } }) => {
    writeSync(1, `begin ${id}\n`);
    await sleep(ms);
    last = performance.now();
    return { id };
  },
});
/** The time of the last response, or of the signal if no response followed it. */
let last = 0;
process.on("SIGTERM", () => (last = performance.now()));
process.on("exit", () => writeSync(1, `idle ${performance.now() - last}\n`));

const events = new EventStreamFactory({ tick: z.number() }).build({
  handler: async ({ ctx: { emit, isClosed } }) => {
    while (!isClosed()) {
      await emit("tick", 1);
      await sleep(10);
    }
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
  { work, events },
);
writeSync(1, `port ${servers[0].address().port}\n`);
