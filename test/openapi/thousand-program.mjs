// Generates the document of 1,000 endpoints, and counts the work, without that of creating the endpoints.
import { Session } from "node:inspector/promises";
import { defaultEndpointsFactory, ez, Middleware } from "../../src/index.ts";
import { generateOpenApi } from "../../src/describe/openapi/index.ts";
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

const session = new Session();
session.connect();
await session.post("Profiler.enable");
await session.post("Profiler.startPreciseCoverage", { callCount: true });
let characters = 0;
const { stringify } = JSON;
// built-in functions are not among those that the profiler counts
JSON.stringify = (...args) => {
  const text = stringify(...args);
  characters += text?.length ?? 0;
  return text;
};
const document = generateOpenApi({ routing, info: { title: "Things", version: "1" } });
JSON.stringify = stringify;
const { result } = await session.post("Profiler.takePreciseCoverage");
const calls = result
  .filter(({ url }) => url.startsWith("file:") && url !== import.meta.url)
  .flatMap(({ functions }) => functions.map(({ ranges: [whole] }) => whole.count))
  .reduce((sum, count) => sum + count, 0);
const operations = Object.values(document.paths).flatMap((item) => Object.keys(item)).length;
process.stdout.write(`${JSON.stringify({ operations, calls, characters })}\n`);
