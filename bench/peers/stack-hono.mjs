// Hono with its own middlewares; the rate limit and the log line are written by hand.
import { serve } from "@hono/node-server";
import { createRoute, OpenAPIHono } from "@hono/zod-openapi";
import { cors } from "hono/cors";
import { HTTPException } from "hono/http-exception";
import { requestId } from "hono/request-id";
import { secureHeaders } from "hono/secure-headers";
import { rateLimiter } from "hono-rate-limiter";
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

const app = new OpenAPIHono({
  defaultHook: (result, context) => {
    if (result.success) return undefined;
    const issues = result.error.issues.map(({ path, message, code }) => ({ path, message, code }));
    const message = issues.map((one) => `${one.path.join(".")}: ${one.message}`).join("; ");
    return context.json({ status: "error", error: { message, issues } }, 400);
  },
});
app.onError((error, context) =>
  context.json({ status: "error", error: { message: error.message } }, error.status ?? 500),
);

app.use(async (context, next) => {
  const start = performance.now();
  await next();
  const { method, path } = context.req;
  const line = toLine(method, path, context.res.status, performance.now() - start);
  logger.info({ requestId: context.get("requestId"), ...line }, "request");
});
app.use(requestId());
app.use(
  secureHeaders({
    contentSecurityPolicy: {
      defaultSrc: ["'self'"],
      objectSrc: ["'none'"],
      scriptSrc: ["'self'"],
      frameAncestors: ["'self'"],
    },
  }),
);
app.use(cors({ origin: (origin) => (isAllowedOrigin(origin) ? origin : null), credentials: true }));
app.use(
  rateLimiter({
    limit: limit.requests,
    windowMs: limit.milliseconds,
    keyGenerator: (context) => context.req.header("authorization"),
  }),
);
app.use(async (context, next) => {
  const user = findUser(context.req.header("authorization"));
  if (!user) throw new HTTPException(401, { message: unknownToken });
  context.set("user", user);
  context.set("tenant", await loadTenant(user));
  await next();
});

for (const { method, path, params, query, body, output, handle } of createRoutes(z))
  app.openapi(
    createRoute({
      method,
      path: path.replace(/:(\w+)/, "{$1}"),
      request: {
        ...(params && { params }),
        ...(query && { query }),
        ...(body && {
          body: { required: true, content: { "application/json": { schema: body } } },
        }),
      },
      responses: { 200: { description: "Success" } },
    }),
    async (context) => {
      const input = {
        ...(params && context.req.valid("param")),
        ...(query && context.req.valid("query")),
        ...(body && context.req.valid("json")),
      };
      // Hono does not validate output
      return context.json({ status: "success", data: output.parse(handle(input)) });
    },
  );
serve({ fetch: app.fetch, port: Number(process.argv[2]) });
