import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./guide.ts";

/**
 * Runs a command.
 * @returns the standard output of the command
 * @throws an error with all output if the command fails
 */
export const run = (
  command: string,
  args: readonly string[],
  cwd: string,
  env: NodeJS.ProcessEnv = process.env,
): string => {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd, env, encoding: "utf8" });
  if (status !== 0) throw new Error(`${command} ${args.join(" ")}\n${stdout}\n${stderr}`);
  return stdout;
};

/**
 * Packs a copy of the build, because `npm pack` changes package.json while it runs.
 * @returns the path of the package
 */
export const pack = (folder: string): string => {
  const copy = join(folder, "repository");
  mkdirSync(copy, { recursive: true });
  const names = ["dist", "docs", "example", "scripts", "src", "test", "CHANGELOG.md", "LICENSE"];
  for (const name of [...names, "README.md", "SECURITY.md", "package.json"])
    cpSync(join(root, name), join(copy, name), { recursive: true });
  run(process.execPath, ["scripts/manifest.js"], copy);
  run("npm", ["pack", "--loglevel=error", "--ignore-scripts", "--pack-destination", folder], copy);
  return join(folder, readdirSync(folder).find((file) => file.endsWith(".tgz")) ?? "");
};

/** Creates a project that uses the package and contains the example, and in which the compiler also checks the declarations of packages. */
export const createConsumer = (
  folder: string,
  tarball: string,
  compilers: readonly string[] = [],
): void => {
  cpSync(join(root, "test/package/consumer"), folder, { recursive: true });
  cpSync(join(root, "test/fixtures/users-api/src"), join(folder, "example"), { recursive: true });
  writeFileSync(join(folder, "package.json"), JSON.stringify({ type: "module", private: true }));
  writeFileSync(
    join(folder, "tsconfig.json"),
    JSON.stringify({
      compilerOptions: {
        module: "nodenext",
        target: "es2023",
        types: ["node"],
        strict: true,
        exactOptionalPropertyTypes: true,
        declaration: true,
        rewriteRelativeImportExtensions: true,
        skipLibCheck: false,
      },
      files: ["index.ts", "example/main.ts"],
    }),
  );
  run(
    "npm",
    [
      ...["install", "--no-audit", "--no-fund", "--loglevel=error", "--prefer-offline"],
      ...[tarball, "express@5", "zod@4", "http-errors@2", "@types/node@20", ...compilers],
    ],
    folder,
  );
};
