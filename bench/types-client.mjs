// npm run bench:types -- client: what a typed client costs the compiler, in addition to its server. Instantiations are deterministic.
import { spawnSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const root = fileURLToPath(new URL("../", import.meta.url));
// within the repository, so that its packages are found
const cache = `${root}node_modules/.cache/sallyport-types-client`;

const { values } = parseArgs({
  options: {
    compiler: { type: "string", default: `${root}node_modules/typescript/bin/tsc` },
    endpoints: { type: "string", default: "100,300,1000" },
    json: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});

const range = (length) => Array.from({ length }, (_, index) => index);
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

/** Five endpoints per resource: two of the collection, three of a member. */
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
};
void createServer(createConfig({ cors: true }), routing);`;

const toServer = (endpoints) =>
  [
    `import { createConfig, createServer, defaultEndpointsFactory as factory } from "sallyport";`,
    `import { z } from "zod";`,
    ...range(endpoints).map(toEndpoint),
    toRouting(endpoints),
  ].join("\n");

/** Twenty calls, spread over the routes; each uses the input and the nested object of the output. */
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

const run = (args, cwd) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [values.compiler, ...args], {
    cwd,
    encoding: "utf8",
    maxBuffer: 2 ** 26,
  });
  if (status !== 0) throw new Error(`${stdout.slice(0, 4000)}${stderr}`);
  return stdout;
};

const version = run(["--version"], root).trim();
// several checkers would each resolve what they share
const single = version.startsWith("Version 7") ? ["--singleThreaded"] : [];

const toConfig = (files, more = {}) =>
  JSON.stringify({
    compilerOptions: {
      ...{ module: "nodenext", target: "es2023", lib: ["es2023", "dom"], types: ["node"] },
      ...{ strict: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true },
      ...{ skipLibCheck: true, noEmit: true },
      paths: {
        sallyport: [`${cache}/declarations/index.d.ts`],
        "sallyport/client": [`${cache}/declarations/client/index.d.ts`],
      },
      ...more,
    },
    files,
  });

const check = (folder, file, more) => {
  writeFileSync(`${folder}/tsconfig.json`, toConfig([file], more));
  const printed = run(["--extendedDiagnostics", ...single], folder);
  const read = (title) => Number(new RegExp(`^${title}: *([\\d.]+)`, "m").exec(printed)?.[1]);
  return {
    instantiations: read("Instantiations"),
    megabytes: read("Memory used") / 1024,
    seconds: read("Check time"),
  };
};

const measure = (endpoints) => {
  const folder = `${cache}/program`;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  writeFileSync(`${folder}/package.json`, '{ "type": "module" }');
  writeFileSync(`${folder}/server.ts`, toServer(endpoints));
  writeFileSync(`${folder}/client.ts`, toClient(endpoints));
  writeFileSync(`${folder}/idle.ts`, toClient(endpoints, 0));
  const server = check(folder, "server.ts");
  const both = check(folder, "client.ts");
  writeFileSync(
    `${folder}/tsconfig.json`,
    toConfig(["server.ts"], { noEmit: false, declaration: true, emitDeclarationOnly: true }),
  );
  run([], folder);
  rmSync(`${folder}/server.ts`);
  const emitted = check(folder, "client.ts");
  const idle = check(folder, "idle.ts");
  return {
    endpoints,
    server,
    both,
    client: both.instantiations - server.instantiations,
    declarations: emitted,
    clientOnDeclarations: emitted.instantiations - idle.instantiations,
  };
};

const print = (results) => {
  process.stdout.write(`${version}\n\n`);
  const show = ({ instantiations, megabytes, seconds }) =>
    `${(instantiations / 1000).toFixed(1).padStart(7)}k ${megabytes.toFixed(0).padStart(4)} MB ${seconds.toFixed(2)} s`;
  for (const { endpoints, server, both, client, declarations, clientOnDeclarations } of results)
    process.stdout.write(
      `${String(endpoints).padStart(5)} endpoints: server ${show(server)}; with a client ${show(both)}; the client alone ${(client / 1000).toFixed(1)}k
                 on emitted declarations ${show(declarations)}; the client alone ${(clientOnDeclarations / 1000).toFixed(1)}k\n`,
    );
};

const main = () => {
  if (values.help) {
    process.stdout.write(
      "What a typed client costs the compiler.\n\n  --compiler PATH   the tsc to measure with\n  --endpoints LIST  the numbers of endpoints, such as 100,1000; multiples of 100\n  --json            print JSON\n",
    );
    return;
  }
  rmSync(cache, { recursive: true, force: true });
  // users have declarations, which are cheaper to read than the source
  const declare = spawnSync(
    process.execPath,
    [
      `${root}node_modules/typescript/bin/tsc`,
      ...["-p", "tsconfig.build.json", "--emitDeclarationOnly"],
      ...["--outDir", `${cache}/declarations`],
    ],
    { cwd: root, encoding: "utf8" },
  );
  if (declare.status !== 0) throw new Error(declare.stdout);
  const results = values.endpoints.split(",").map((count) => measure(Number(count)));
  if (values.json) process.stdout.write(JSON.stringify(results));
  else print(results);
};

main();
