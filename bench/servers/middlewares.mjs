// sallyport with one endpoint and the number of middlewares given by the second argument; they do nothing.
import { createServer, defaultEndpointsFactory, Middleware } from "sallyport";
import { z } from "zod";
import { createQuietConfig } from "./quiet-config.mjs";

let factory = defaultEndpointsFactory;
for (let count = Number(process.argv[3]); count > 0; count--)
  factory = factory.addMiddleware(new Middleware({ handler: async () => ({}) }));

await createServer(createQuietConfig(), {
  "get /v1/one/:id": factory.build({
    input: z.object({ id: z.string() }),
    output: z.object({ id: z.string() }),
    handler: async ({ input }) => ({ id: input.id }),
  }),
});
