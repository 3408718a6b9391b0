// sallyport with one endpoint behind middlewares that do nothing. The second argument is their number, the third their
// kind: async, sync, around or native; or cors, for the `cors: true` option without a middleware.
import { createServer, defaultEndpointsFactory, Middleware } from "sallyport";
import { z } from "zod";
import { createQuietConfig } from "./quiet-config.mjs";

const [, , , count = "1", kind = "async"] = process.argv;

const add = {
  async: (factory) => factory.addMiddleware(new Middleware({ handler: async () => ({}) })),
  sync: (factory) => factory.addMiddleware(new Middleware({ handler: () => ({}) })),
  around: (factory) => factory.addMiddleware(new Middleware({ around: (_, next) => next({}) })),
  native: (factory) => factory.use((_request, _response, next) => next()),
};

let factory = defaultEndpointsFactory;
for (let left = kind === "cors" ? 0 : Number(count); left > 0; left--) factory = add[kind](factory);

await createServer(createQuietConfig({ cors: kind === "cors" }), {
  "get /v1/one/:id": factory.build({
    input: z.object({ id: z.string() }),
    output: z.object({ id: z.string() }),
    handler: async ({ input }) => ({ id: input.id }),
  }),
});
