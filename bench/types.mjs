// npm run bench:types: measures what endpoints cost the compiler. Instantiations are deterministic; a test checks the limits of three programs.
import { parseArgs } from "node:util";
import { createBench, range } from "./compile.mjs";

const { values } = parseArgs({
  options: {
    compiler: { type: "string" },
    bounds: { type: "boolean", default: false },
    json: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});

const toMiddleware = (index) => `
  .addMiddleware({
    input: z.object({ key${index}: z.string() }),
    handler: async ({ input }) => ({ ctx${index}: input.key${index}.length }),
  })`;

/** Writes an endpoint with 4 input fields and 5 output fields, one of which is an object; its handler reads input and context. */
const toEndpoint = (index, middlewares, method) => `
const endpoint${index} = factory.${method}({
  input: z.object({
    id${index}: z.string().transform(Number),
    name: z.string().min(1),
    age: z.coerce.number(),
    tag: z.enum(["a", "b"]).optional(),
  }),${
    method === "buildVoid"
      ? ""
      : `
  output: z.object({
    id: z.number(),
    name${index}: z.string(),
    role: z.enum(["admin", "member"]),
    tags: z.array(z.string()),
    address: z.object({ street: z.string(), city: z.string() }),
  }),`
  }
  handler: async ({ input, ctx }) => ({
    id: input.id${index}${middlewares > 0 ? " + ctx.ctx0" : ""},
    name${index}: input.name,
    role: "admin",
    tags: [],
    address: { street: "", city: \`\${input.age}\${Object.keys(ctx).length}\` },
  }),
});`;

const toRouting = (endpoints) => `
void createServer(createConfig({ cors: true }), {
${range(endpoints)
  .map((index) => `  "get /v${index}/:id${index}": endpoint${index},`)
  .join("\n")}
});`;

const toProgram = ({ endpoints, middlewares = 0, method = "build", isServed = false }) =>
  [
    `import { createConfig, createServer, defaultEndpointsFactory } from "sallyport";`,
    `import { z } from "zod";`,
    `const factory = defaultEndpointsFactory${range(middlewares).map(toMiddleware).join("")};`,
    ...range(endpoints).map((index) => toEndpoint(index, middlewares, method)),
    isServed ? toRouting(endpoints) : "",
    "export {};",
  ].join("\n");

/** The programs that have a limit, in thousands of instantiations. */
const bounded = [
  { name: "1,000 endpoints", endpoints: 1000, bound: 840 },
  { name: "1,000 behind 10 middlewares", endpoints: 1000, middlewares: 10, bound: 1220 },
  { name: "100 behind 50 middlewares", endpoints: 100, middlewares: 50, bound: 335 },
];
const others = [
  { name: "100 endpoints", endpoints: 100 },
  { name: "300 endpoints", endpoints: 300 },
  { name: "1,000 in a routing map", endpoints: 1000, isServed: true },
  {
    name: "1,000 of buildVoid behind 10",
    endpoints: 1000,
    middlewares: 10,
    method: "buildVoid",
  },
];

const print = (version, results) => {
  process.stdout.write(`${version}\n\n`);
  const toThousands = (count) => `${(count / 1000).toFixed(0)}k`.padStart(7);
  for (const { name, instantiations, bound, types, megabytes, seconds } of results)
    process.stdout.write(
      `${name.padEnd(30)}${toThousands(instantiations)} instantiations${bound ? ` of ${toThousands(bound).trim()}`.padEnd(10) : " ".repeat(10)}${toThousands(types)} types  ${megabytes.toFixed(0).padStart(4)} MB  ${seconds.toFixed(2)} s\n`,
    );
};

const main = () => {
  if (values.help) {
    process.stdout.write(
      "Measures what endpoints cost the compiler.\n\n  --compiler PATH  the tsc to measure with\n  --bounds          measures only the programs that have a limit\n  --json            prints JSON\n",
    );
    return;
  }
  const { version, write, measure } = createBench("sallyport-types", values.compiler);
  const results = (values.bounds ? bounded : [...bounded, ...others]).map((program) => {
    write("program.ts", toProgram(program));
    const { name, bound } = program;
    return { name, bound: bound && bound * 1000, ...measure("program.ts") };
  });
  if (values.json) process.stdout.write(JSON.stringify(results));
  else print(version, results);
};

main();
