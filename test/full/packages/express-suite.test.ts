import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ensureBuilt, report } from "../harness.ts";
import { ensureExpressTests } from "./express-source.ts";
import { ensurePackages, home, runNode } from "./fixture.ts";

interface Run {
  readonly stats: { readonly tests: number; readonly passes: number; readonly pending: number };
  readonly failures: readonly { readonly fullTitle: string }[];
}

// not below `.cache`: files in hidden directories are not sent
const root = mkdtempSync(join(tmpdir(), "express-suite-"));

/** Lays out a copy of Express' repository with the given main file; returns undefined, or why there are no tests. */
const layOut = async (name: string, main: string): Promise<string | undefined> => {
  const folder = join(root, name);
  mkdirSync(join(folder, "lib"), { recursive: true });
  mkdirSync(join(folder, "node_modules/supertest"), { recursive: true });
  writeFileSync(join(folder, "package.json"), "{}");
  writeFileSync(join(folder, "index.js"), main);
  writeFileSync(join(folder, "lib/utils.js"), 'module.exports = require("express/lib/utils.js");');
  cpSync(
    join(home, "express-suite/supertest.cjs"),
    join(folder, "node_modules/supertest/index.js"),
  );
  return ensureExpressTests(join(folder, "test"), join(home, "express-tests"));
};

/** Runs the tests for `request` and `response`. */
const runTests = (name: string): Run => {
  const files = readdirSync(join(root, name, "test"))
    .filter((file) => /^re[qs]\..*\.js$/.test(file))
    .map((file) => `test/${file}`);
  const options = ["--exit", "--require", "test/support/env", "--reporter", "json"];
  const mocha = join(home, "node_modules/mocha/bin/mocha.js");
  const args = ["--disable-warning=SLP_WARN_RUNTIME", mocha, ...options, ...files];
  const { output, errors } = runNode(args, {
    cwd: join(root, name),
    env: { NODE_ENV: "test", NODE_PATH: join(home, "node_modules") },
  });
  const begin = output.indexOf('{\n  "stats"');
  if (begin < 0) throw new Error(`mocha has not run\n${output}\n${errors}`);
  return JSON.parse(output.slice(begin)) as Run;
};

// these tests send `http://example.com` as the Host, which is invalid and rejected on purpose (RFC 9112, 3.2)
const refusedHosts = [
  "res when accepting html should escape the url",
  "res when accepting html should not render evil javascript links in anchor href (prevent XSS)",
  "res when accepting text should encode the url",
];
// endpoints serve get, post, put, patch, delete and query; other methods, and an OPTIONS request that is not a preflight, get 405
// before any middleware runs
const otherMethods =
  /^res "etag" setting when enabled should send ETag in response to ([A-Z-]+) request$/;
const ownMethods = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "QUERY"]);

describe("Express' own tests for request and response", () => {
  let missing: string | undefined;

  beforeAll(async () => {
    ensureBuilt();
    ensurePackages();
    missing = await layOut("control", 'module.exports = require("express");');
    missing ??= await layOut(
      "behind-use",
      `module.exports = require(${JSON.stringify(join(home, "express-suite/shim.cjs"))});`,
    );
  }, 900_000);

  afterAll(() => rmSync(root, { recursive: true, force: true }));

  test("pass on Express itself in the copied repository", (context) => {
    if (missing !== undefined) context.skip(missing);
    const { stats, failures } = runTests("control");
    expect(failures.map(({ fullTitle }) => fullTitle)).toEqual([]);
    expect(stats.passes).toBeGreaterThan(480);
  });

  test("pass behind factory.use, except for rejected hosts and methods that no endpoint has", (context) => {
    if (missing !== undefined) {
      report(
        `Express' own tests were not run: ${missing}. Set EXPRESS_SOURCE to a checkout of its repository.`,
      );
      context.skip(missing);
    }
    const { stats, failures } = runTests("behind-use");
    const unexpected = failures
      .map(({ fullTitle }) => fullTitle)
      .filter((title) => ownMethods.has(otherMethods.exec(title)?.[1] ?? "GET"));
    expect(unexpected.toSorted()).toEqual(refusedHosts);
    expect(stats.passes).toBeGreaterThanOrEqual(453);
    report(
      `${stats.passes} of ${stats.tests - stats.pending} of Express' own tests pass behind factory.use`,
    );
  });
});
