// npm run bench:types -- client: what a typed client costs the compiler, beside its server. Instantiations are deterministic.
import { parseArgs } from "node:util";
import { createBench, range } from "./compile.mjs";

const { values } = parseArgs({
  options: {
    compiler: { type: "string" },
    endpoints: { type: "string", default: "100,300,1000" },
    json: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});

const methods = ["get", "post", "get", "patch", "delete"];

/** An endpoint of 4 fields in and 5 out, one of them nested. */
const toEndpoint = (index) => `
export const endpoint${index} = factory.build({
  method: "${methods[index % 5]}",
  input: z.object({
    id: z.string(),
    name${index}: z.string().min(1),
    age: z.number().optional(),
    tag: z.enum(["a", "b"]),
  }),
  output: z.object({
    id: z.string(),
    name${index}: z.string(),
    role: z.enum(["admin", "member"]),
    tags: z.array(z.string()),
    address: z.object({ street: z.string(), size: z.number() }),
  }),
  handler: async ({ input }) => ({
    id: input.id,
    name${index}: input.name${index},
    role: "admin",
    tags: [],
    address: { street: "", size: input.age ?? 0 },
  }),
});`;

/** Five endpoints a resource: two of the collection, three of a member of it. */
const toRouting = (endpoints) => `
export const routing = {
  v1: {${range(endpoints / 5)
    .map((group) => {
      const [list, create, read, update, remove] = range(5).map(
        (of) => `endpoint${group * 5 + of}`,
      );
      return `
    things${group}: {
      get: ${list},
      post: ${create},
      ":id": { get: ${read}, patch: ${update}, delete: ${remove} },
    },`;
    })
    .join("")}
  },
};`;

const toApi = (endpoints, end) =>
  [
    `import { createConfig, createServer, defaultEndpointsFactory as factory } from "sallyport";`,
    `import { z } from "zod";`,
    ...range(endpoints).map(toEndpoint),
    toRouting(endpoints),
    end,
  ].join("\n");

const toServer = (endpoints) =>
  toApi(endpoints, "void createServer(createConfig({ cors: true }), routing);");

/** What `sallyport client --types` does, without a server. */
const toPrinter = (endpoints) =>
  toApi(
    endpoints,
    `import { generateClient } from "sallyport/generate-client";
process.stdout.write(generateClient({ routing, types: true }));`,
  );

/** Twenty calls, all over the routes; each uses the input and the nested object of the output. */
const toClient = (endpoints, calls = 20) =>
  [
    `import { createClient } from "sallyport/client";`,
    `import type { routing } from "./server.js";`,
    `const client = createClient<typeof routing>({ baseUrl: "/" });`,
    ...range(calls).map((call) => {
      const index = Math.floor((call * endpoints) / 20) + (call % 5);
      const path = `/v1/things${Math.floor(index / 5)}${index % 5 < 2 ? "" : "/:id"}`;
      return `
const response${call} = await client.provide("${methods[index % 5]} ${path}", { id: "1", name${index}: "n", tag: "a" });
if (response${call}.status === "success") console.log(response${call}.data.address.size);`;
    }),
    "export {};",
  ].join("\n");

const measureAll = ({ write, remove, measure, declareFile, execute }, endpoints) => {
  write("server.ts", toServer(endpoints));
  write("client.ts", toClient(endpoints));
  write("idle.ts", toClient(endpoints, 0));
  const server = measure("server.ts");
  const both = measure("client.ts");
  declareFile("server.ts");
  const declarations = measure("client.ts");
  const idle = measure("idle.ts");
  write("print.ts", toPrinter(endpoints));
  write("server.d.ts", execute("print.ts"));
  remove("print.ts");
  const written = measure("client.ts");
  const idleOnWritten = measure("idle.ts");
  return {
    endpoints,
    server,
    both,
    written,
    clientOnWritten: written.instantiations - idleOnWritten.instantiations,
    client: both.instantiations - server.instantiations,
    declarations,
    clientOnDeclarations: declarations.instantiations - idle.instantiations,
  };
};

const print = (version, results) => {
  process.stdout.write(`${version}\n\n`);
  const show = ({ instantiations, megabytes, seconds }) =>
    `${(instantiations / 1000).toFixed(1).padStart(7)}k ${megabytes.toFixed(0).padStart(4)} MB ${seconds.toFixed(2)} s`;
  for (const result of results) {
    const { endpoints, server, both, client } = result;
    const { declarations, clientOnDeclarations, written, clientOnWritten } = result;
    process.stdout.write(
      `${String(endpoints).padStart(5)} endpoints: server ${show(server)}; with a client ${show(both)}; the client alone ${(client / 1000).toFixed(1)}k
                 on emitted declarations ${show(declarations)}; the client alone ${(clientOnDeclarations / 1000).toFixed(1)}k
                 on the file of --types ${show(written)}; the client alone ${(clientOnWritten / 1000).toFixed(1)}k\n`,
    );
  }
};

const main = () => {
  if (values.help) {
    process.stdout.write(
      "What a typed client costs the compiler.\n\n  --compiler PATH   the tsc to measure with\n  --endpoints LIST  how many, such as 100,1000; multiples of 100\n  --json            for programs\n",
    );
    return;
  }
  const bench = createBench("sallyport-types-client", values.compiler);
  const counts = values.endpoints.split(",").map(Number);
  const results = counts.map((count) => measureAll(bench, count));
  if (values.json) process.stdout.write(JSON.stringify(results));
  else print(bench.version, results);
};

main();
