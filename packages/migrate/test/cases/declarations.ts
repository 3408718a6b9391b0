import type { Case } from "./case.ts";

const endpoint = `defaultEndpointsFactory.build({ handler: async () => ({}) })`;

export const declarationCases: readonly Case[] = [
  {
    rule: "factory-arguments",
    major: 20,
    before: `import { defaultResultHandler, EndpointsFactory, EventStreamFactory, createConfig } from "express-zod-api";
import { z } from "zod";
const config = createConfig({ http: { listen: 1 }, cors: true });
export const one = new EndpointsFactory({ config, resultHandler: defaultResultHandler });
export const two = new EventStreamFactory({ events: { tick: z.number() }, config });
`,
    after: `import {
  defaultResultHandler,
  EndpointsFactory,
  EventStreamFactory,
  createConfig,
} from "sallyport";
import { z } from "zod";
const config = createConfig({ http: { listen: 1 }, cors: true });
export const one = new EndpointsFactory(defaultResultHandler);
export const two = new EventStreamFactory({ tick: z.number() });
`,
  },
  {
    rule: "plurals",
    major: 20,
    before: `import { defaultEndpointsFactory } from "express-zod-api";
const tags = ["a", "b"];
export const one = defaultEndpointsFactory.build({ methods: ["get", "post"], scopes: ["read"], tags, handler: async () => ({}) });
`,
    after: `import { defaultEndpointsFactory } from "sallyport";
const tags = ["a", "b"];
export const one = defaultEndpointsFactory.build({ method: ["get", "post"], scope: "read", tag: tags, handler: async () => ({}) });
`,
  },
  {
    rule: "summary",
    major: 29,
    before: `import { defaultEndpointsFactory } from "express-zod-api";
export const one = defaultEndpointsFactory.build({ summary: "Reads", handler: async () => ({}) });
`,
    after: `import { defaultEndpointsFactory } from "sallyport";
export const one = defaultEndpointsFactory.build({ shortDescription: "Reads", handler: async () => ({}) });
`,
  },
  {
    rule: "build-types",
    major: 27,
    before: `declare const container: { build: <Made>() => Made };
export const date = container.build<Date>();
`,
    after: `declare const container: { build: <Made>() => Made };
export const date = container.build<Date>();
`,
  },
  {
    rule: "build-types",
    major: 27,
    before: `import { defaultEndpointsFactory } from "express-zod-api";
import { z } from "zod";
const output = z.object({ a: z.string() });
export const one = defaultEndpointsFactory.build<
  typeof output,
  z.ZodObject
>({ output, handler: async () => ({ a: "" }) });
`,
    after: `import { defaultEndpointsFactory } from "sallyport";
import { z } from "zod";
const output = z.object({ a: z.string() });
export const one = defaultEndpointsFactory.build({ output, handler: async () => ({ a: "" }) });
`,
  },
  {
    rule: "deprecated-endpoints",
    major: 25,
    before: `import { defaultEndpointsFactory } from "express-zod-api";
export const one = defaultEndpointsFactory.build({
  handler: async () => ({}),
}).deprecated();
const two = ${endpoint};
export const old = two.deprecated();
`,
    after: `import { defaultEndpointsFactory } from "sallyport";
export const one = defaultEndpointsFactory.build({
  deprecated: true,
  handler: async () => ({}),
});
const two = ${endpoint};
// TODO: Set \`deprecated: true\` in the \`build\` of the endpoint. #endpoints
export const old = two.deprecated();
`,
    isIncomplete: true,
  },
  {
    rule: "event-streams",
    major: 27,
    streams: ["ticks"],
    before: `import { EventStreamFactory } from "express-zod-api";
import { z } from "zod";
const ticks = new EventStreamFactory({ time: z.number() });
export const clock = ticks.buildVoid({
  handler: async ({ ctx: { emit, isClosed } }) => {
    while (!isClosed()) emit("time", 1);
    setTimeout(() => {
      emit("time", 2);
    });
  },
});
`,
    after: `import { EventStreamFactory } from "sallyport";
import { z } from "zod";
const ticks = new EventStreamFactory({ time: z.number() });
export const clock = ticks.build({
  handler: async ({ ctx: { emit, isClosed } }) => {
    while (!isClosed()) await emit("time", 1);
    setTimeout(() => {
      // TODO: \`emit\` returns a promise: await it. #event-streams
      emit("time", 2);
    });
  },
});
`,
  },
  {
    rule: "status-codes",
    major: 29,
    before: `import { defaultEndpointsFactory, Middleware } from "express-zod-api";
export const one = defaultEndpointsFactory.build({
  statusCode: [201, 404],
  handler: async () => ({}),
});
export const two = new Middleware({
  statusCode: 429,
  handler: async () => ({}),
});
`,
    after: `import { defaultEndpointsFactory, Middleware } from "sallyport";
export const one = defaultEndpointsFactory.build({
  // TODO: Declare each status of an error in \`errors\`, and one success status as \`statusCode\`. #endpoints
  statusCode: 201,
  handler: async () => ({}),
});
export const two = new Middleware({
  // TODO: Declare each status of an error in \`errors\`, and one success status as \`statusCode\`. #middlewares
  handler: async () => ({}),
});
`,
  },
  {
    rule: "factory-parts",
    major: 29,
    before: `import { defaultEndpointsFactory } from "express-zod-api";
export const one = defaultEndpointsFactory.useCache({ maxAge: 1 });
`,
    after: `import { defaultEndpointsFactory } from "sallyport";
// TODO: Set Cache-Control in a middleware, or use \`version\` for ETags. #rate-limits-caches-and-cookies
export const one = defaultEndpointsFactory.useCache({ maxAge: 1 });
`,
    isIncomplete: true,
  },
  {
    rule: "execute",
    major: 27,
    before: `import { Middleware } from "express-zod-api";
const one = new Middleware({ handler: async () => ({}) });
export const run = () => one.execute({} as never);
`,
    after: `import { Middleware } from "sallyport";
const one = new Middleware({ handler: async () => ({}) });
// TODO: \`execute\` is not public: call \`testEndpoint\`, or a function of your own. #tests
export const run = () => one.execute({} as never);
`,
    isIncomplete: true,
  },
  {
    rule: "context",
    major: 25,
    before: `import { defaultEndpointsFactory, Middleware } from "express-zod-api";
const factory = defaultEndpointsFactory.addMiddleware({ handler: async () => ({ user: "Ada" }) });
export const one = factory.build({ handler: async ({ options }) => ({ options, name: options.user }) });
export const two = factory.build({ handler: async ({ options: { user } }) => ({ user }) });
export const three = factory.build({ handler: async (all) => ({ user: all.options.user }) });
export const four = factory.build({
  handler: async ({ options }) => {
    const ctx = { a: options.user };
    return ctx;
  },
});
export const five = new Middleware({
  handler: async ({ options }: { options: { user: string } }) => ({ upper: options.user.toUpperCase() }),
});
const six = async ({ options: given }: { options: { user: string } }) => ({ given: given.user });
export const seven = factory.build({ handler: six });
`,
    after: `import { defaultEndpointsFactory, Middleware } from "sallyport";
const factory = defaultEndpointsFactory.addMiddleware({ handler: async () => ({ user: "Ada" }) });
export const one = factory.build({ handler: async ({ ctx }) => ({ options: ctx, name: ctx.user }) });
export const two = factory.build({ handler: async ({ ctx: { user } }) => ({ user }) });
export const three = factory.build({ handler: async (all) => ({ user: all.ctx.user }) });
export const four = factory.build({
  handler: async ({ ctx: options }) => {
    const ctx = { a: options.user };
    return ctx;
  },
});
export const five = new Middleware({
  handler: async ({ ctx }: { ctx: { user: string } }) => ({ upper: ctx.user.toUpperCase() }),
});
const six = async ({ ctx: given }: { ctx: { user: string } }) => ({ given: given.user });
export const seven = factory.build({ handler: six });
`,
  },
  {
    rule: "add-context",
    major: 18,
    before: `import { defaultEndpointsFactory } from "express-zod-api";
const db = { name: "db" };
export const one = defaultEndpointsFactory.addOptions({ a: 1 });
export const two = defaultEndpointsFactory.addOptions(db);
export const three = defaultEndpointsFactory.addOptions(async () => ({ db }));
`,
    after: `import { defaultEndpointsFactory } from "sallyport";
const db = { name: "db" };
export const one = defaultEndpointsFactory.addContext(() => ({ a: 1 }));
export const two = defaultEndpointsFactory.addContext(() => (db));
export const three = defaultEndpointsFactory.addContext(async () => ({ db }));
`,
  },
  {
    rule: "middleware-types",
    major: 27,
    before: `import { Middleware, type FlatObject } from "express-zod-api";
export const one = new Middleware<{ a: string }, { b: string }, string>({
  handler: async ({ ctx }) => ({ b: ctx.a }),
});
export const two = new Middleware<FlatObject, { b: string }, string>({
  handler: async () => ({ b: "" }),
});
export const three = new Middleware<{ a: string }, { b: string }, string>({
  handler: async ({ ctx, request }) => ({ b: ctx.a + request.path }),
});
`,
    after: `import { Middleware, type HandlerArguments } from "sallyport";
export const one = new Middleware({
  handler: async ({ ctx }: { ctx: { a: string } }) => ({ b: ctx.a }),
});
export const two = new Middleware({
  handler: async () => ({ b: "" }),
});
export const three = new Middleware({
  handler: async ({ ctx, request }: HandlerArguments<object, { a: string }>) => ({ b: ctx.a + request.path }),
});
`,
  },
  {
    rule: "empty-input",
    major: 19,
    before: `import { createMiddleware } from "express-zod-api";
import { z } from "zod";
export const one = createMiddleware({
  input: z.object({}),
  middleware: async () => ({ a: 1 }),
});
export const two = createMiddleware({ input: z.object({}), middleware: async ({ input }) => input });
`,
    after: `import { Middleware } from "sallyport";
import { z } from "zod";
export const one = new Middleware({
  handler: async () => ({ a: 1 }),
});
export const two = new Middleware({ input: z.object({}), handler: async ({ input }) => input });
`,
  },
  {
    rule: "create-middleware",
    major: 19,
    before: `import { createMiddleware } from "express-zod-api";
import { z } from "zod";
const middleware = async () => ({ a: 1 });
export const one = createMiddleware({ input: z.object({ a: z.string() }), middleware });
export const two = createMiddleware({
  input: z.object({ a: z.string() }),
  async middleware({ input }) {
    return { b: input.a };
  },
});
`,
    after: `import { Middleware } from "sallyport";
import { z } from "zod";
const middleware = async () => ({ a: 1 });
export const one = new Middleware({ input: z.object({ a: z.string() }), handler: middleware });
export const two = new Middleware({
  input: z.object({ a: z.string() }),
  async handler({ input }) {
    return { b: input.a };
  },
});
`,
  },
  {
    rule: "express-middleware",
    major: 25,
    before: `import { defaultEndpointsFactory } from "express-zod-api";
export const one = defaultEndpointsFactory.addExpressMiddleware((_request, _response, next) => next());
`,
    after: `import { defaultEndpointsFactory } from "sallyport";
export const one = defaultEndpointsFactory.use((_request, _response, next) => next());
`,
  },
  {
    rule: "create-result-handler",
    major: 19,
    before: `import { createResultHandler } from "express-zod-api";
import { z } from "zod";
const getNegativeResponse = () => z.string();
export const one = createResultHandler({
  getPositiveResponse: () => z.string(),
  getNegativeResponse,
  handler: ({ response, error }) => void response.send(error?.message ?? "ok"),
});
`,
    after: `import { ResultHandler } from "sallyport";
import { z } from "zod";
const getNegativeResponse = () => z.string();
export const one = new ResultHandler({
  positive: () => z.string(),
  negative: getNegativeResponse,
  handler: ({ response, error }) => void response.send(error?.message ?? "ok"),
});
`,
  },
  {
    rule: "result-handler-types",
    major: 25,
    before: `import { ResultHandler, type IOSchema } from "express-zod-api";
import { z } from "zod";
export const one = new ResultHandler<z.ZodObject<{ data: IOSchema }>, z.ZodString>({
  positive: (data: IOSchema) => z.object({ data }),
  negative: z.string(),
  handler: ({ response }) => void response.end(),
});
`,
    after: `import { ResultHandler } from "sallyport";
import { z } from "zod";
export const one = new ResultHandler({
  positive: (data) => z.object({ data }),
  negative: z.string(),
  handler: ({ response }) => void response.end(),
});
`,
  },
  {
    rule: "response-plurals",
    major: 20,
    before: `import { ResultHandler } from "express-zod-api";
import { z } from "zod";
export const one = new ResultHandler({
  positive: { schema: z.string(), mimeTypes: ["text/csv"] },
  negative: [{ schema: z.string(), statusCodes: [400, 404] }],
  handler: ({ response }) => void response.end(),
});
`,
    after: `import { ResultHandler } from "sallyport";
import { z } from "zod";
export const one = new ResultHandler({
  positive: { schema: z.string(), mimeType: ["text/csv"] },
  negative: [{ schema: z.string(), statusCode: [400, 404] }],
  handler: ({ response }) => void response.end(),
});
`,
  },
  {
    rule: "response-helpers",
    major: 20,
    before: `import { getStatusCodeFromError as toStatus } from "express-zod-api";
export const status = (error: Error) => toStatus(error);
`,
    after: `import { ensureHttpError } from "sallyport";
export const status = (error: Error) => ensureHttpError(error).statusCode;
`,
  },
  {
    rule: "response-helpers",
    major: 29,
    before: `import { createApiResponse } from "express-zod-api";
import { z } from "zod";
export const csv = createApiResponse({ schema: z.string(), mimeType: "text/csv" });
`,
    after: `import { z } from "zod";
export const csv = { schema: z.string(), mimeType: "text/csv" };
`,
  },
  {
    rule: "original-error",
    major: 20,
    before: `import { InputValidationError } from "express-zod-api";
export const why = (error: Error) => error instanceof InputValidationError && error.originalError;
`,
    after: `import { InputValidationError } from "sallyport";
export const why = (error: Error) => error instanceof InputValidationError && error.cause;
`,
  },
  {
    rule: "types",
    major: 22,
    before: `import type { AbstractEndpoint, CustomHeaderSecurity, FlatObject, IOSchema } from "express-zod-api";
export const header: CustomHeaderSecurity = { type: "header", name: "x-key" };
export const fields: FlatObject = { a: 1 };
export const all: AbstractEndpoint[] = [];
export const keep = <Schema extends IOSchema>(schema: Schema): Schema => schema;
`,
    after: `import type { AnyEndpoint, Security } from "sallyport";
import { z } from "zod";
export const header: Extract<Security, { name: string }> = { type: "header", name: "x-key" };
export const fields: Record<string, unknown> = { a: 1 };
export const all: AnyEndpoint[] = [];
export const keep = <Schema extends z.ZodType<Record<string, unknown>>>(schema: Schema): Schema => schema;
`,
  },
  {
    rule: "types",
    major: 22,
    before: `import type { IOSchema as S } from "express-zod-api";
export type { S };
`,
    after: `// TODO: Export a type of your own instead, such as \`type S = z.ZodType<Record<string, unknown>>\`. #imports
export type { S };
`,
    isIncomplete: true,
  },
  {
    rule: "specifiers",
    major: 27,
    before: `export { createConfig } from 'express-zod-api';
declare module "express-zod-api" {
  interface LoggerOverrides {
    trace?: (text: string) => void;
  }
}
export type Map = import("express-zod-api").Routing;
`,
    after: `export { createConfig } from 'sallyport';
declare module "sallyport" {
  interface LoggerOverrides {
    trace?: (text: string) => void;
  }
}
export type Map = import("sallyport").Routing;
`,
  },
  {
    rule: "imports",
    major: 13,
    before: `import { createHttpError, defaultEndpointsFactory as factory, testEndpoint, DocumentationError } from 'express-zod-api'
import "@express-zod-api/zod-plugin"
export const one = factory.build({ handler: async () => { throw createHttpError(404) } })
export const run = () => testEndpoint({ endpoint: one })
export const is = (error: unknown) => error instanceof DocumentationError
`,
    after: `import createHttpError from 'http-errors'
import { defaultEndpointsFactory as factory } from 'sallyport'
import { testEndpoint } from 'sallyport/testing'
import { OpenApiError as DocumentationError } from 'sallyport/openapi'
export const one = factory.build({ handler: async () => { throw createHttpError(404) } })
export const run = () => testEndpoint({ endpoint: one })
export const is = (error: unknown) => error instanceof DocumentationError
`,
  },
];
