import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { asResponse } from "./lock-tools.ts";
import { runCommand } from "./run-command.ts";

const start = process.cwd();
let folder = "";
const write = (name: string, content: unknown): void => {
  mkdirSync(dirname(join(folder, name)), { recursive: true });
  writeFileSync(join(folder, name), JSON.stringify(content));
};
const git = (...args: string[]): void => {
  const user = ["-c", "user.name=Ada", "-c", "user.email=ada@example.com"];
  execFileSync("git", [...user, ...args], { cwd: folder, stdio: "pipe" });
};

const document = asResponse({ $ref: "parts/user.json" });
const user = (type: string) => ({ type: "object", properties: { id: { type } } });

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "sallyport-lock-git-"));
  write("api/openapi.json", document);
  write("api/parts/user.json", user("string"));
  git("init", "--initial-branch=main");
  process.chdir(folder);
  await runCommand("lock", "--head", "api/openapi.json");
  git("add", ".");
  git("commit", "--message=First");
  write("api/parts/user.json", user("number"));
});
beforeEach(() => process.chdir(folder));
afterEach(() => {
  process.chdir(start);
  vi.unstubAllEnvs();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const changed = "[response-schema-type-changed]";

test("a document of a revision is compared, with the files of that revision that it refers to", async () => {
  const { code, out } = await runCommand(
    "lock",
    ...["--base", "main:api/openapi.json"],
    "--head",
    "api/openapi.json",
  );
  expect([code, out]).toEqual([1, expect.stringContaining(changed)]);
  const same = await runCommand(
    "lock",
    ...["--base", "main:api/openapi.json", "--head", "HEAD:api/openapi.json"],
  );
  expect(same.code).toBe(0);
});

test("a path may be relative to the working directory, as in Git", async () => {
  process.chdir(join(folder, "api", "parts"));
  const { code, out } = await runCommand(
    "lock",
    ...["--base", "main:../openapi.json"],
    "--head",
    "../openapi.json",
  );
  expect([code, out]).toEqual([1, expect.stringContaining(changed)]);
  process.chdir(join(folder, "api"));
  const other = await runCommand(
    "lock",
    ...["--base", "main:./openapi.json"],
    "--head",
    "openapi.json",
  );
  expect(other.out).toBe(out);
});

test("a lock of a revision is compared, with what it accepts", async () => {
  const args = ["--base", "main:api.lock.json", "--head", "api/openapi.json"];
  expect((await runCommand("lock", ...args)).code).toBe(1);
  const change = ["response-schema-type-changed", "POST /users"];
  await runCommand("lock", "accept", ...change, ...["--why", "told", "--head", "api/openapi.json"]);
  git("commit", "--all", "--message=Accept");
  const { code, out } = await runCommand("lock", ...args);
  expect([code, out]).toEqual([0, expect.stringContaining("accepted: told")]);
});

test("a file whose name has a colon is no revision", async () => {
  write("main:api.json", document);
  write("parts/user.json", user("number"));
  const { code, err } = await runCommand(
    "lock",
    ...["--base", "main:api.json", "--head", "api/openapi.json"],
  );
  expect({ code, err }).toEqual({ code: 0, err: "" });
});

test.each([
  ["main:none.json", "Git says: path 'none.json' does not exist in 'main'"],
  ["none:api/openapi.json", "Git says: invalid object name 'none'."],
])("what Git says about %s is told", async (base, message) => {
  const { code, err } = await runCommand("lock", ...["--base", base, "--head", "api/openapi.json"]);
  expect({ code, err }).toEqual({
    code: 2,
    err: `sallyport: ${base} cannot be read: ${message}\n`,
  });
});

test("a folder without a repository, and a machine without Git, are told", async () => {
  const args = ["lock", "--base", "main:a.json", "--head", join(folder, "api/openapi.json")];
  process.chdir(tmpdir());
  const { code, err } = await runCommand(...args);
  expect({ code, err }).toEqual({
    code: 2,
    err: expect.stringContaining("not a git repository") as string,
  });
  vi.stubEnv("PATH", "");
  expect((await runCommand(...args)).err).toContain("Git is not installed");
});
