// A small API that runs on Bun or Deno, beside the tests on them.
import { createServer, defaultEndpointsFactory } from "sallyport";
import { z } from "zod";

const greet = defaultEndpointsFactory.build({
  input: z.object({ name: z.string() }),
  output: z.object({ greeting: z.string() }),
  handler: async ({ input }) => {
    await new Promise((resolve) => setTimeout(resolve, 300));
    return { greeting: `Hello, ${input.name}!` };
  },
});

await createServer(
  { http: { listen: { port: 0, host: "127.0.0.1" } }, cors: false, gracefulShutdown: true },
  { greet },
);
