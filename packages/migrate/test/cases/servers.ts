import type { Case } from "./case.ts";

const factory = `import { defaultEndpointsFactory } from "express-zod-api";\n`;
const one = `const one = defaultEndpointsFactory.build({ handler: async () => ({}) });\n`;

export const serverCases: readonly Case[] = [
  {
    rule: "server",
    major: 20,
    before: `import { createConfig } from "express-zod-api";
export const config = createConfig({
  cors: true,
  server: {
    listen: 8090,
    upload: {
      limits: { fileSize: 5 },
    },
    compression: true,
  },
});
`,
    after: `import { createConfig } from "sallyport";
export const config = createConfig({
  cors: true,
  http: { listen: 8090 },
  upload: {
    limits: { fileSize: 5 },
  },
  compression: true,
});
`,
  },
  {
    rule: "parsers",
    major: 27,
    before: `import express from "express";
import { createConfig } from "express-zod-api";
export const config = createConfig({
  http: { listen: 8090 },
  jsonParser: express.json(),
  cors: true,
  formParser: express.urlencoded(),
});
`,
    after: `import express from "express";
import { createConfig } from "sallyport";
export const config = createConfig({
  http: { listen: 8090 },
  // TODO: JSON is parsed by the framework: set \`bodyLimit\` if the parser had a \`limit\`. #parsers
  cors: true,
  // TODO: Forms are parsed by the framework: set \`bodyLimit\`, and \`queryParser: "extended"\` for nested fields. #parsers
});
`,
  },
  {
    rule: "wrong-methods",
    major: 28,
    before: `import { createConfig } from "express-zod-api";
const isKind = Math.random() > 1;
export const config = createConfig({
  cors: true,
  hintAllowedMethods: isKind,
  recognizeMethodDependentRoutes: false,
});
`,
    after: `import { createConfig } from "sallyport";
const isKind = Math.random() > 1;
export const config = createConfig({
  cors: true,
  wrongMethodBehavior: isKind ? 405 : 404,
  methodLikeRouteBehavior: "path",
});
`,
  },
  {
    rule: "cors",
    major: 29,
    before: `import cors from "cors";
import { createConfig } from "express-zod-api";
export const config = createConfig({
  http: { listen: 8090 },
  cors: cors({ origin: "https://example.com" }),
});
export const other = createConfig({
  cors: cors(),
  beforeRouting: ({ app }) => void app.disable("etag"),
});
`,
    after: `import cors from "cors";
import { createConfig } from "sallyport";
export const config = createConfig({
  http: { listen: 8090 },
  cors: false,
  beforeRouting: ({ app }) => void app.use(cors({ origin: "https://example.com" })),
});
export const other = createConfig({
  // TODO: Set \`cors: false\`, and add the handler to \`beforeRouting\`: app.use(…). #cors
  cors: cors(),
  beforeRouting: ({ app }) => void app.disable("etag"),
});
`,
    isIncomplete: true,
  },
  {
    rule: "hooks",
    major: 20,
    before: `import { createConfig } from "express-zod-api";
export const config = createConfig({
  cors: true,
  beforeRouting: ({ app, logger, getChildLogger }) => {
    logger.info("Starting");
    app.use((request, _response, next) => {
      getChildLogger(request).debug("Here");
      next();
    });
  },
});
`,
    after: `import { createConfig } from "sallyport";
export const config = createConfig({
  cors: true,
  beforeRouting: ({ app, getLogger }) => {
    getLogger().info("Starting");
    app.use((request, _response, next) => {
      getLogger(request).debug("Here");
      next();
    });
  },
});
`,
  },
  {
    rule: "hooks",
    major: 29,
    before: `import { createConfig } from "express-zod-api";
export const config = createConfig({ cors: true, beforeParsers: ({ app }) => void app.disable("etag") });
`,
    after: `import { createConfig } from "sallyport";
export const config = createConfig({ cors: true, beforeRouting: ({ app }) => void app.disable("etag") });
`,
  },
  {
    rule: "uploads",
    major: 25,
    before: `import { createConfig, type ServerConfig } from "express-zod-api";
export const config: ServerConfig = {
  cors: true,
  upload: {
    limits: { fileSize: 5, headerPairs: 3 },
    useTempFiles: true,
    beforeUpload: ({ request }) => void request.path,
  },
  compression: { level: 3, strategy: 2 },
};
export const same = createConfig({ cors: false, upload: true });
`,
    after: `import { createConfig, type ServerConfig } from "sallyport";
export const config: ServerConfig = {
  cors: true,
  upload: {
    // TODO: There is no option \`headerPairs\`. #uploads
    limits: { fileSize: 5 },
    // TODO: There is no option \`useTempFiles\`. #uploads
    beforeUpload: ({ request }) => void request.path,
  },
  // TODO: There is no option \`strategy\`. #configuration
  compression: { level: 3 },
};
export const same = createConfig({ cors: false, upload: true });
`,
  },
  {
    rule: "cookies",
    major: 28,
    before: `import { createConfig } from "express-zod-api";
export const config = createConfig({ cors: true, cookies: { secret: "s", decode: String } });
`,
    after: `import { createConfig } from "sallyport";
// TODO: There is no option \`decode\`. #configuration
export const config = createConfig({ cors: true, cookies: { secret: "s" } });
`,
  },
  {
    rule: "tags",
    major: 22,
    before: `import { createConfig } from "express-zod-api";
declare module "express-zod-api" {
  interface TagOverrides {
    users: unknown;
  }
}
export const config = createConfig({
  cors: true,
  tags: { users: "All users" },
});
`,
    after: `import { createConfig } from "sallyport";
export const config = createConfig({
  cors: true,
  // TODO: Pass the tags to \`docs\` or \`generateOpenApi\`: tags: { users: "All users" }. #documents-and-clients
});
`,
  },
  {
    rule: "header-source",
    major: 22,
    before: `import { createConfig } from "express-zod-api";
export const config = createConfig({
  cors: true,
  inputSources: { get: ["headers", "query"] },
});
`,
    after: `import { createConfig } from "sallyport";
export const config = createConfig({
  cors: true,
  // TODO: Only fields that begin with \`x-\` are input: declare others in \`headers\` of an endpoint or a middleware. #header-fields
  inputSources: { get: ["headers", "query"] },
});
`,
  },
  {
    rule: "loggers",
    major: 22,
    before: `import { createConfig } from "express-zod-api";
export const config = createConfig({
  cors: true,
  logger: {
    level: "debug",
    ctx: { pid: 1 },
  },
});
`,
    after: `import { createConfig } from "sallyport";
export const config = createConfig({
  cors: true,
  logger: {
    level: "debug",
    // TODO: Add fields to each line in \`childLoggerProvider\`. #loggers
  },
});
`,
  },
  {
    rule: "method-segments",
    major: 25,
    before: `${factory}import type { Routing } from "express-zod-api";
${one}export const routing: Routing = { users: { get: one, post: { all: one } } };
`,
    after: `import { defaultEndpointsFactory, type Routing } from "sallyport";
${one}export const routing = { users: { "/get": one, post: { all: one } } } satisfies Routing;
`,
  },
  {
    rule: "depends-on-method",
    major: 25,
    before: `import { defaultEndpointsFactory, DependsOnMethod } from "express-zod-api";
${one}const methods = { get: one };
export const routing = {
  users: new DependsOnMethod({ get: one }).nest({ ":id": new DependsOnMethod({ put: one }) }),
  all: new DependsOnMethod(methods).nest({
    of: one,
  }),
  same: new DependsOnMethod(methods),
};
`,
    after: `import { defaultEndpointsFactory } from "sallyport";
${one}const methods = { get: one };
export const routing = {
  users: { get: one, ":id": { put: one } },
  all: { ...methods,
    of: one,
  },
  same: methods,
};
`,
  },
  {
    rule: "satisfies-routing",
    major: 27,
    before: `${factory}import { Routing } from "express-zod-api";
${one}export const routing: Routing = {
  one,
};
`,
    after: `import { defaultEndpointsFactory, type Routing } from "sallyport";
${one}export const routing = {
  one,
} satisfies Routing;
`,
  },
  {
    rule: "path-patterns",
    major: 22,
    before: `${factory}import { Routing } from "express-zod-api";
${one}export const routing: Routing = { "users/:id?": one };
`,
    after: `import { defaultEndpointsFactory, type Routing } from "sallyport";
${one}// TODO: Write one key for each path, with \`:name\` and \`*rest\` only. #routing
export const routing = { "users/:id?": one } satisfies Routing;
`,
  },
  {
    rule: "routing-internals",
    major: 20,
    before: `${factory}${one}export const methods = () => one.getMethods();
`,
    after: `import { defaultEndpointsFactory } from "sallyport";
${one}// TODO: Endpoints have no public getters: read the document of \`generateOpenApi\`. #routing
export const methods = () => one.getMethods();
`,
    isIncomplete: true,
  },
  {
    rule: "server-result",
    major: 20,
    before: `import { createConfig, createServer } from "express-zod-api";
const { app, httpServer: http, httpsServer } = await createServer(createConfig({ cors: true }), {});
export { app, http, httpsServer };
`,
    after: `import { createConfig, createServer } from "sallyport";
const { app, servers: [http, httpsServer] } = await createServer(createConfig({ cors: true }), {});
export { app, http, httpsServer };
`,
  },
  {
    rule: "await-server",
    major: 29,
    before: `import { createConfig, createServer } from "express-zod-api";
const { app } = createServer(createConfig({ cors: true }), {});
export const start = () => {
  createServer(createConfig({ cors: true }), {});
  const server = createServer(createConfig({ cors: true }), {});
  return server;
};
export { app };
`,
    after: `import { createConfig, createServer } from "sallyport";
const { app } = await createServer(createConfig({ cors: true }), {});
export const start = () => {
  void createServer(createConfig({ cors: true }), {});
  // TODO: \`createServer\` returns a promise: await it. #starting
  const server = createServer(createConfig({ cors: true }), {});
  return server;
};
export { app };
`,
  },
  {
    rule: "test-options",
    major: 19,
    before: `${factory}import { testEndpoint, testMiddleware, createMiddleware, defaultResultHandler } from "express-zod-api";
${one}const two = createMiddleware({ middleware: async () => ({}) });
export const run = () =>
  testEndpoint({
    endpoint: one,
    responseProps: { locals: { a: 1 } },
    fnMethod: () => undefined,
  });
export const check = () => testMiddleware({ middleware: two, options: {}, errorHandler: defaultResultHandler });
`,
    after: `import { defaultEndpointsFactory, defaultResultHandler, Middleware } from "sallyport";
import { testEndpoint, testMiddleware } from "sallyport/testing";
${one}const two = new Middleware({ handler: async () => ({}) });
export const run = () =>
  testEndpoint({
    endpoint: one,
    responseOptions: { locals: { a: 1 } },
  });
export const check = () => testMiddleware({ middleware: two, ctx: {}, configProps: { errorHandler: defaultResultHandler } });
`,
  },
  {
    rule: "mock-assertions",
    major: 19,
    before: `${factory}import { testEndpoint } from "express-zod-api";
import { expect } from "vitest";
${one}const { responseMock, loggerMock } = await testEndpoint({ endpoint: one });
expect(responseMock.status).toHaveBeenCalledTimes(1);
expect(responseMock.status).toHaveBeenCalledWith(200);
expect(responseMock.set).toHaveBeenCalledWith("X-Key", "a");
expect(responseMock.json).not.toHaveBeenCalledWith({ a: 1 });
expect(responseMock.end).toHaveBeenCalled();
expect(loggerMock.error).not.toHaveBeenCalled();
expect(loggerMock.warn).toHaveBeenCalledWith("Text", { a: 1 });
expect(responseMock.redirect).toHaveBeenCalledWith("/");
`,
    after: `import { defaultEndpointsFactory } from "sallyport";
import { testEndpoint } from "sallyport/testing";
import { expect } from "vitest";
${one}const { responseMock, loggerMock } = await testEndpoint({ endpoint: one });
expect(responseMock._getStatusCode()).toBe(200);
expect(responseMock._getHeaders()["x-key"]).toBe("a");
expect(responseMock._getJSONData()).not.toEqual({ a: 1 });
expect(responseMock._isEndCalled()).toBe(true);
expect(loggerMock._getLogs().error).toHaveLength(0);
expect(loggerMock._getLogs().warn).toContainEqual(["Text", { a: 1 }]);
// TODO: Check what the client receives: \`_getStatusCode()\`, \`_getJSONData()\`, \`_getHeaders()\`. #tests
expect(responseMock.redirect).toHaveBeenCalledWith("/");
`,
  },
  {
    rule: "json-data",
    major: 20,
    before: `${factory}import { testEndpoint } from "express-zod-api";
${one}const { responseMock } = await testEndpoint({ endpoint: one });
export const data: unknown = JSON.parse(responseMock._getData());
`,
    after: `import { defaultEndpointsFactory } from "sallyport";
import { testEndpoint } from "sallyport/testing";
${one}const { responseMock } = await testEndpoint({ endpoint: one });
export const data: unknown = responseMock._getJSONData();
`,
  },
  {
    rule: "mock-types",
    major: 20,
    before: `${factory}import { testEndpoint } from "express-zod-api";
${one}const { responseMock } = await testEndpoint({ endpoint: one });
export const text = responseMock._getStatusMessage();
`,
    after: `import { defaultEndpointsFactory } from "sallyport";
import { testEndpoint } from "sallyport/testing";
${one}const { responseMock } = await testEndpoint({ endpoint: one });
// TODO: There is no \`_getStatusMessage\`: read a member of the request or the response. #tests
export const text = responseMock._getStatusMessage();
`,
    isIncomplete: true,
  },
  {
    rule: "documentation",
    major: 29,
    before: `import { Documentation } from "express-zod-api/documentation";
const document = new Documentation({ routing: {}, config: {}, info: { title: "A", version: "1" }, server: "/", summarizer: () => "" });
export const yaml = document.getSpecAsYaml();
export const json = new Documentation({ routing: {}, config: {}, title: "A", version: "1" }).getSpecAsJson(undefined, 2);
`,
    after: `import { generateOpenApi, toYaml } from "sallyport/openapi";
// TODO: Without counterpart: summarizer. #documents-and-clients
const document = generateOpenApi({ routing: {}, config: {}, info: { title: "A", version: "1" }, servers: "/" });
export const yaml = toYaml(document);
export const json = JSON.stringify(generateOpenApi({ routing: {}, config: {}, info: { title: "A", version: "1" } }), null, 2);
`,
  },
  {
    rule: "integration",
    major: 28,
    before: `import { Integration } from "express-zod-api";
export const text = await (await Integration.create({ routing: {}, config: {} })).printFormatted();
`,
    after: `import { generateClient } from "sallyport/generate-client";
// TODO: The client differs: it has typed statuses, pages and files. #documents-and-clients
export const text = generateClient({ routing: {}, config: {} });
`,
  },
  {
    rule: "without-counterpart",
    major: 22,
    before: `import { BuiltinLogger } from "express-zod-api";
export const logger = new BuiltinLogger();
`,
    after: `// TODO: Pass \`logger: { level, color, depth }\`, or a logger of your own. #loggers
export const logger = new BuiltinLogger();
`,
    isIncomplete: true,
  },
];
