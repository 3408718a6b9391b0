import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, rmSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const root = fileURLToPath(new URL("../../", import.meta.url));
const web = `${root}example/web`;

const run = (cwd: string, ...args: readonly string[]): void =>
  void execFileSync(process.execPath, args, {
    cwd,
    stdio: ["ignore", "ignore", "inherit"],
    env: { ...process.env, NODE_ENV: "production" },
  });

/** Returns the source files from which a file was built, as paths relative to the root of the repository. */
const listSources = (file: string): readonly string[] => {
  const { sources } = JSON.parse(readFileSync(`${file}.map`, "utf8")) as {
    readonly sources: readonly string[];
  };
  return sources.flatMap((source) => {
    const path = resolve(dirname(file), source);
    // for a built file of the package, lists the modules from which it was built
    return path.startsWith(`${root}dist/`) ? listSources(path) : [path.slice(root.length)];
  });
};

test("the bundle of the shop's page contains nothing from the server or Zod", () => {
  run(root, "scripts/ensure-installed.js", "example/web");
  // a folder of its own: the page may be in use
  const folder = `${web}/node_modules/.bundle`;
  const options = ["--sourcemap", "--outDir", folder, "--emptyOutDir", "--logLevel", "warn"];
  run(web, "node_modules/vite/bin/vite.js", "build", ...options);
  // the bundler's own code has no map
  const maps = readdirSync(`${folder}/assets`).filter((name) => name.endsWith(".js.map"));
  /** The packages and the directories of this repository whose code is in the bundle. */
  const origins = new Set(
    maps
      .flatMap((map) => listSources(`${folder}/assets/${map.slice(0, -4)}`))
      .map((source) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(source)?.[1] ?? dirname(source)),
  );
  rmSync(folder, { recursive: true });
  expect(origins).toEqual(
    new Set([
      "@tanstack/query-core",
      "@tanstack/react-query",
      "example/web/src",
      "react",
      "react-dom",
      "scheduler",
      "src/describe/client",
      "src/describe/tanstack-query",
    ]),
  );
});
