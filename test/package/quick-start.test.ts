import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

const root = fileURLToPath(new URL("../../", import.meta.url));
const readme = readFileSync(join(root, "README.md"), "utf8");

/** The files of the quick start by their names. */
const files = new Map(
  [...readme.matchAll(/<!-- quick start: (\S+) -->\s*```ts\n([\s\S]*?)```/g)].map(
    ([, name = "", code = ""]) => [name, code],
  ),
);
const [, session = ""] = /Try it with curl:\s*```sh\n([\s\S]*?)```/.exec(readme) ?? [];

/** The commands of the README, each with the line that it prints. */
const exchanges = [...session.matchAll(/^\$ (.*)\n(.*)$/gm)].map(
  ([, command = "", answer = ""]) => ({
    command,
    answer,
  }),
);

const port = "18090";
let folder = "";
let server: ChildProcess | undefined;

beforeAll(async () => {
  folder = mkdtempSync(join(root, "node_modules", ".quick-start-"));
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
  for (const [name, code] of files) writeFileSync(join(folder, name), code.replace("8090", port));
  writeFileSync(
    join(folder, "tsconfig.json"),
    JSON.stringify({
      compilerOptions: {
        module: "nodenext",
        target: "es2023",
        strict: true,
        outDir: "out",
        types: ["node"],
      },
      files: [...files.keys()],
    }),
  );
});

afterAll(async () => {
  if (server && server.exitCode === null) {
    server.kill();
    await once(server, "exit");
  }
  rmSync(folder, { recursive: true, force: true });
});

describe("the quick start of the README", () => {
  test("has under 60 lines, its test under 15, and the README no more than 200", () => {
    expect([...files.keys()]).toEqual(["greet.ts", "server.ts", "greet.test.ts", "client.ts"]);
    const count = (name: string): number => (files.get(name) ?? "").trim().split("\n").length;
    expect(count("greet.ts") + count("server.ts")).toBeLessThan(60);
    expect(count("greet.test.ts")).toBeLessThan(15);
    expect(readme.split("\n").length).toBeLessThanOrEqual(200);
  });

  test("compiles under strict", () => {
    const tsc = join(root, "node_modules/typescript/bin/tsc");
    const { stdout, status } = spawnSync(process.execPath, [tsc, "-p", folder], {
      encoding: "utf8",
    });
    expect(stdout).toBe("");
    expect(status).toBe(0);
  });

  test("runs, and answers as the README says", async () => {
    server = spawn(process.execPath, [join(folder, "out/server.js")], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    await once(server.stdout ?? server, "data");
    expect(exchanges).toHaveLength(3);
    for (const { command, answer } of exchanges) {
      const { stdout } = spawnSync("sh", ["-c", command.replace("8090", port)], {
        encoding: "utf8",
      });
      expect(stdout).toBe(answer);
    }
  });
});

describe("the client of the quick start", () => {
  test("prints what the server answers", () => {
    const { stdout } = spawnSync(process.execPath, ["--import", "tsx", "client.ts"], {
      cwd: folder,
      encoding: "utf8",
    });
    expect(stdout).toBe("Hello, Ada! Hello, Ada!\n");
  });
});

describe("the test of the quick start", () => {
  const run = (): string =>
    spawnSync(process.execPath, ["--import", "tsx", "--test", "greet.test.ts"], {
      cwd: folder,
      encoding: "utf8",
    }).stdout;

  test("passes, and fails where the endpoint is wrong", () => {
    expect(run()).toMatch(/pass 1\n[^]*fail 0/);
    const right = files.get("greet.ts") ?? "";
    writeFileSync(join(folder, "greet.ts"), right.replace("Hello", "Bye"));
    expect(run()).toMatch(/fail 1/);
    writeFileSync(join(folder, "greet.ts"), right);
  });
});

describe("the guide", () => {
  const guide = readFileSync(join(root, "docs/guide.md"), "utf8");
  const [, preamble = ""] = /```ts preamble\n([\s\S]*?)```/.exec(guide) ?? [];
  const blocks = [...guide.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, block = ""]) => block);

  test("has blocks that compile under strict, each with those before it", () => {
    expect(blocks.length).toBeGreaterThan(4);
    writeFileSync(join(folder, "guide.ts"), [preamble, ...blocks].join("\n"));
    const options =
      "--noEmit --ignoreConfig --module nodenext --target es2023 --strict --types node";
    const tsc = join(root, "node_modules/typescript/bin/tsc");
    const { stdout } = spawnSync(process.execPath, [tsc, ...options.split(" "), "guide.ts"], {
      cwd: folder,
      encoding: "utf8",
    });
    expect(stdout).toBe("");
  });
});

describe("the example", () => {
  const [, answers = ""] =
    /Apart from the id and the timestamp, they return:\s*```json\n([\s\S]*?)```/.exec(readme) ?? [];

  test("prints three requests that answer as the README says, and ends on SIGINT with code 0", async () => {
    const child = spawn(process.execPath, ["scripts/start.js"], {
      cwd: root,
      env: { ...process.env, PORT: "18091" },
      stdio: ["ignore", "pipe", "inherit"],
    });
    let printed = "";
    child.stdout.on("data", (chunk: Buffer) => (printed += chunk.toString()));
    await expect.poll(() => printed, { timeout: 30_000 }).toContain("Ctrl-C");
    const commands = printed.match(/curl .*/g) ?? [];
    const given = commands.map((command) =>
      spawnSync("sh", ["-c", command], { encoding: "utf8" }).stdout.replace(
        /"(id|createdAt)":"[^"]+"/g,
        '"$1":"…"',
      ),
    );
    expect(given).toEqual(answers.trim().split("\n"));
    child.kill("SIGINT");
    const [code] = (await once(child, "exit")) as [number];
    expect(code).toBe(0);
  });
});
