// npm run bench:types-peers: what a typed client of the same API costs the compiler with Hono and with oRPC; that of
// sallyport is measured by bench:types. Instantiations are deterministic.
import { spawnSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { range } from "./compile.mjs";
import { findNode } from "./peers.mjs";

const endpoints = Number(process.argv[2] ?? 200);
const methods = ["get", "post", "get", "patch", "delete"];
const names = ["list", "create", "read", "update", "remove"];

/** The same schemas and the same result as those of sallyport's program in client-programs.mjs. */
const toInput = (index) =>
  `z.object({ id: z.string(), name${index}: z.string().min(1), age: z.coerce.number().optional(), tag: z.enum(["a", "b"]) })`;
const toOutput = (index) =>
  `z.object({ id: z.string(), name${index}: z.string(), role: z.enum(["admin", "member"]), tags: z.array(z.string()), address: z.object({ street: z.string(), size: z.number() }) })`;
const toResult = (index) =>
  `{ id: input.id, name${index}: input.name${index}, role: "admin" as "admin" | "member", tags: [] as string[], address: { street: "", size: input.age ?? 0 } }`;
const groups = range(endpoints / 5);

const hono = {
  server: [
    `import { Hono } from "hono";`,
    `import { zValidator } from "@hono/zod-validator";`,
    `import { z } from "zod";`,
    ...groups.map((group) => {
      const routes = range(5).map((of) => {
        const index = group * 5 + of;
        const source = methods[of] === "get" || methods[of] === "delete" ? "query" : "json";
        return `.${methods[of]}("${of < 2 ? "/" : "/:id"}", zValidator("${source}", ${toInput(index)}), (c) => { const input = c.req.valid("${source}"); return c.json(${toResult(index)}); })`;
      });
      return `const things${group} = new Hono()${routes.join("\n  ")};`;
    }),
    `export const app = new Hono()${groups.map((group) => `.route("/v1/things${group}", things${group})`).join("\n  ")};`,
  ],
  client: [
    `import { hc } from "hono/client";`,
    `import type { app } from "./server.js";`,
    `const client = hc<typeof app>("/");`,
  ],
  call: (index, group, of) => {
    const source = methods[of] === "get" || methods[of] === "delete" ? "query" : "json";
    const at = of < 2 ? "" : `[":id"]`;
    const param = of < 2 ? "" : `param: { id: "1" }, `;
    const given = `{ ${param}${source}: { id: "1", name${index}: "n", tag: "a" } }`;
    return `const response${index} = await client.v1.things${group}${at}.$${methods[of]}(${given});
if (response${index}.ok) console.log((await response${index}.json()).address.size);`;
  },
};

const orpc = {
  server: [
    `import { os } from "@orpc/server";`,
    `import { z } from "zod";`,
    `export const router = { v1: {`,
    ...groups.map(
      (group) =>
        `things${group}: { ${range(5)
          .map((of) => {
            const index = group * 5 + of;
            return `${names[of]}: os.input(${toInput(index)}).output(${toOutput(index)}).handler(async ({ input }) => (${toResult(index)}))`;
          })
          .join(",\n  ")} },`,
    ),
    `} };`,
  ],
  client: [
    `import { createORPCClient } from "@orpc/client";`,
    `import { RPCLink } from "@orpc/client/fetch";`,
    `import type { RouterClient } from "@orpc/server";`,
    `import type { router } from "./server.js";`,
    `const client: RouterClient<typeof router> = createORPCClient(new RPCLink({ url: "/" }));`,
  ],
  call: (index, group, of) =>
    `console.log((await client.v1.things${group}.${names[of]}({ id: "1", name${index}: "n", tag: "a" })).address.size);`,
};

findNode("current");
const peers = fileURLToPath(new URL("peers", import.meta.url));
const compiler = fileURLToPath(new URL("../node_modules/typescript/bin/tsc", import.meta.url));
for (const [name, { server, client, call }] of Object.entries({ hono, orpc })) {
  const folder = `${peers}/node_modules/.cache/types-${name}`;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const calls = range(20).map((one) => {
    const index = Math.floor((one * endpoints) / 20) + (one % 5);
    return call(index, Math.floor(index / 5), index % 5);
  });
  const files = {
    "package.json": ['{ "type": "module" }'],
    "server.ts": server,
    "client.ts": [...client, ...calls],
  };
  for (const [file, lines] of Object.entries(files))
    writeFileSync(`${folder}/${file}`, lines.join("\n"));
  const measure = (file) => {
    const config = {
      compilerOptions: {
        ...{ module: "nodenext", target: "es2023", lib: ["es2023", "dom", "dom.iterable"] },
        ...{ strict: true, noEmit: true, skipLibCheck: true, types: [] },
      },
      files: [file],
    };
    writeFileSync(`${folder}/tsconfig.json`, JSON.stringify(config));
    const args = [compiler, "--extendedDiagnostics", "--singleThreaded"];
    const { status, stdout } = spawnSync(process.execPath, args, {
      ...{ cwd: folder, encoding: "utf8", maxBuffer: 2 ** 26 },
    });
    if (status !== 0) throw new Error(stdout.slice(0, 2000));
    return Number(/^Instantiations: *(\d+)/m.exec(stdout)?.[1]);
  };
  const [own, both] = [measure("server.ts"), measure("client.ts")];
  const show = (count) => `${(count / 1000).toFixed(1)}k`;
  process.stdout.write(
    `${name}, ${endpoints} endpoints: server ${show(own)}; with twenty calls ${show(both)}; the client alone ${show(both - own)}\n`,
  );
}
