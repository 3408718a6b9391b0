// npm run bench:types: what endpoints cost the compiler. Instantiations are deterministic; a test checks the limits of three programs.
import { spawnSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const root = fileURLToPath(new URL("../", import.meta.url));
// within the repository, so that its packages are found
const cache = `${root}node_modules/.cache/sallyport-types`;

const { values } = parseArgs({
  options: {
    compiler: { type: "string", default: `${root}node_modules/typescript/bin/tsc` },
    bounds: { type: "boolean", default: false },
    json: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});

const range = (length) => Array.from({ length }, (_, index) => index);

const toMiddleware = (index) => `
  .addMiddleware({
    input: z.object({ key${index}: z.string() }),
    handler: async ({ input }) => ({ ctx${index}: input.key${index}.length }),
  })`;

/** An endpoint of 4 fields in and 5 out, one of them nested; its handler reads input and context. */
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

/** Each with its limit, in thousands of instantiations. */
const bounded = [
  { name: "1,000 endpoints", endpoints: 1000, bound: 850 },
  { name: "1,000 behind 10 middlewares", endpoints: 1000, middlewares: 10, bound: 1400 },
  { name: "100 behind 50 middlewares", endpoints: 100, middlewares: 50, bound: 650 },
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

const run = (args, cwd) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [values.compiler, ...args], {
    cwd,
    encoding: "utf8",
    maxBuffer: 2 ** 26,
  });
  if (status !== 0) throw new Error(`${stdout.slice(0, 4000)}${stderr}`);
  return stdout;
};

const measure = (program) => {
  const folder = `${cache}/program`;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  writeFileSync(`${folder}/program.ts`, toProgram(program));
  const compilerOptions = {
    ...{ module: "nodenext", target: "es2023", lib: ["es2023"], types: ["node"], strict: true },
    ...{ exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true },
    ...{ skipLibCheck: true, noEmit: true },
    paths: { sallyport: [`${cache}/declarations/index.d.ts`] },
  };
  writeFileSync(
    `${folder}/tsconfig.json`,
    JSON.stringify({ compilerOptions, files: ["program.ts"] }),
  );
  const printed = run(["--extendedDiagnostics"], folder);
  const read = (title) => Number(new RegExp(`^${title}: *([\\d.]+)`, "m").exec(printed)?.[1]);
  return {
    name: program.name,
    instantiations: read("Instantiations"),
    bound: program.bound && program.bound * 1000,
    types: read("Types"),
    megabytes: read("Memory used") / 1024,
    seconds: read("Check time"),
  };
};

const print = (results) => {
  process.stdout.write(`${run(["--version"], root).trim()}\n\n`);
  const toThousands = (count) => `${(count / 1000).toFixed(0)}k`.padStart(7);
  for (const { name, instantiations, bound, types, megabytes, seconds } of results)
    process.stdout.write(
      `${name.padEnd(30)}${toThousands(instantiations)} instantiations${bound ? ` of ${toThousands(bound).trim()}`.padEnd(10) : " ".repeat(10)}${toThousands(types)} types  ${megabytes.toFixed(0).padStart(4)} MB  ${seconds.toFixed(2)} s\n`,
    );
};

const main = () => {
  if (values.help) {
    process.stdout.write(
      "What endpoints cost the compiler.\n\n  --compiler PATH  the tsc to measure with\n  --bounds         only the programs that have a limit\n  --json           print JSON\n",
    );
    return;
  }
  rmSync(cache, { recursive: true, force: true });
  // users have declarations, which are cheaper to read than the source
  run(
    [
      ...["-p", "tsconfig.build.json", "--emitDeclarationOnly"],
      ...["--outDir", `${cache}/declarations`],
    ],
    root,
  );
  const results = (values.bounds ? bounded : [...bounded, ...others]).map(measure);
  if (values.json) process.stdout.write(JSON.stringify(results));
  else print(results);
};

main();
