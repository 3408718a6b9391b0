// Generates the document of 1,000 endpoints, and reports its cost, without that of creating the endpoints.
import { defaultEndpointsFactory, ez, Middleware } from "../../src/index.ts";
import { generateOpenApi } from "../../src/openapi/index.ts";
import { z } from "zod";

const guard = new Middleware({
  security: { type: "header", name: "x-api-key" },
  handler: () => ({}),
});
const factory = defaultEndpointsFactory.addMiddleware(guard);
const address = z.object({ street: z.string(), city: z.string() }).meta({ id: "Address" });

const toItem = (at) => {
  const fields = z.object({
    name: z.string().min(1).max(100).describe("How to call it"),
    email: z.email(),
    role: z.enum(["admin", "member"]).default("member"),
    tags: z.array(z.string()).max(10).optional(),
    address,
    createdAt: ez.dateIn(),
  });
  return at % 2 === 0 ? fields.meta({ id: `Item${at}` }) : fields;
};

const routing = {};
for (let at = 0; at < 250; at++) {
  const id = z.uuid().describe("Which one");
  const item = toItem(at);
  const output = z.object({ id, item: ez.encode(item) });
  const common = { tag: `things${at % 10}`, errors: { 404: "There is none" } };
  const handler = () => ({});
  const page = ez.paginated({ style: "offset", itemSchema: output });
  routing[`things${at}`] = {
    get: factory.build({ ...common, input: page.input, output: page.output, handler }),
    post: factory.build({ ...common, statusCode: 201, input: item, output, handler }),
    ":id": {
      get: factory.build({ ...common, input: z.object({ id }), output, handler }),
      put: factory.build({ ...common, input: item.extend({ id }), output, handler }),
    },
  };
}

globalThis.gc();
const before = process.memoryUsage().rss;
const start = process.cpuUsage();
const document = generateOpenApi({ routing, info: { title: "Things", version: "1" } });
const { user, system } = process.cpuUsage(start);
const operations = Object.values(document.paths).flatMap((item) => Object.keys(item)).length;
const { maxRSS } = process.resourceUsage();
const cost = {
  operations,
  milliseconds: Math.round((user + system) / 1000),
  megabytes: Math.round((maxRSS * 1024 - before) / 2 ** 20),
};
process.stdout.write(`${JSON.stringify(cost)}\n`);
