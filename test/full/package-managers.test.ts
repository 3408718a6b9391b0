import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findPort, readFiles, readPage } from "../package/guide.ts";
import { pack, run } from "../package/pack.ts";
import { root } from "../compiler/compile.ts";
import { ensureBuilt } from "./harness.ts";
import { ensureNodes } from "./node-versions.ts";

const page = "docs/getting-started.md";
const files = readFiles(page);
/** The packages that the quick start installs, apart from sallyport itself. */
const [, used = "", developed = ""] =
  /npm install sallyport (.*)\n +npm install -D (.*)\n/.exec(readPage(page)) ?? [];

let folder = "";
let tarball = "";

beforeAll(() => {
  ensureBuilt();
  folder = mkdtempSync(join(tmpdir(), "sallyport-managers-"));
  tarball = pack(folder);
  writeFileSync(join(folder, "package.json"), '{ "private": true }');
  const managers = ["pnpm@10", "yarn@1", "@yarnpkg/cli-dist@4"];
  run("npm", ["install", "--no-audit", "--no-fund", "--loglevel=error", ...managers], folder);
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Manager {
  readonly program: string;
  readonly add: string;
  /** The files that are written into the directory before the installation, by name. */
  readonly files?: Readonly<Record<string, string>>;
}

const managers: Readonly<Record<string, Manager>> = {
  npm: { program: "npm", add: "install" },
  pnpm: { program: "node_modules/pnpm/bin/pnpm.cjs", add: "add" },
  "yarn 1": { program: "node_modules/yarn/bin/yarn.js", add: "add" },
  "yarn 4": {
    program: "node_modules/@yarnpkg/cli-dist/bin/yarn.js",
    add: "add",
    files: { ".yarnrc.yml": "nodeLinker: node-modules\nenableTelemetry: false\n", "yarn.lock": "" },
  },
};

/**
 * Returns the warnings that a package manager printed, except pnpm's about a slow registry, and yarn 1's about its cache and about package.json.
 */
const toWarnings = (printed: string): readonly string[] =>
  printed
    .split("\n")
    .filter((line) => /warn|deprecat|peer|YN0002|YN0060|YN0086/i.test(line))
    .filter(
      (line) => !/Request took|unpack in the same destination|warning package\.json: /.test(line),
    );

describe.each(Object.keys(managers))("the quick start, installed with %s", (name) => {
  const { program, add, files: own = {} } = managers[name] as Manager;
  let app = "";
  const install = (...packages: readonly string[]): string => {
    const command = program === "npm" ? ["npm"] : [process.execPath, join(folder, program)];
    const { status, stdout, stderr } = spawnSync(
      command[0] as string,
      [...command.slice(1), add, ...packages],
      // the user's own yarn cache could cause further warnings
      {
        cwd: app,
        encoding: "utf8",
        env: { ...process.env, CI: "", YARN_CACHE_FOLDER: `${app}-cache` },
      },
    );
    expect([status, status === 0 ? "" : stdout + stderr]).toEqual([0, ""]);
    return stdout + stderr;
  };

  beforeAll(() => {
    app = join(folder, name.replace(" ", "-"));
    mkdirSync(app);
    const manifest = { name: "app", version: "1.0.0", private: true, type: "module" };
    for (const [file, text] of [
      ...Object.entries({ "package.json": JSON.stringify(manifest), ...own }),
      ...files,
    ])
      writeFileSync(join(app, file), text);
  });

  test("installs without a warning", () => {
    expect(used).not.toBe("");
    const printed =
      install(name === "yarn 4" ? `sallyport@${tarball}` : tarball, ...used.split(" ")) +
      install("-D", ...developed.split(" "));
    expect(toWarnings(printed)).toEqual([]);
  });

  test("type-checks", () => {
    const args = ["node_modules/typescript/bin/tsc", "--noEmit", "--pretty", "false"];
    expect(spawnSync(process.execPath, args, { cwd: app, encoding: "utf8" }).stdout).toBe("");
  });

  // pnpm hides the dependencies of dependencies, which other layouts let a declaration name
  test.runIf(name === "pnpm")("has a name for each type in the example's declarations", () => {
    install("-D", "typescript-5@npm:typescript@5.9", "@types/http-errors@2");
    cpSync(join(root, "test/fixtures/users-api/src"), join(app, "example"), { recursive: true });
    cpSync(join(root, "test/package/consumer/index.ts"), join(app, "consumer.ts"));
    const compilerOptions = {
      ...{ module: "nodenext", target: "es2023", types: ["node"], strict: true },
      ...{ declaration: true, emitDeclarationOnly: true, rewriteRelativeImportExtensions: true },
      ...{ outDir: "declarations", rootDir: "." },
    };
    const include = ["example", "consumer.ts"];
    writeFileSync(join(app, "declarations.json"), JSON.stringify({ compilerOptions, include }));
    for (const compiler of ["typescript", "typescript-5"]) {
      const args = [`node_modules/${compiler}/bin/tsc`, "-p", "declarations.json"];
      expect(spawnSync(process.execPath, args, { cwd: app, encoding: "utf8" }).stdout).toBe("");
    }
  });

  test("runs unchanged on Node.js 24: server, client and test", async () => {
    const node = ensureNodes().get("24") as string;
    const port = await findPort();
    for (const [file, text] of files) writeFileSync(join(app, file), text.replace("8090", port));
    const runFile = (...args: readonly string[]): string =>
      spawnSync(node, args, { cwd: app, encoding: "utf8" }).stdout;
    expect(runFile("--test", "greet.test.ts")).toMatch(/pass 1\n[^]*fail 0/);
    const server = spawn(node, ["server.ts"], { cwd: app, stdio: ["ignore", "pipe", "inherit"] });
    try {
      await once(server.stdout, "data");
      expect(runFile("client.ts")).toBe("Hello, Ada! Hello, Ada!\n");
    } finally {
      server.kill();
    }
  });
});
