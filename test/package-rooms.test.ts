import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { findFaults, readRooms, type Package } from "./package-rooms.ts";
import { listFiles, read, root } from "./source-files.ts";

const folders = readdirSync(join(root, "packages")).map((name) => `packages/${name}`);

const sources = new Map(
  folders
    .flatMap((folder) => listFiles(`${folder}/src`))
    .filter((file) => !/\.test(-d)?\.ts$/.test(file))
    .map((file) => [file, read(file)]),
);

interface Manifest {
  readonly name: string;
  readonly exports?: Readonly<Record<string, unknown>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

const packages = [".", ...folders].map((folder): Package => {
  const manifest = JSON.parse(read(`${folder}/package.json`)) as Manifest;
  const { name, exports = {}, dependencies = {}, peerDependencies = {} } = manifest;
  return {
    name,
    entries: Object.keys(exports).map((entry) => entry.replace(".", name)),
    dependencies: Object.keys({ ...dependencies, ...peerDependencies }),
  };
});

const rooms = readRooms(read("ARCHITECTURE.md"));

describe("rooms of the packages", () => {
  test("each package has rooms in the table", () => {
    const known = rooms.map(({ folder }) => folder);
    expect(known).toEqual(expect.arrayContaining(folders.map((folder) => `${folder}/src`)));
  });

  test("each room exists, each file is in one, and imports lead to rooms before it or to public entries", () => {
    expect(findFaults(sources, rooms, packages)).toEqual([]);
  });

  test("no source file is longer than 350 lines", () => {
    const long = [...sources].filter(([, code]) => code.split("\n").length > 350);
    expect(long.map(([file]) => file)).toEqual([]);
  });

  test.each([
    ["packages/contract/src/stray.ts", "", "is in no room"],
    ["packages/contract/src/verify/a.ts", '"../lock/lock-command.ts"', "not before it"],
    ["packages/contract/src/lock/compare/a.ts", '"../report/report.ts"', "not before it"],
    ["packages/contract/src/mock/a.ts", '"../verify/verify.ts"', "not before it"],
    ["packages/contract/src/read/a.ts", '"../index.ts"', "not before it"],
    ["packages/document/src/json.ts", '"./errors.ts"', "not before it"],
    ["packages/contract/src/lock/a.ts", '"../../../document/src/index.ts"', "leads out"],
    ["packages/contract/src/lock/a.ts", '"../../../../src/index.ts"', "leads out"],
    ["packages/contract/src/lock/a.ts", '"sallyport/dist/index.js"', "is not public"],
    ["packages/contract/src/lock/a.ts", '"@sallyport/document/dist/index.js"', "is not public"],
    ["packages/contract/src/lock/a.ts", '"@sallyport/migrate"', "is no dependency"],
    ["packages/create-sallyport/src/run.ts", '"@sallyport/contract"', "is no dependency"],
    ["packages/contract/src/read/read-text.ts", '"./read-contract.ts"', "is a circle"],
  ])("a fault is found in %s that imports %s", (file, target, fault) => {
    const code = target === "" ? "" : `import { a } from ${target};`;
    const found = findFaults(new Map([...sources, [file, code]]), rooms, packages);
    expect(found.filter((one) => one.includes(file)).join()).toContain(fault);
  });

  test("a room that does not exist is found", () => {
    const folder = "packages/document/src";
    const found = findFaults(sources, [{ folder, steps: [["nowhere"]] }], packages);
    expect(found).toContain(`${folder}/nowhere does not exist`);
  });
});
