import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { definitionChecks } from "./endpoint-definition.ts";

test("the documentation has all options of `build` in one table", () => {
  const page = readFileSync(new URL("../../docs/endpoints.md", import.meta.url), "utf8");
  const documented = [...page.matchAll(/^\| `(\w+)` /gm)].map(([, name]) => name);
  expect(new Set(documented)).toEqual(new Set([...Object.keys(definitionChecks), "output"]));
  expect(documented).toHaveLength(Object.keys(definitionChecks).length + 1);
});
