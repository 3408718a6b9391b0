import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { allDifferences, listDifferences } from "../src/express-zod-api/differences.ts";
import { migrateManifest, readFacts } from "../src/express-zod-api/manifest.ts";
import { toRuleTable } from "../src/express-zod-api/rules.ts";
import { declarationCases } from "./cases/declarations.ts";
import { schemaCases } from "./cases/schemas.ts";
import { serverCases } from "./cases/servers.ts";

const page = readFileSync(
  fileURLToPath(new URL("../../../docs/from-express-zod-api.md", import.meta.url)),
  "utf8",
);

const between = (name: string): string =>
  page.split(`<!-- ${name} -->`)[1]?.split(`<!-- /${name} -->`)[0]?.trim() ?? "";

/** Removes the padding of a table. */
const toCells = (table: string): readonly string[] =>
  table.split("\n").map((row) => row.replaceAll(/ +\| */g, "|").replaceAll(/-+/g, "-"));

test("the guide has the table of the rules", () => {
  expect(toCells(between("rules"))).toEqual(toCells(toRuleTable()));
});

test("the guide lists the differences", () => {
  const list = between("differences")
    .replaceAll(/\n {2}/g, " ")
    .split("\n");
  expect(list).toEqual(
    allDifferences.map(({ text, until }) =>
      until === undefined ? `- ${text}` : `- ${text} (from versions up to ${until})`,
    ),
  );
});

test("each mark links to a section of the guide", () => {
  const headings = new Set(
    [...page.matchAll(/^## (.+)$/gm)].map(([, title = ""]) =>
      title
        .toLowerCase()
        .replaceAll(/[^\w -]/g, "")
        .replaceAll(" ", "-"),
    ),
  );
  const sections = [...declarationCases, ...serverCases, ...schemaCases].flatMap(({ after }) =>
    [...after.matchAll(/\/\/ TODO: .* #(\S+)$/gm)].map(([, section]) => section),
  );
  expect(sections.length).toBeGreaterThan(10);
  expect(sections.filter((section) => !headings.has(section ?? ""))).toEqual([]);
});

test("differences depend on the version", () => {
  const old = listDifferences({ major: 20 });
  expect(old).toHaveLength(allDifferences.length);
  expect(listDifferences({ major: 27 }).join()).not.toContain("405 instead of 404");
  expect(listDifferences({ major: undefined })).toEqual(old);
});

test("dependencies are changed in their sections", () => {
  const manifest = {
    dependencies: { "express-zod-api": "~22.3.0", zod: "^3.25.0" },
    devDependencies: { express: "4.x", "@types/express": "^4.17.0", "express-fileupload": "1" },
  };
  expect(readFacts([manifest])).toEqual({ major: 22, isZod3: true });
  expect(migrateManifest(manifest)).toEqual([
    "remove express-zod-api ~22.3.0",
    "remove express-fileupload 1",
    "add sallyport ^0.1.0",
    "update zod from ^3.25.0 to ^4.5.0",
    "update express from 4.x to ^5.1.0",
    "update @types/express from ^4.17.0 to ^5.0.6",
  ]);
  expect(manifest).toEqual({
    dependencies: { sallyport: "^0.1.0", zod: "^4.5.0" },
    devDependencies: { express: "^5.1.0", "@types/express": "^5.0.6" },
  });
});

test("what is new enough stays", () => {
  const manifest = {
    dependencies: { "express-zod-api": "^28.0.0", zod: "^4.6.1", express: "^5.2.0" },
  };
  expect(readFacts([manifest])).toEqual({ major: 28, isZod3: false });
  expect(migrateManifest(manifest)).toEqual([
    "remove express-zod-api ^28.0.0",
    "add sallyport ^0.1.0",
  ]);
  expect(readFacts([{ dependencies: { zod: "^3.0.0" } }])).toEqual({
    major: undefined,
    isZod3: true,
  });
});
