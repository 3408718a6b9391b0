// Run by soak.test.ts with --expose-gc: an API that reports its heap size after a collection.
import { createServer, defaultEndpointsFactory } from "../../dist/index.js";
import { z } from "zod";

const factory = defaultEndpointsFactory.addMiddleware({
  handler: async ({ request }) => ({ agent: request.get("user-agent") ?? "" }),
});

const { servers } = await createServer(
  {
    http: { listen: { port: 0, host: "127.0.0.1" } },
    cors: true,
    logger: { level: "silent" },
    upload: true,
  },
  {
    "get /items/:id": factory.build({
      input: z.object({
        id: z.string().regex(/^\d+$/).transform(Number),
        tag: z.string().optional(),
      }),
      output: z.object({ id: z.number(), agent: z.string() }),
      handler: async ({ input, ctx }) => ({ id: input.id, agent: ctx.agent }),
    }),
    "post /items": factory.build({
      input: z.object({ name: z.string().min(1), tags: z.array(z.string()).max(10) }),
      output: z.object({ name: z.string() }),
      handler: async ({ input, signal }) => ({ name: `${input.name}${signal.aborted}` }),
    }),
    "get /heap": defaultEndpointsFactory.build({
      handler: async () => {
        globalThis.gc();
        globalThis.gc();
        return { used: process.memoryUsage().heapUsed };
      },
    }),
  },
);
process.stdout.write(`port ${servers[0].address().port}\n`);
