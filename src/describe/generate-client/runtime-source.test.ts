import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { readRuntime } from "./read-runtime.ts";

const clientFolder = new URL("../client/", import.meta.url);

test("keeps each module's source, without imports and exports, but with the list of exports", () => {
  const runtime = readRuntime();
  expect(runtime).not.toMatch(/^import |^export (?!(?:type )?\{[^}]*\};$)/m);
  const [, body = ""] = /(export const hasMore: HasMore = [\s\S]*)$/.exec(
    readFileSync(new URL("pages.ts", clientFolder), "utf8"),
  ) ?? [""];
  expect(body).not.toBe("");
  expect(runtime).toContain(body.replaceAll("export const ", "const ").trim());
});

test("exports the same names as `sallyport/client`, except for those of the inferred client, and has all", () => {
  const runtime = readRuntime();
  const index = readFileSync(new URL("index.ts", clientFolder), "utf8");
  const inferred =
    /\/(?:inferred-client|route-at|wire-types|error-types|generated-client|errors)\.ts/;
  const statements = [...index.matchAll(/^export (type )?(\{[^}]*\}) from "([^"]*)";$/gm)]
    .filter(([, , , from = ""]) => !inferred.test(from))
    .map(([, type = "", names = ""]) => [type, names] as const);
  expect(runtime.match(/^export .*/gm)).toHaveLength(statements.length);
  for (const [type, names] of statements) {
    expect(runtime).toContain(`export ${type}${names};`);
    const kinds = type === "" ? "class" : "(?:interface|type)";
    for (const [name] of names.matchAll(/\w+/g))
      expect(runtime).toMatch(new RegExp(`^${kinds} ${name}\\b`, "m"));
  }
});
