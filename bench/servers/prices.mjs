// sallyport with one endpoint and one feature, named by the second argument.
import helmet from "helmet";
import pino from "pino";
import { createServer, defaultEndpointsFactory, Middleware } from "sallyport";
import { idempotency, memoryStore } from "sallyport/idempotency";
import { openTelemetry } from "sallyport/opentelemetry";
import { rateLimit } from "sallyport/rate-limit";
import { z } from "zod";
import { limit, toLine } from "../stack-parts.mjs";
import { createQuietConfig } from "./quiet-config.mjs";

/** Each returns options of the configuration and of the endpoint, and the factory. */
const features = {
  nothing: {},
  "nothing-post": {},
  "helmet-hook": { config: { beforeRouting: ({ app }) => void app.use(helmet()) } },
  "helmet-factory": { extend: (factory) => factory.use(helmet()) },
  cors: {
    config: {
      cors: ({ request }) => ({ "Access-Control-Allow-Origin": request.headers.origin ?? "" }),
    },
  },
  id: { config: { requestId: true } },
  line: {
    config: {
      logger: pino(pino.destination("/dev/null")),
      accessLogger: ({ method, url }, logger, { status, milliseconds }) =>
        logger.info("request", toLine(method, url, status, milliseconds)),
    },
  },
  "rate-limit": {
    extend: (factory) =>
      factory.addMiddleware(
        rateLimit({
          limit: limit.requests,
          window: limit.milliseconds,
          key: ({ request }) => request.headers.authorization,
        }),
      ),
  },
  telemetry: { config: { telemetry: openTelemetry() } },
  idempotency: {
    extend: (factory) =>
      factory.addMiddleware(idempotency({ store: memoryStore(), scope: () => "one" })),
  },
  conditions: { endpoint: { version: ({ output }) => output.id } },
  middleware: {
    extend: (factory) => factory.addMiddleware(new Middleware({ handler: () => ({}) })),
  },
  native: { extend: (factory) => factory.use((_request, _response, next) => next()) },
  "native-hook": {
    config: { beforeRouting: ({ app }) => void app.use((_request, _response, next) => next()) },
  },
  around: {
    extend: (factory) =>
      factory.addMiddleware(new Middleware({ around: (_args, next) => next({}) })),
  },
};

const { config, endpoint, extend = (factory) => factory } = features[process.argv[3]];

const one = {
  input: z.object({ id: z.string() }),
  output: z.object({ id: z.string() }),
  handler: async ({ input }) => ({ id: input.id }),
};

await createServer(createQuietConfig(config), {
  "get /v1/one/:id": extend(defaultEndpointsFactory).build({ ...one, ...endpoint }),
  "post /v1/one": extend(defaultEndpointsFactory).build(one),
});
