// sallyport with what production needs. With `hook`, helmet is in a hook, and not in the factory; `plain` turns shortcuts off.
import helmet from "helmet";
import createHttpError from "http-errors";
import pino from "pino";
import {
  createConfig,
  createServer,
  defaultEndpointsFactory,
  EventStreamFactory,
  Middleware,
} from "sallyport";
import { createChannel } from "sallyport/channel";
import { rateLimit } from "sallyport/rate-limit";
import { z } from "zod";
import {
  createEventSchemas,
  createRoutes,
  findUser,
  isAllowedOrigin,
  limit,
  loadTenant,
  toLine,
  unknownToken,
} from "../stack-parts.mjs";

const [, , port, ...ways] = process.argv;
const isInHook = ways.includes("hook");

const bearer = new Middleware({
  security: { type: "bearer" },
  handler: ({ request }) => {
    const user = findUser(request.headers.authorization);
    if (!user) throw createHttpError(401, unknownToken);
    return { user };
  },
});

const factory = (isInHook ? defaultEndpointsFactory : defaultEndpointsFactory.use(helmet()))
  .addMiddleware(
    rateLimit({
      limit: limit.requests,
      window: limit.milliseconds,
      key: ({ request }) => request.headers.authorization,
    }),
  )
  .addMiddleware(bearer)
  .addMiddleware({ handler: async ({ ctx }) => ({ tenant: await loadTenant(ctx.user) }) });

const config = createConfig({
  http: { listen: Number(port) },
  cors: ({ request }) => {
    const { origin = "" } = request.headers;
    return isAllowedOrigin(origin)
      ? { "Access-Control-Allow-Origin": origin, "Access-Control-Allow-Credentials": "true" }
      : {};
  },
  requestId: true,
  logger: pino(pino.destination("/dev/null")),
  accessLogger: ({ method, url }, logger, { status, milliseconds }) =>
    logger.info("request", toLine(method, url, status, milliseconds)),
  ...(isInHook && { beforeRouting: ({ app }) => void app.use(helmet()) }),
  startupLogo: false,
  shortcuts: !ways.includes("plain"),
});

const routing = Object.fromEntries(
  createRoutes(z).map(({ method, path, params, query, body, output, handle }) => [
    `${method} ${path}`,
    factory.build({
      input: z.object({ ...params?.shape, ...query?.shape, ...body?.shape }),
      output,
      handler: async ({ input }) => handle(input),
    }),
  ]),
);

const schemas = createEventSchemas(z);
const channel = createChannel({ events: { message: schemas.event } });

await createServer(config, {
  ...routing,
  "get /v1/events/:topic": new EventStreamFactory({}, { factory }).build({
    input: schemas.params,
    channel,
    topic: ({ input }) => input.topic,
  }),
  "post /v1/events/:topic": factory.build({
    input: z.object({ ...schemas.params.shape, ...schemas.event.shape }),
    output: schemas.output,
    handler: async ({ input: { topic, ...event } }) => {
      await channel.publish("message", event, { topic });
      return { published: true };
    },
  }),
});
