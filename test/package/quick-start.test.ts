import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { toRequests } from "../../example/src/welcome.ts";
import {
  createGuideFolder,
  findPort,
  readFiles,
  readPage,
  root,
  runCommands,
  typescript,
  type GuideFolder,
} from "./guide.ts";

const readme = readPage("README.md");
const page = "docs/getting-started.md";
const files = readFiles(page);

let folder: GuideFolder;
let port = "";

beforeAll(async () => {
  port = await findPort();
  folder = createGuideFolder([...files].map(([name, code]) => [name, code.replace("8090", port)]));
});

afterAll(() => folder.remove());

describe("the server of the README", () => {
  const server = readFiles("README.md").get("server.ts") ?? "";

  test("has about 15 lines, and the README at most 150", () => {
    expect(server.trim().split("\n").length).toBeLessThan(18);
    expect(readme.split("\n").length).toBeLessThanOrEqual(150);
  });

  test("runs, and responds as the README says", async () => {
    const code = server.replace("8090", port);
    const own = createGuideFolder([["server.ts", code]]);
    onTestFinished(() => own.remove());
    own.start([...typescript, "server.ts"]);
    await runCommands(readme, port);
  });
});

describe("the first API of docs/getting-started.md", () => {
  test("has fewer than 60 lines, and its test fewer than 15", () => {
    const names = [
      "tsconfig.json",
      "greet.ts",
      "api.ts",
      "server.ts",
      "greet.test.ts",
      "client.ts",
    ];
    expect([...files.keys()]).toEqual(names);
    const count = (name: string): number => (files.get(name) ?? "").trim().split("\n").length;
    expect(count("greet.ts") + count("api.ts") + count("server.ts")).toBeLessThan(60);
    expect(count("greet.test.ts")).toBeLessThan(15);
  });

  test("runs, and responds as the page says", async () => {
    folder.start([...typescript, "server.ts"]);
    await runCommands(readPage(page), port);
  });

  test("has a client that prints the server's responses", () => {
    const { output } = folder.run(...typescript, "client.ts");
    expect(output).toBe("Hello, Ada! Hello, Ada!\n");
  });

  test("has routes that the command line finds", () => {
    const { output } = folder.run(join(root, "dist/cli/main.js"), "routes");
    expect(output).toMatch(/^GET +\/v1\/greetings\/:name /m);
  });

  test("has a test that passes, and fails if the endpoint is wrong", () => {
    const run = () => folder.run(...typescript, "--test", "greet.test.ts").output;
    expect(run()).toMatch(/pass 1\n[^]*fail 0/);
    const right = files.get("greet.ts") ?? "";
    folder.write("greet.ts", right.replace("Hello", "Bye"));
    expect(run()).toMatch(/fail 1/);
    folder.write("greet.ts", right);
  });
});

describe("the example", () => {
  const [, answers = ""] =
    /Apart from the id, the responses are:\s*```json\n([\s\S]*?)```/.exec(readme) ?? [];

  test("suggests three requests with the responses that the README shows, and ends on SIGINT with code 0", async () => {
    const data = mkdtempSync(join(tmpdir(), "sallyport-shop-"));
    const env = { ...process.env, PORT: await findPort(), DATA_FOLDER: data };
    const child = spawn(process.execPath, ["scripts/start.js"], {
      ...{ cwd: root, env: { ...env, NODE_ENV: "development" } },
      stdio: ["ignore", "pipe", "pipe"],
    });
    onTestFinished(async () => {
      child.kill("SIGKILL");
      if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
      rmSync(data, { recursive: true });
    });
    let [logged, warned] = ["", ""];
    child.stdout.on("data", (chunk: Buffer) => (logged += chunk.toString()));
    child.stderr.on("data", (chunk: Buffer) => (warned += chunk.toString()));
    // the page may have to be built first
    await expect.poll(() => logged, { timeout: 110_000 }).toContain("The shop is open");
    const url = `http://localhost:${env.PORT}`;
    const commands = toRequests(url).match(/curl .*/g) ?? [];
    const given = commands.map((command) =>
      spawnSync("sh", ["-c", command], { encoding: "utf8" }).stdout.replace(
        /"id":"[^"]+"/g,
        '"id":"…"',
      ),
    );
    expect(given).toEqual(answers.trim().split("\n"));
    const main = ["--import", "tsx", "example/src/main.ts"];
    const second = spawnSync(process.execPath, main, { cwd: root, env, encoding: "utf8" });
    const reason = `The resource \`database\` could not start: Process ${child.pid} already uses ${data}: stop it, or set DATA_FOLDER or DATABASE_URL\n`;
    expect([second.stderr, second.status]).toEqual([reason, 1]);
    // Node's own form of a warning has a hint that means nothing here
    expect(warned).not.toContain("(node:");
    const isOld = Number.parseInt(process.versions.node, 10) < 22;
    expect(/^Node\.js \S+ no longer receives security fixes; .*$/m.test(warned)).toBe(isOld);
    child.kill("SIGINT");
    const [code] = (await once(child, "exit")) as [number];
    expect(code).toBe(0);
  }, 180_000);
});
