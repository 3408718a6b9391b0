import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { generateClient } from "sallyport/generate-client";
import { afterAll, beforeAll, expect, test } from "vitest";
import { deskCalls, deskClients } from "../compiler/support-desk-calls.ts";
import { createDesk } from "../http/support-desk.ts";
import { tortureConfig, tortureRouting } from "../openapi/torture/routing.ts";
import { root } from "../package/guide.ts";
import { createConsumer, pack, run } from "../package/pack.ts";
import { ensureBuilt } from "./harness.ts";

const versions = {
  "typescript-5.0": "npm:typescript@5.0",
  "typescript-5": "npm:typescript@5.9",
  "typescript-6": "npm:typescript@6",
};
let folder = "";

beforeAll(() => {
  ensureBuilt();
  folder = mkdtempSync(join(tmpdir(), "sallyport-compilers-"));
  const compilers = Object.entries(versions).map(([name, version]) => `${name}@${version}`);
  createConsumer(folder, pack(folder), [...compilers, "@tanstack/query-core@5"]);
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

const toCompiler = (name: string): string => join(folder, "node_modules", name, "bin/tsc");

test.each(["typescript-5", "typescript-6"])(
  "the package type-checks with %s, and all inferred types can be named",
  (name) => {
    run(process.execPath, [toCompiler(name), "--outDir", `out-${name}`], folder);
    expect(readdirSync(join(folder, `out-${name}`))).toContain("index.d.ts");
  },
);

test.each(Object.keys(versions))(
  "the client generated for the torture routing type-checks with %s",
  (name) => {
    const out = join(folder, "generated");
    mkdirSync(out, { recursive: true });
    writeFileSync(
      join(out, "client.ts"),
      generateClient({ routing: tortureRouting, config: tortureConfig }),
    );
    const compilerOptions = {
      ...{ strict: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true },
      ...{ noUnusedLocals: true, isolatedModules: true, verbatimModuleSyntax: true },
      ...{ noEmit: true, types: [], lib: ["es2020", "dom", "dom.iterable"] },
      ...{ target: "es2020", module: "esnext", moduleResolution: "bundler" },
    };
    const files = ["client.ts"];
    writeFileSync(join(out, "tsconfig.json"), JSON.stringify({ compilerOptions, files }));
    run(process.execPath, [toCompiler(name), "-p", out], out);
  },
);

test.each([
  ["5.9", () => toCompiler("typescript-5")],
  ["7", () => join(root, "node_modules/typescript/bin/tsc")],
])(
  "the support desk and the calls of its clients type-check with TypeScript %s",
  (_version, find) => {
    const out = join(folder, "desk");
    mkdirSync(out, { recursive: true });
    const desk = createDesk();
    cpSync(join(root, "test/http/support-desk.ts"), join(out, "support-desk.ts"));
    writeFileSync(join(out, "client.ts"), generateClient(desk));
    writeFileSync(join(out, "api.ts"), generateClient({ ...desk, types: true }));
    const files = Object.entries(deskClients).map(([name, head]) => {
      const file = `${name.replaceAll(" ", "-")}.ts`;
      writeFileSync(join(out, file), head + deskCalls);
      return file;
    });
    const compilerOptions = {
      ...{ strict: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true },
      ...{ noEmit: true, allowImportingTsExtensions: true, skipLibCheck: false },
      ...{ target: "es2023", module: "nodenext", types: ["node"] },
    };
    writeFileSync(join(out, "tsconfig.json"), JSON.stringify({ compilerOptions, files }));
    run(process.execPath, [find(), "-p", out], out);
  },
);
