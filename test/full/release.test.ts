import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { root } from "../package/guide.ts";
import { run } from "../package/pack.ts";

test("changesets change only the version in package.json, and write the changelog", () => {
  const folder = mkdtempSync(join(tmpdir(), "sallyport-release-"));
  try {
    for (const name of [".changeset", "CHANGELOG.md", "package.json", "package-lock.json"])
      cpSync(join(root, name), join(folder, name), { recursive: true });
    const packages = readdirSync(join(root, "packages")).map((name) => `packages/${name}`);
    for (const name of ["example", "bench", ...packages])
      cpSync(join(root, name, "package.json"), join(folder, name, "package.json"));
    // there may be no changesets just after a release
    const own = '---\n"sallyport": patch\n---\n\nOwn.\n';
    writeFileSync(join(folder, ".changeset/own.md"), own);
    const git = (...args: readonly string[]): string =>
      run("git", ["-c", "user.name=a", "-c", "user.email=a@b.example", ...args], folder);
    git("init", "--quiet", "--initial-branch=main");
    git("add", ".");
    git("commit", "--quiet", "--message=all");
    const read = (file: string): string => readFileSync(join(folder, file), "utf8");
    const toVersion = (file: string): unknown =>
      (JSON.parse(read(file)) as { readonly version: unknown }).version;
    const before = toVersion("package.json");
    run(process.execPath, [join(root, "node_modules/@changesets/cli/bin.js"), "version"], folder);
    expect(toVersion("package.json")).not.toBe(before);
    expect(toVersion("example/package.json")).toBe("0.0.0");
    // a new project depends on the version of its generator
    for (const name of packages)
      expect(toVersion(`${name}/package.json`)).toBe(toVersion("package.json"));
    expect(read("CHANGELOG.md")).toContain(`## ${String(toVersion("package.json"))}\n`);
    expect(read("CHANGELOG.md")).toMatch(/^- .*Own\.$/m);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
