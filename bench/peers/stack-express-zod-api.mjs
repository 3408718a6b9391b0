import { randomUUID } from "node:crypto";
import cors from "cors";
import { createConfig, createServer, defaultEndpointsFactory, Middleware } from "express-zod-api";
import { rateLimit } from "express-rate-limit";
import helmet from "helmet";
import createHttpError from "http-errors";
import pino from "pino";
import { z } from "zod";
import {
  createRoutes,
  findUser,
  isAllowedOrigin,
  limit,
  loadTenant,
  toLine,
  unknownToken,
} from "../stack-parts.mjs";

const logger = pino(pino.destination("/dev/null"));

const bearer = new Middleware({
  security: { type: "bearer" },
  handler: async ({ request }) => {
    const user = findUser(request.headers.authorization);
    if (!user) throw createHttpError(401, unknownToken);
    return { user };
  },
});

const factory = defaultEndpointsFactory
  .use(helmet())
  .use(
    rateLimit({
      limit: limit.requests,
      windowMs: limit.milliseconds,
      keyGenerator: ({ headers }) => headers.authorization,
      standardHeaders: "draft-8",
      legacyHeaders: false,
    }),
  )
  .addMiddleware(bearer)
  .addMiddleware({ handler: async ({ ctx }) => ({ tenant: await loadTenant(ctx.user) }) });

const config = createConfig({
  http: { listen: Number(process.argv[2]) },
  cors: cors({ origin: (origin, done) => done(null, isAllowedOrigin(origin)), credentials: true }),
  logger,
  accessLogger: null,
  beforeParsers: ({ app }) => {
    app.use((request, response, next) => {
      const start = performance.now();
      request.id = randomUUID();
      response.setHeader("X-Request-Id", request.id);
      response.once("finish", () => {
        const { method, originalUrl, id } = request;
        const line = toLine(method, originalUrl, response.statusCode, performance.now() - start);
        logger.info({ requestId: id, ...line }, "request");
      });
      next();
    });
  },
  startupLogo: false,
});

const routing = Object.fromEntries(
  createRoutes(z).map(({ method, path, params, query, body, output, handle }) => [
    `${method} ${path}`,
    factory.build({
      method,
      input: z.object({ ...params?.shape, ...query?.shape, ...body?.shape }),
      output,
      handler: async ({ input }) => handle(input),
    }),
  ]),
);

await createServer(config, routing);
