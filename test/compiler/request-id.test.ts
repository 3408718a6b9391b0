import { expect, test } from "vitest";
import { compile, writeProgram } from "./compile.ts";

const places = `
import express from "express";
import { createConfig, defaultEndpointsFactory as factory, Middleware, ResultHandler } from "sallyport";
import { testEndpoint } from "sallyport/testing";
import { z } from "zod";

const read = (id: Id): Id => id;
const endpoint = factory
  .addMiddleware(new Middleware({ handler: async ({ request }) => ({ first: read(request.id) }) }))
  .use((request, _response, next) => next(read(request.id) && undefined))
  .use(((_request, _response, next) => next()) satisfies express.RequestHandler)
  .build({ handler: async ({ request }) => ({ id: read(request.id) }) });
export const resultHandler = new ResultHandler({
  positive: z.unknown(),
  negative: z.unknown(),
  handler: ({ request, response }) => response.send(read(request.id)),
});
export const config = createConfig({
  http: { listen: 0 },
  cors: ({ request }) => ({ "X-Id": String(read(request.id)) }),
  childLoggerProvider: ({ request, parent }) => parent.child({ id: read(request.id) }),
  accessLogger: (request, logger) => logger.debug(String(read(request.id))),
});
export const id: Promise<Id> = testEndpoint({ endpoint }).then(({ requestMock }) => requestMock.id);
export const passOn = (request: express.Request) => config.accessLogger?.(request, console, {
  ...{ status: 200, bytes: 0, milliseconds: 0 },
});
`;

test.each([
  ["nothing", "type Id = string | undefined;"],
  [
    "a request's id, as pino-http does",
    `type Id = number | string | object; declare module "http" { interface IncomingMessage { id: Id } }`,
  ],
  [
    "an Express request's id",
    "type Id = number | undefined; declare global { namespace Express { interface Request { id?: Id } } }",
  ],
])("the id of a request is typed everywhere in an application that declares %s", (what, types) => {
  const program = writeProgram(`request-id-${what.length}`, types + places);
  expect(compile(program)).toEqual([]);
});
