import { spawnSync } from "node:child_process";
import {
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

const root = fileURLToPath(new URL("../../", import.meta.url));
const guide = readFileSync(join(root, "docs/testing.md"), "utf8");

/** The files of the guide by their names, as they are written there. */
const files = new Map(
  [...guide.matchAll(/```ts file=(\S+).*\n([\s\S]*?)```/g)].map(([, name = "", code = ""]) => [
    name,
    code,
  ]),
);

let folder = "";

beforeAll(() => {
  // vitest never looks for tests beneath node_modules
  folder = realpathSync(mkdtempSync(join(tmpdir(), "testing-guide-")));
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
  for (const [name, code] of files) writeFileSync(join(folder, name), code);
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

const run = (...command: readonly string[]): { readonly status: number | null; output: string } => {
  const { stdout, stderr, status } = spawnSync(process.execPath, [...command], {
    cwd: folder,
    encoding: "utf8",
    env: { ...process.env, NODE_OPTIONS: "", VITEST: "", NO_COLOR: "1" },
  });
  return { status, output: stdout + stderr };
};

describe("docs/testing.md", () => {
  test("compiles under strict", () => {
    const tsc = join(root, "node_modules/typescript/bin/tsc");
    const options =
      "--noEmit --ignoreConfig --module nodenext --target es2023 --strict --types node --skipLibCheck";
    expect(run(tsc, ...options.split(" "), ...files.keys())).toEqual({ status: 0, output: "" });
  });

  test("has tests that pass with Node's own runner, and fail where the endpoint is wrong", () => {
    const runTests = () => run("--import", "tsx", "--test", "users.test.ts");
    expect(runTests()).toMatchObject({ output: expect.stringMatching(/pass 5\n[^]*fail 0/) });
    const right = files.get("users.ts") ?? "";
    writeFileSync(join(folder, "users.ts"), right.replace("Bearer secret", "Bearer other"));
    expect(runTests().output).toMatch(/fail [1-9]/);
    writeFileSync(join(folder, "users.ts"), right);
  });

  test("has tests that pass with vitest", () => {
    const vitest = join(root, "node_modules/vitest/vitest.mjs");
    const { status, output } = run(vitest, "run", "--root", ".", "users.vitest");
    expect(output).toMatch(/2 passed/);
    expect(status).toBe(0);
  });
});
