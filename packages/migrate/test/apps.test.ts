import { readdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { migrateProject, writeMigration } from "../src/express-zod-api/migrate-project.ts";
import { toReport } from "../src/express-zod-api/report.ts";
import {
  compile,
  compileTimeout as timeout,
  copyApp,
  createDirectory,
  readText,
  removeDirectory,
} from "./compile.ts";

const directory = createDirectory();
afterAll(() => removeDirectory(directory));

const apps = ["v16", "v21", "v26"].map((name) => {
  const path = copyApp(name, directory);
  const migration = migrateProject(path);
  writeMigration(migration);
  return { name, path, migration };
});

/** Checks whether a message of the compiler is about a line below a mark. */
const isMarked = (message: string): boolean => {
  const [, file = "", line = "0"] = /^(.+?)\((\d+),/.exec(message) ?? [];
  const above = readText(join(directory, file)).split("\n")[Number(line) - 2] ?? "";
  return above.includes("TODO(sallyport-migrate)");
};

describe("migrated applications", () => {
  test("compile, but for marked lines", { timeout }, async () => {
    const messages = await compile(directory, {
      ...{ exactOptionalPropertyTypes: false, noPropertyAccessFromIndexSignature: false },
    });
    expect(messages.filter((message) => !isMarked(message))).toEqual([]);
    // the class that has no counterpart is marked where it is used
    expect(messages.map((message) => message.replace(/^.*error /, ""))).toEqual([
      "TS2304: Cannot find name 'BuiltinLogger'.",
    ]);
  });

  test("no longer name the package", () => {
    const texts = apps.flatMap(({ path }) =>
      readdirSync(path, { recursive: true, withFileTypes: true })
        .filter((file) => file.isFile())
        .map((file) => readText(join(file.parentPath, file.name))),
    );
    expect(texts.join("\n")).not.toContain('express-zod-api"');
  });

  test("have nothing left, and nothing to do for a second run", () => {
    for (const { path, migration } of apps) {
      expect(migration.remains).toEqual([]);
      const { files, remains, marks } = migrateProject(path);
      expect({ files: files.size, remains, marks }).toEqual({
        files: 0,
        remains: [],
        marks: migration.marks,
      });
    }
  });

  test("have marks, which the report lists", () => {
    const listed = apps.flatMap(({ name, migration }) =>
      migration.marks.map(({ file, line }) => `${name}/${file}:${line}`),
    );
    expect(listed).toEqual([
      "v16/src/config.ts:7",
      "v16/src/config.ts:11",
      "v16/src/config.ts:20",
      "v16/src/document.ts:11",
      "v16/src/document.ts:14",
      "v16/src/document.ts:15",
      "v21/src/config.ts:9",
      "v21/src/config.ts:11",
      "v26/src/app.ts:85",
      "v26/src/app.ts:93",
    ]);
    const report = toReport(apps[0]!.migration, { isDryRun: true, conflicts: [] });
    expect(report).toContain("src/config.ts:7 JSON is parsed by the framework");
    expect(report).toContain("  remove express-zod-api ^16.8.1\n");
    expect(report).toMatch(/ +2 {2}depends-on-method\n/);
    expect(report).toContain("express-zod-api 16: ");
  });
});

for (const { name, path } of apps)
  describe(`tests of ${name}`, async () => {
    for (const file of readdirSync(join(path, "test"))) await import(join(path, "test", file));
  });
