// sallyport with 1,000 endpoints, each with its own schemas, and one more that returns the heap size after a collection.
import { createServer, defaultEndpointsFactory } from "sallyport";
import { z } from "zod";
import { createThousand } from "../workloads.mjs";
import { createQuietConfig } from "./quiet-config.mjs";

await createServer(createQuietConfig(), {
  ...Object.fromEntries(
    createThousand(z).map(({ path, input, output, respond }) => [
      `get ${path}`,
      defaultEndpointsFactory.build({
        input,
        output,
        handler: async (args) => respond(args.input),
      }),
    ]),
  ),
  "get /heap": defaultEndpointsFactory.build({
    handler: async () => {
      globalThis.gc();
      return { used: process.memoryUsage().heapUsed };
    },
  }),
});
