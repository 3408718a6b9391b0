import type { Case } from "./case.ts";

/** Comments that stay, and what depends on the kind of the file or on what it declares. */
export const layoutCases: readonly Case[] = [
  {
    rule: "server",
    major: 18,
    before: `import { createConfig } from "express-zod-api";
export const config = createConfig({
  server: {
    // where clients are
    listen: 8090, // the port
    /* for avatars */
    upload: true, // small ones
  },
  cors: true,
});
`,
    after: `import { createConfig } from "sallyport";
export const config = createConfig({
  // where clients are
  http: { listen: 8090 }, // the port
  /* for avatars */
  upload: true, // small ones
  cors: true,
});
`,
  },
  {
    rule: "documentation",
    major: 24,
    before: `import { Documentation } from "express-zod-api";
import { routing } from "./routing";
// how it is published
console.log(
  new Documentation({
    // what is served
    routing,
    config: { cors: true, inputSources: {} },
    version: "1", // as in package.json
    title: "Shop",
    // seen by clients
    serverUrl: "/", // one
    composition: "inline",
  }).getSpecAsYaml(),
);
`,
    after: `import { generateOpenApi, toYaml } from "sallyport/openapi";
import { routing } from "./routing";
// how it is published
console.log(
  toYaml(generateOpenApi({
    // what is served
    routing,
    config: { inputSources: {} },
    info: { version: "1", title: "Shop" }, // as in package.json
    // seen by clients
    servers: "/", // one
    // TODO: Without counterpart: composition. #documents-and-clients
  })),
);
`,
    isIncomplete: true,
  },
  {
    rule: "integration",
    major: 20,
    before: `import { Integration } from "express-zod-api";
import { routing } from "./routing";
const generateClient = () => new Integration({ routing }).printFormatted().then(console.log);
void generateClient();
`,
    after: `import { generateClient as sallyportGenerateClient } from "sallyport/generate-client";
import { routing } from "./routing";
// TODO: The client differs: it has typed statuses, pages and files. #documents-and-clients
const generateClient = () => Promise.resolve(sallyportGenerateClient({ routing })).then(console.log);
void generateClient();
`,
    isIncomplete: true,
  },
  {
    rule: "imports",
    major: 25,
    before: `import { z } from "zod"; // schemas
// the framework
import { createConfig } from "express-zod-api"; // of before
// its tools
import { DependsOnMethod } from "express-zod-api";
// all else
export const config = [createConfig({ cors: true }), z.string(), new DependsOnMethod({})];
`,
    after: `import { z } from "zod"; // schemas
// the framework
import { createConfig } from "sallyport"; // of before
// its tools
// all else
export const config = [createConfig({ cors: true }), z.string(), {}];
`,
  },
  {
    rule: "await-server",
    major: 29,
    isCommonJs: true,
    before: `import { createServer, attachRouting } from "express-zod-api";
createServer({ cors: true }, {});
const { app } = createServer({ cors: true }, {});
attachRouting({ cors: true, app }, {}).then(({ notFoundHandler }) => app.use(notFoundHandler));
`,
    after: `import { createServer, attachRouting } from "sallyport";
void createServer({ cors: true }, {});
// TODO: \`createServer\` returns a promise: await it. #starting
const { app } = createServer({ cors: true }, {});
Promise.resolve(attachRouting({ cors: true, app }, {})).then(({ notFoundHandler }) => app.use(notFoundHandler));
`,
    isIncomplete: true,
  },
  {
    rule: "requires",
    major: 19,
    isCommonJs: true,
    before: `// the framework
const { createConfig, createMiddleware: make, testEndpoint } = require("express-zod-api");
const { DependsOnMethod } = require("express-zod-api");
module.exports = { config: createConfig({ cors: true }), testEndpoint, map: new DependsOnMethod({}) };
module.exports.pass = make({ input: z.object({}), middleware: async () => ({}) });
`,
    after: `// the framework
const { createConfig, Middleware } = require("sallyport");
const { testEndpoint } = require("sallyport/testing");
module.exports = { config: createConfig({ cors: true }), testEndpoint, map: {} };
module.exports.pass = new Middleware({ handler: async () => ({}) });
`,
    isIncomplete: true,
  },
  {
    rule: "json-data",
    major: 26,
    before: `import { testEndpoint } from "express-zod-api";
declare const endpoint: any;
const { responseMock } = await testEndpoint({ endpoint });
expect(responseMock._getJSONData().data.id).toBe(1);
const id: string = responseMock._getJSONData().data.id;
const body = JSON.parse(responseMock._getData());
expect(responseMock
  ._getJSONData()
  .data.some((one: number) => one > 1)).toBe(true);
const named = responseMock._getJSONData() as { id: string };
export const all = [id, body, named];
`,
    after: `import { testEndpoint } from "sallyport/testing";
declare const endpoint: any;
const { responseMock } = await testEndpoint({ endpoint });
expect(responseMock._getJSONData().data.id).toBe(1);
const id: string = responseMock._getJSONData<any>().data.id;
const body = responseMock._getJSONData<any>();
expect(responseMock
  ._getJSONData<any>()
  .data.some((one: number) => one > 1)).toBe(true);
const named = responseMock._getJSONData() as { id: string };
export const all = [id, body, named];
`,
    isIncomplete: true,
  },
];
