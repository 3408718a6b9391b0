import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import {
  mkdirSync,
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
import { parse } from "yaml";

const root = fileURLToPath(new URL("../../", import.meta.url));
const guide = readFileSync(join(root, "docs/openapi.md"), "utf8");
const port = "18096";

/** The files of the guide by their names, as they are written there. */
const files = new Map(
  [...guide.matchAll(/```ts file=(\S+).*\n([\s\S]*?)```/g)].map(([, name = "", code = ""]) => [
    name,
    code,
  ]),
);

let folder = "";
let server: ChildProcess | undefined;

beforeAll(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "openapi-guide-")));
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
  mkdirSync(join(folder, "src"));
  for (const [name, code] of files)
    writeFileSync(join(folder, name), code.replaceAll("8090", port));
});

afterAll(async () => {
  if (server && server.exitCode === null) {
    server.kill();
    await once(server, "exit");
  }
  rmSync(folder, { recursive: true, force: true });
});

const options = () =>
  ({
    cwd: folder,
    encoding: "utf8",
    env: { ...process.env, NODE_OPTIONS: "", VITEST: "", NO_COLOR: "1", NODE_NO_WARNINGS: "1" },
  }) as const;

const run = (...command: readonly string[]) => {
  const { stdout, stderr, status } = spawnSync(process.execPath, [...command], options());
  return { status, output: stdout + stderr };
};

/** The commands of the guide as they are written there. */
const runCommand = (command: string) => {
  const [line] = guide.match(new RegExp(`^npx ${command}(?= |$)`, "m")) ?? [];
  if (line === undefined) throw new Error(`The guide has no ${command}`);
  return run(join(root, "dist/cli/main.js"), ...line.split(" ").slice(2));
};

describe("docs/openapi.md", () => {
  test("has no code that is not tried", () => {
    expect([...files.keys()]).toEqual(["src/api.ts", "src/server.ts", "src/document.ts"]);
    expect(guide.match(/^```ts/gm)).toHaveLength(files.size);
    expect(guide.match(/^npx /gm)).toHaveLength(3);
  });

  test("compiles under strict", () => {
    const tsc = join(root, "node_modules/typescript/bin/tsc");
    const flags =
      "--noEmit --ignoreConfig --module nodenext --target es2023 --strict --types node --skipLibCheck";
    expect(run(tsc, ...flags.split(" "), ...files.keys())).toEqual({ status: 0, output: "" });
  });

  test("its commands list the routes, write the document, and find what is stale", () => {
    expect(runCommand("sallyport routes")).toEqual({
      status: 0,
      output: expect.stringMatching(/GET +\/users\/:id +query params +200 400 404 500/),
    });
    const check = "sallyport openapi --out openapi.yaml --check";
    expect(runCommand(check).status).toBe(1);
    expect(runCommand("sallyport openapi --out openapi.yaml")).toEqual({ status: 0, output: "" });
    expect(runCommand(check)).toEqual({ status: 0, output: "" });
    const document: unknown = parse(readFileSync(join(folder, "openapi.yaml"), "utf8"));
    expect(document).toHaveProperty("info.title", "Users");
  });

  test("its document has what the comment says", () => {
    const [, said = ""] = /\/\/ (\[.*\])$/m.exec(files.get("src/document.ts") ?? "") ?? [];
    expect(said).not.toBe("");
    expect(run("--import", "tsx", "src/document.ts").output.trim()).toBe(said);
  });

  test("its server shows the page", async () => {
    const stdio = ["ignore", "pipe", "inherit"] as const;
    const child = spawn(process.execPath, ["--import", "tsx", "src/server.ts"], {
      ...options(),
      stdio: [...stdio],
    });
    server = child;
    await once(child.stdout, "data");
    const page = await fetch(`http://127.0.0.1:${port}/docs`);
    expect([page.status, await page.text()]).toEqual([200, expect.stringContaining("Users")]);
    const user = await fetch(`http://127.0.0.1:${port}/users/7d444840-9dc0-41d3-b0c6-8f0d2c1ad1b9`);
    expect(await user.json()).toHaveProperty("data.name", "Ada");
  });
});
