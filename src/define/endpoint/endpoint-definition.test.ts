import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { definitionChecks } from "./endpoint-definition.ts";

test("the documentation has all options of `build` in one table", () => {
  const page = readFileSync(new URL("../../../docs/endpoints.md", import.meta.url), "utf8");
  const documented = [...page.matchAll(/^\| `(\w+)` /gm)].map(([, name]) => name);
  const options = [...Object.keys(definitionChecks), "output", "version"];
  expect(new Set(documented)).toEqual(new Set(options));
  expect(documented).toHaveLength(options.length);
});
