import { randomUUID } from "node:crypto";
import cors from "@fastify/cors";
import helmet from "@fastify/helmet";
import rateLimit from "@fastify/rate-limit";
import fastify, { LogController } from "fastify";
import { serializerCompiler, validatorCompiler } from "fastify-type-provider-zod";
import createHttpError from "http-errors";
import pino from "pino";
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

const app = fastify({
  loggerInstance: pino(pino.destination("/dev/null")),
  // Fastify's own lines are two per request
  logController: new LogController({ disableRequestLogging: true }),
  genReqId: () => randomUUID(),
});
app.setValidatorCompiler(validatorCompiler);
app.setSerializerCompiler(serializerCompiler);
const toIssue = ({ instancePath, message, keyword }) => ({
  path: instancePath.split("/").slice(1),
  message,
  code: keyword,
});
app.setErrorHandler(({ message, statusCode = 500, validation }, _request, reply) =>
  reply.code(statusCode).send({
    status: "error",
    error: { message, ...(validation && { issues: validation.map(toIssue) }) },
  }),
);
app.decorateRequest("user", null);
app.decorateRequest("tenant", null);

await app.register(helmet);
await app.register(cors, {
  origin: (origin, done) => done(null, isAllowedOrigin(origin)),
  credentials: true,
});
await app.register(rateLimit, {
  max: limit.requests,
  timeWindow: limit.milliseconds,
  keyGenerator: ({ headers }) => headers.authorization,
});
app.addHook("onRequest", async (request, reply) => {
  reply.header("x-request-id", request.id);
});
// after the rate limit, whose hook belongs to each route and so runs after all of onRequest
app.addHook("preParsing", async (request) => {
  request.user = findUser(request.headers.authorization);
  if (!request.user) throw createHttpError(401, unknownToken);
  request.tenant = await loadTenant(request.user);
});
app.addHook("onResponse", async ({ method, url, log }, { statusCode, elapsedTime }) => {
  log.info(toLine(method, url, statusCode, elapsedTime), "request");
});

const toEnvelope = (data) => z.object({ status: z.literal("success"), data });

for (const { method, path, params, query, body, output, handle } of createRoutes(z))
  app.route({
    method,
    url: path,
    schema: {
      ...(params && { params }),
      ...(query && { querystring: query }),
      ...(body && { body }),
      response: { 200: toEnvelope(output) },
    },
    handler: async (request) => ({
      status: "success",
      data: handle({ ...request.params, ...request.query, ...request.body }),
    }),
  });

const { params, event, output } = createEventSchemas(z);
const topics = createTopics();
app.get("/v1/events/:topic", { schema: { params } }, (request, reply) => {
  reply.hijack();
  reply.raw.writeHead(200, { ...reply.getHeaders(), ...streamFields });
  topics.follow(request.params.topic, reply.raw);
});
app.post(
  "/v1/events/:topic",
  { schema: { params, body: event, response: { 200: toEnvelope(output) } } },
  async (request) => {
    topics.publish(request.params.topic, request.body);
    return { status: "success", data: { published: true } };
  },
);
await app.listen({ port: Number(process.argv[2]) });
