import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { afterAll, expect, test } from "vitest";
import { readConflict } from "../src/express-zod-api/install-check.ts";
import { migrateManifest, peers, toManifestText } from "../src/express-zod-api/manifest.ts";
import { migrateProject, writeMigration } from "../src/express-zod-api/migrate-project.ts";
import { runMain } from "../src/run-main.ts";
import { createDirectory, readText, removeDirectory, writeFiles } from "./compile.ts";

const directory = createDirectory();
afterAll(() => removeDirectory(directory));

const run = async (cwd: string, ...args: readonly string[]) => {
  let out = "";
  const write = (text: string) => void (out += text);
  const code = await runMain(["--offline", ...args], { directory: cwd, write, writeError: write });
  return { code, out };
};

const write = (name: string, files: Readonly<Record<string, string>>) => {
  const path = join(directory, name);
  writeFiles(path, {
    "tsconfig.json": '{ "compilerOptions": { "module": "nodenext" } }',
    ...files,
  });
  return path;
};

const manifest = (dependencies: object, more: object = {}): string =>
  JSON.stringify({ type: "module", dependencies, ...more });

test("the ranges are those that sallyport declares", () => {
  const text = readFileSync(
    fileURLToPath(new URL("../../../package.json", import.meta.url)),
    "utf8",
  );
  const own = JSON.parse(text) as Record<"peerDependencies" | "dependencies", object>;
  const declared = {
    ...own.peerDependencies,
    "@types/express": own.dependencies["@types/express" as never],
  };
  expect({ ...declared, sallyport: "^0.1.0" }).toEqual(peers);
});

test("ranges are compared as ranges: one that admits less than is needed is raised", () => {
  const changes = migrateManifest({
    dependencies: {
      "express-zod-api": "26.3.1",
      zod: "4.3.5",
      "express-rate-limit": "^7.5.0 || ^8.4.0",
    },
    devDependencies: { tsx: "^4.22.0", "@types/express": "latest", compression: "catalog:" },
    peerDependencies: { express: ">=4", "swagger-ui-dist": "^6.0.0" },
  });
  expect(changes).toEqual([
    "remove express-zod-api 26.3.1",
    "add sallyport ^0.1.0",
    "update zod from 4.3.5 to ^4.5.0",
    "update express from >=4 to ^5.1.0",
    "check compression catalog:: sallyport needs ^1.8.2",
    "update express-rate-limit from ^7.5.0 || ^8.4.0 to ^8.3.0",
    "check, which sallyport does not know yet, swagger-ui-dist ^6.0.0: sallyport needs ^5.31.0",
  ]);
});

test("a package of a workspace leaves to the application what it left to it", () => {
  const library = { peerDependencies: { "express-zod-api": "^26.0.0", zod: "*" } };
  migrateManifest(library);
  expect(library).toEqual({ peerDependencies: { sallyport: "^0.1.0", zod: "^4.5.0" } });
});

test("package.json keeps its layout", () => {
  const text = `{\r\n\t"files": ["a", "b"],\r\n\t"dependencies": {\r\n\t\t"zod": "^3.0.0"\r\n\t}\r\n}`;
  expect(toManifestText(text, { dependencies: { zod: "^4.5.0" } })).toBe(
    text.replace("^3.0.0", "^4.5.0"),
  );
});

test("what npm objects to is named", () => {
  const output = `npm error code ERESOLVE
npm error Found: zod@4.6.0
npm error Could not resolve dependency:
npm error peer zod@"^3.23.0" from drizzle-zod@0.6.1
`;
  expect(readConflict(output)).toEqual({
    ...{ name: "drizzle-zod", needed: "zod", text: "drizzle-zod 0.6.1 needs zod ^3.23.0" },
  });
  expect(readConflict("npm error notarget No matching version found for @a/b@^2.0.0.\n")).toEqual({
    ...{ name: "@a/b", text: "@a/b has no version that fits ^2.0.0" },
  });
  expect(readConflict("npm error code ENOTFOUND\nnpm error network no network\n")).toEqual({
    text: "not checked: network no network",
  });
});

