import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { ensureHost, type Host } from "./ensure-hosts.ts";
import { knownDifferences } from "./known-differences.ts";

const root = fileURLToPath(new URL("../../../", import.meta.url));

const commands: Readonly<Record<Host, readonly string[]>> = {
  Bun: ["--bun"],
  Deno: ["run", "--allow-all"],
};

/** All that a small API needs; docs/hosts.md tells it. */
const least: Readonly<Record<Host, readonly string[]>> = {
  Bun: [],
  Deno: ["run", "--no-prompt", "--allow-net", "--allow-env=NODE_ENV"],
};

/** How long the tests of one file may take, in milliseconds. */
const limit = 240_000;

interface Report {
  readonly numPassedTests: number;
  readonly testResults: readonly {
    readonly message: string;
    readonly assertionResults: readonly { readonly fullName: string; readonly status: string }[];
  }[];
}

/** Runs a file of tests on a host, and returns the report of vitest. */
const runTests = async (host: Host, project: string, file: string): Promise<Report> => {
  const folder = mkdtempSync(join(tmpdir(), "sallyport-hosts-"));
  const report = join(folder, "report.json");
  const vitest = ["node_modules/vitest/vitest.mjs", "run", "--project", project, file];
  // what takes long on a busy machine is tried again
  const options = ["--maxWorkers=1", "--testTimeout=10000", "--retry=1", "--reporter=json"];
  const args = [...commands[host], ...vitest, ...options, `--outputFile=${report}`];
  const child = spawn(ensureHost(host), args, { cwd: root, stdio: "ignore", detached: true });
  const timer = setTimeout(() => process.kill(-(child.pid ?? 0), "SIGKILL"), limit);
  try {
    await once(child, "close");
    return JSON.parse(readFileSync(report, "utf8")) as Report;
  } finally {
    clearTimeout(timer);
    rmSync(folder, { recursive: true });
  }
};

/** Runs the HTTP tests of the built package, and the contract of the shop, each file in a process of its own. */
export const testOnHost = (host: Host): void => {
  const known = knownDifferences.filter(({ hosts }) => hosts.includes(host));
  const files = readdirSync(`${root}test/http`, { recursive: true, encoding: "utf8" });
  const tests = files.filter((file) => file.endsWith(".test.ts")).toSorted();
  const all = [
    ...tests.map((file) => ["built", `test/http/${file}`] as const),
    ["shop-contract", "example/test/contract.test.ts"] as const,
  ];

  test.each(all)("%s: %s", async (project, file) => {
    const ofFile = known.filter((one) => file.endsWith(`/${one.file}`));
    if (ofFile.some(({ tests }) => tests === "all")) return;
    const { testResults } = await runTests(host, project, file);
    const results = testResults.flatMap(({ assertionResults }) => assertionResults);
    const failed = results.filter(({ status }) => status === "failed");
    const expected = ofFile.flatMap(({ tests }) => tests);
    expect(failed.map(({ fullName }) => fullName).toSorted()).toEqual(expected.toSorted());
    // an error outside of all tests
    expect([results.length > 0, testResults.map(({ message }) => message)]).toEqual([true, [""]]);
  });

  test("a small API answers, finishes its request at SIGTERM, and ends with code 0", async () => {
    const program = fileURLToPath(new URL("small-api.mjs", import.meta.url));
    const { NODE_ENV: _mode, ...env } = process.env;
    const child = spawn(ensureHost(host), [...least[host], program], {
      ...{ cwd: root, env: { ...env, NO_COLOR: "1" } },
    });
    let printed = "";
    for (const stream of [child.stdout, child.stderr])
      stream.on("data", (chunk: Buffer) => (printed += chunk.toString()));
    const ended = once(child, "close");
    await expect.poll(() => printed, { timeout: 30_000 }).toContain("Listening on");
    const [url = ""] = /http:\S+/.exec(printed) ?? [];
    const answer = fetch(`${url}/greet?name=Ada`).then((response) => response.json());
    // the handler is then running
    await new Promise((resolve) => setTimeout(resolve, 150));
    child.kill("SIGTERM");
    expect(await answer).toEqual({ status: "success", data: { greeting: "Hello, Ada!" } });
    expect([await ended, printed.includes("`shortcuts` is off")]).toEqual([
      [0, null],
      host === "Bun",
    ]);
  });

  test("each known difference is of a file that exists", () => {
    const missing = known.filter(({ file }) => !all.some(([, one]) => one.endsWith(`/${file}`)));
    expect(missing).toEqual([]);
  });
};
