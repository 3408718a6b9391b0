import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { once } from "node:events";
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
const guide = readFileSync(join(root, "docs/client.md"), "utf8");
const port = "18092";

/** The files of the guide by their names, as they are written there. */
const files = new Map(
  [...guide.matchAll(/```ts file=(\S+).*\n([\s\S]*?)```/g)].map(([, name = "", code = ""]) => [
    name,
    code,
  ]),
);

let folder = "";
let server: ChildProcess | undefined;

beforeAll(async () => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "client-guide-")));
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
  for (const [name, code] of files)
    writeFileSync(join(folder, name), code.replaceAll("8090", port));
  server = spawn(process.execPath, ["--import", "tsx", "api.ts"], {
    cwd: folder,
    stdio: ["ignore", "pipe", "inherit"],
  });
  await once(server.stdout ?? server, "data");
});

afterAll(async () => {
  if (server && server.exitCode === null) {
    server.kill();
    await once(server, "exit");
  }
  rmSync(folder, { recursive: true, force: true });
});

const run = (...command: readonly string[]): { readonly status: number | null; output: string } => {
  const { stdout, stderr, status } = spawnSync(process.execPath, [...command], {
    cwd: folder,
    encoding: "utf8",
    env: { ...process.env, NODE_OPTIONS: "", VITEST: "", NO_COLOR: "1", NODE_NO_WARNINGS: "1" },
  });
  return { status, output: stdout + stderr };
};

describe("docs/client.md", () => {
  test("compiles under strict", () => {
    const tsc = join(root, "node_modules/typescript/bin/tsc");
    const options =
      "--noEmit --ignoreConfig --module nodenext --target es2023 --strict --types node --skipLibCheck";
    expect(run(tsc, ...options.split(" "), ...files.keys())).toEqual({ status: 0, output: "" });
  });

  test.each(["calls.ts", "statuses.ts", "pages.ts", "events.ts", "files.ts", "queries.ts"])(
    "%s prints what its comments say",
    (name) => {
      const code = files.get(name) ?? "";
      const printed = [...code.matchAll(/console\.log\(.*\/\/ (\S+(?: \S+)?)$/gm)];
      expect(printed.length).toBeGreaterThan(0);
      const { output } = run("--import", "tsx", name);
      expect(output.trim().split("\n")).toEqual(printed.map(([, text]) => text));
    },
  );
});
