// sallyport with many routes, each with a path parameter; the second argument is the number of routes.
import { createServer, defaultEndpointsFactory } from "sallyport";
import { z } from "zod";
import { createQuietConfig } from "./quiet-config.mjs";

const endpoint = defaultEndpointsFactory.build({
  input: z.object({ id: z.string() }),
  output: z.object({ id: z.string() }),
  handler: async ({ input }) => ({ id: input.id }),
});

const count = Number(process.argv[3]);
await createServer(
  createQuietConfig(),
  Object.fromEntries(Array.from({ length: count }, (_, n) => [`get /v1/r${n}/:id`, endpoint])),
);
