// Express with all parts put together by hand.
import { randomUUID } from "node:crypto";
import cors from "cors";
import express from "express";
import { rateLimit } from "express-rate-limit";
import helmet from "helmet";
import createHttpError from "http-errors";
import pino from "pino";
import { pinoHttp } from "pino-http";
import { z } from "zod";
import {
  createEventSchemas,
  createRoutes,
  createTopics,
  findUser,
  isAllowedOrigin,
  limit,
  loadTenant,
  streamFields,
  toLine,
  unknownToken,
} from "../stack-parts.mjs";

const app = express();
app.disable("x-powered-by");
app.set("etag", false);

app.use(
  pinoHttp({
    logger: pino(pino.destination("/dev/null")),
    genReqId: (_request, response) => {
      const id = randomUUID();
      response.setHeader("X-Request-Id", id);
      return id;
    },
    quietReqLogger: true,
    customAttributeKeys: { reqId: "requestId" },
    serializers: { res: () => undefined },
    customSuccessObject: ({ method, originalUrl }, { statusCode }, { responseTime }) =>
      toLine(method, originalUrl, statusCode, responseTime),
  }),
);
app.use(helmet());
app.use(cors({ origin: (origin, done) => done(null, isAllowedOrigin(origin)), credentials: true }));
app.use(
  rateLimit({
    limit: limit.requests,
    windowMs: limit.milliseconds,
    keyGenerator: ({ headers }) => headers.authorization,
    standardHeaders: "draft-8",
    legacyHeaders: false,
  }),
);
app.use(async (request, _response, next) => {
  request.user = findUser(request.headers.authorization);
  if (!request.user) throw createHttpError(401, unknownToken);
  request.tenant = await loadTenant(request.user);
  next();
});

for (const { method, path, params, query, body, output, handle } of createRoutes(z)) {
  const input = z.object({ ...params?.shape, ...query?.shape, ...body?.shape });
  app[method](path, ...(body ? [express.json()] : []), async (request, response) => {
    const parsed = input.safeParse({ ...request.params, ...request.query, ...request.body });
    if (!parsed.success) throw parsed.error;
    response.json({ status: "success", data: output.parse(handle(parsed.data)) });
  });
}

const { params, event, output } = createEventSchemas(z);
const topics = createTopics();
app.get("/v1/events/:topic", (request, response) => {
  response.writeHead(200, streamFields);
  topics.follow(params.parse(request.params).topic, response);
});
app.post("/v1/events/:topic", express.json(), (request, response) => {
  topics.publish(params.parse(request.params).topic, event.parse(request.body));
  response.json({ status: "success", data: output.parse({ published: true }) });
});

app.use((error, _request, response, _next) => {
  const issues = error.issues?.map(({ path, message, code }) => ({ path, message, code }));
  response.status(issues ? 400 : (error.status ?? 500)).json({
    status: "error",
    error: issues
      ? {
          message: issues.map(({ path, message }) => `${path.join(".")}: ${message}`).join("; "),
          issues,
        }
      : { message: error.message },
  });
});
app.listen(Number(process.argv[2]));
