import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { findFreePort } from "../free-port.ts";
import { root } from "./guide.ts";

test("without a registry, the installation ends with what to do", async () => {
  const folder = mkdtempSync(join(tmpdir(), "sallyport-offline-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const registry = `http://127.0.0.1:${await findFreePort()}/`;
  const own = { name: "offline", version: "1.0.0", dependencies: { ms: "2.1.3" } };
  const packages = {
    "": own,
    "node_modules/ms": { version: "2.1.3", resolved: `${registry}ms/-/ms-2.1.3.tgz` },
  };
  writeFileSync(join(folder, "package.json"), JSON.stringify(own));
  const lock = { name: own.name, version: own.version, lockfileVersion: 3, packages };
  writeFileSync(join(folder, "package-lock.json"), JSON.stringify(lock));
  const script = join(root, "scripts/ensure-installed.js");
  const { status, stderr } = spawnSync(process.execPath, [script, relative(root, folder)], {
    encoding: "utf8",
    env: {
      ...process.env,
      npm_config_registry: registry,
      npm_config_cache: join(folder, "cache"),
    },
  });
  expect(stderr).toMatch(
    /^Installing .*\nThe registry of npm cannot be reached \(ECONNREFUSED\)\. Connect .*\n$/,
  );
  expect([status, existsSync(join(folder, "node_modules/ms"))]).toEqual([1, false]);
});
