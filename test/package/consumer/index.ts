// A consumer that exports everything it creates, so its declarations must be able to name each inferred type.
import createHttpError from "http-errors";
import {
  attachRouting,
  createConfig,
  createServer,
  defaultEndpointsFactory,
  defaultResultHandler,
  EndpointsFactory,
  ensureHttpError,
  EventStreamFactory,
  ez,
  Middleware,
  problemEndpointsFactory,
  ResultHandler,
  ServeStatic,
  type Routing,
} from "sallyport";
import { createClient } from "sallyport/client";
import { testEndpoint, testMiddleware, testServer } from "sallyport/testing";
import { z } from "zod";

export const middleware = new Middleware({
  input: z.object({ key: z.string().transform((key) => key.length) }),
  security: { and: [{ type: "header", name: "x-key" }, { type: "bearer" }] },
  handler: async ({ input, ctx }) => {
    if (input.key === 0) throw createHttpError(401);
    return { user: { id: input.key, ...ctx } };
  },
});

export const factory = defaultEndpointsFactory
  .addMiddleware(middleware)
  .addMiddleware({ handler: async ({ ctx }) => ({ isAdmin: ctx.user.id > 5 }) })
  .addContext(async (ctx) => ({ name: String(ctx.user.id) }))
  .use((_request, _response, next) => next(), { provider: (request) => ({ ip: request.ip }) });

export const resultHandler = new ResultHandler({
  positive: (data) => [
    {
      schema: z.object({ ok: z.literal(true), data }),
      mimeType: "application/json",
      statusCode: [200, 201],
    },
  ],
  negative: z.object({ ok: z.literal(false) }),
  handler: ({ error, output, response }) => {
    if (error) response.status(ensureHttpError(error).statusCode).json({ ok: false });
    else response.json({ ok: true, data: output });
  },
});

export const customFactory = new EndpointsFactory(resultHandler);

export const write = factory.build({
  method: "put",
  output: z.object({ revision: z.number() }),
  version: ({ output: { revision } }) => String(revision),
  ifMatch: "required",
  current: async ({ ctx }) => (ctx.isAdmin ? "1" : undefined),
  handler: () => ({ revision: 1 }),
});

export const get = factory.build({
  input: z
    .object({ id: z.string().transform(Number) })
    .and(z.object({ tag: z.string().optional() })),
  output: z.discriminatedUnion("kind", [
    z.object({ kind: z.literal("a"), at: z.date().transform((date) => date.toISOString()) }),
    z.object({ kind: z.literal("b"), ip: z.string() }),
  ]),
  handler: async ({ input, ctx }) =>
    input.id > 1 ? { kind: "a", at: new Date() } : { kind: "b", ip: ctx.ip ?? ctx.name },
});

export const post = customFactory.build({
  method: ["post", "put"],
  input: z.object({ id: z.string() }),
  handler: async () => ({ done: true }),
});
export const remove = factory.buildVoid({ method: "delete", handler: async () => undefined });
export const nested = get.nest({ more: post });
export const map = { v1: { ":id": nested, "delete /x": remove, files: new ServeStatic("files") } };
export const annotated: Routing = map;
export const config = createConfig({
  http: { listen: 0 },
  cors: true,
  errorHandler: defaultResultHandler,
});
export const users = ez.paginated({
  style: "cursor",
  itemSchema: z.object({ id: z.number(), at: ez.dateOut() }),
  itemsName: "users",
  cursor: ez.cursor(z.object({ id: z.number() }), { secret: "s".repeat(32) }),
});
export const list = problemEndpointsFactory.build({
  input: users.input.and(z.object({ since: ez.dateIn().optional() })),
  output: users.output,
  handler: async ({ input: { cursor, limit } }) => ({
    users: [{ id: cursor?.id ?? 0, at: new Date() }],
    nextCursor: null,
    limit,
  }),
});
export const events = new EventStreamFactory({ time: z.number() });
export const clock = events.build({ handler: async ({ ctx }) => void ctx.emit("time", 1) });
export const tested = () => testEndpoint({ endpoint: get, loggerProps: { id: 1 } });
export const testedMiddleware = () => testMiddleware({ middleware });
export const served = () => testServer({ cors: true }, { list, clock });
export const main = () => createServer(config, map);
export const client = createClient<typeof map>({ baseUrl: "http://localhost" });
export const provided = () => client.provide("get /v1/:id", { id: "1", key: "k" });
export const replied = () => client.request("post /v1/:id/more", { id: "1" });
export const paged = () =>
  createClient<{ list: typeof list }>({ baseUrl: "" }).iterate("get /list", { limit: 5 });
export const subscribed = () =>
  createClient<{ clock: typeof clock }>({ baseUrl: "" }).subscribe("get /clock");
export { attachRouting };