test("each package.json of a workspace is changed, and files outside of tsconfig.json are found", () => {
  const path = write("workspace", {
    "tsconfig.json": '{ "compilerOptions": { "module": "nodenext" }, "include": ["app"] }',
    "package.json": manifest({ "express-zod-api": "^25.0.0" }),
    "app/main.ts": `import { createConfig } from "express-zod-api";\nexport const config = createConfig({ cors: true });\n`,
    "packages/core/package.json": manifest({}, { peerDependencies: { "express-zod-api": "*" } }),
    "packages/core/index.ts": `export { ez } from "express-zod-api";\n`,
    "packages/other/package.json": manifest({ zod: "^3.0.0" }),
    "types/logger.d.ts": `declare module "express-zod-api" {\n  interface LoggerOverrides {}\n}\n`,
    "tools/start.cjs": `const { createServer } = require("express-zod-api");\ncreateServer({}, {});\n`,
  });
  const { dependencies, remains } = migrateProject(path);
  writeMigration(migrateProject(path));
  expect(remains).toEqual([]);
  expect(dependencies).toContain("packages/core/package.json: remove express-zod-api *");
  expect(readText(join(path, "packages/core/package.json"))).toContain('"sallyport": "^0.1.0"');
  expect(readText(join(path, "packages/other/package.json"))).toBe(manifest({ zod: "^3.0.0" }));
  expect(readText(join(path, "types/logger.d.ts"))).toContain('declare module "sallyport"');
  expect(readText(join(path, "tools/start.cjs"))).toBe(
    `const { createServer } = require("sallyport");\nvoid createServer({}, {});\n`,
  );
});

test("what still names express-zod-api is listed, with 1", async () => {
  const path = write("left", {
    "package.json": manifest(
      { "express-zod-api": "^25.0.0" },
      { scripts: { test: "jest" }, devDependencies: { jest: "29" } },
    ),
    "src/main.ts": `const name = "express-zod-api";\n// from "express-zod-api"\nexport const load = () => import(name);\n`,
  });
  const { code, out } = await run(path, "--force");
  expect(code).toBe(1);
  expect(out).toContain(
    `Left, which keeps the application from working (1)\n  src/main.ts:1 const name = "express-zod-api";\n`,
  );
  expect(out).toContain("package.json:1 Jest loads ES modules, such as sallyport, only with");
  expect((await run(path, "--force")).code).toBe(1);
});

test("changes that are not committed are refused, a dry run shows a diff, and a second run has nothing to do", async () => {
  const path = write("clean", {
    "package.json": manifest({ "express-zod-api": "^27.0.0" }),
    "src/main.ts": `import { ez } from "express-zod-api";\nexport const date = ez.dateIn();\n`,
  });
  const git = (...args: readonly string[]) =>
    execFileSync("git", ["-c", "user.email=a@b.c", "-c", "user.name=a", ...args], { cwd: path });
  git("init", "-q");
  const dry = await run(path, "--dry-run", "--diff");
  expect(dry.code).toBe(0);
  expect(dry.out).toContain(
    `--- a/src/main.ts\n+++ b/src/main.ts\n@@ -1,2 +1,2 @@\n-import { ez } from "express-zod-api";\n+import { ez } from "sallyport";\n`,
  );
  const refused = await run(path);
  expect(refused).toMatchObject({ code: 1 });
  expect(refused.out).toContain("has changes that are not committed");
  git("add", ".");
  git("commit", "-qm", "before");
  expect((await run(path)).code).toBe(0);
  expect(await run(path)).toEqual({
    code: 0,
    out: "Nothing to do: nothing names express-zod-api. 0 marks are left.\n",
  });
});

test("a compiler that refuses ES modules in CommonJS is told to take them", () => {
  const path = write("node16", {
    "tsconfig.json": '{\n  // old\n  "compilerOptions": { "module": "Node16" }\n}\n',
    "package.json": JSON.stringify({ dependencies: { "express-zod-api": "^14.0.0" } }),
    "src/main.ts": `import { createServer } from "express-zod-api";\ncreateServer({}, {});\n`,
  });
  writeMigration(migrateProject(path));
  expect(readText(join(path, "tsconfig.json"))).toBe(
    '{\n  // old\n  "compilerOptions": { "module": "NodeNext" }\n}\n',
  );
  expect(readText(join(path, "src/main.ts"))).toContain("\nvoid createServer({}, {});\n");
});
