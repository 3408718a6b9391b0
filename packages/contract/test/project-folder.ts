import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { afterEach, beforeEach } from "vitest";
import { stringify } from "yaml";

const root = fileURLToPath(new URL("../../../", import.meta.url));
const program = ["--import", import.meta.resolve("tsx"), join(root, "src/front/cli/main.ts")];
const toUrl = (path: string): string => pathToFileURL(join(root, path)).href;

/** Gives each test a folder of its own, in which the command line of `sallyport` can run. */
export const useFolder = () => {
  let folder = "";
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "sallyport-contract-"));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const at = (...names: readonly string[]): string => join(folder, ...names);

  /** Writes text as it is, and anything else as JSON or YAML. */
  const write = (name: string, content: unknown): string => {
    const file = at(name);
    mkdirSync(dirname(file), { recursive: true });
    const toText = name.endsWith(".yaml") ? stringify : JSON.stringify;
    writeFileSync(file, typeof content === "string" ? content : toText(content));
    return file;
  };

  /** Lets an application find the sources of this repository. */
  const install = (): void => {
    write("package.json", { type: "module" });
    const sources = {
      zod: import.meta.resolve("zod"),
      sallyport: toUrl("src/index.ts"),
      "@sallyport/contract": toUrl("packages/contract/src/index.ts"),
    };
    for (const [name, source] of Object.entries(sources)) {
      write(`node_modules/${name}/package.json`, { type: "module", exports: "./index.js" });
      write(`node_modules/${name}/index.js`, `export * from "${source}";`);
    }
  };

  /** Runs the command line in a process of its own. */
  const start = (...args: readonly string[]) => {
    const entries = {
      sallyport: ["src/index.ts"],
      "sallyport/*": ["describe", "parts", "front"].map((wing) => `src/${wing}/*/index.ts`),
      "@sallyport/document": ["packages/document/src/index.ts"],
    };
    const paths = Object.entries(entries).map(([name, files]) => [
      name,
      files.map((file) => join(root, file)),
    ]);
    const config = { compilerOptions: { paths: Object.fromEntries(paths) } };
    return spawnSync(process.execPath, [...program, ...args], {
      ...{ cwd: folder, encoding: "utf8" },
      env: { ...process.env, TSX_TSCONFIG_PATH: write("tsconfig.json", config) },
    });
  };

  return { at, write, install, start };
};
