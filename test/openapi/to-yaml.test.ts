import { defaultEndpointsFactory as factory } from "sallyport";
import { toYaml } from "sallyport/openapi";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { z } from "zod";
import { generate } from "./generate.ts";

test("a document can be written as YAML, without anchors and folded lines", () => {
  const id = z.string().describe("Which one. ".repeat(20));
  const endpoint = factory.build({ input: z.object({ id }), handler: () => ({}) });
  const document = generate({ a: endpoint, b: endpoint });
  const text = toYaml(document);
  expect(parse(text)).toEqual(document);
  expect(text).not.toMatch(/[&*>]/);
});

/** Strings that readers of YAML 1.1 take for dates, booleans, numbers or null unless they are quoted. */
const ambiguous: readonly string[] = [
  ...["2024-01-01", "2024-1-1 1:2:3", "2024-01-01T00:00:00Z", "yes", "NO", "on", "Off", "y", "N"],
  ...["true", "Null", "~", "", "1_000", "017", "0o17", "0x1F", "0b101", "1:30", "-1:30:00", ".5"],
  ...[".inf", "-.INF", "+.inf", ".nan", "1e3", "12e03", "1.5e+3", "+1", "0.", "_1", "1_0.5"],
  ...["190:20:30.15", "<<", "=", "1.0", "-0"],
];

test("YAML 1.1 reads the same values and keys", () => {
  const document = {
    values: ambiguous,
    keys: Object.fromEntries(ambiguous.map((text, at) => [text, at])),
    numbers: [1e-7, -1e21, 1.5e-9, 100, 1.5, 0],
  };
  const text = toYaml(document);
  expect(parse(text)).toEqual(document);
  expect(parse(text, { version: "1.1" })).toEqual(document);
  // some readers take a lone = for a value, and an exponent only after a decimal point
  expect(text).toContain('- "="\n');
  expect(text).toContain("- 1.0e-7\n  - -1.0e+21\n  - 1.5e-9\n");
});
