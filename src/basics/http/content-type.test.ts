import { describe, expect, test } from "vitest";
import { parseContentType } from "./content-type.ts";

const parse = (field: string): unknown => {
  const parsed = parseContentType(field);
  return parsed && [parsed.type, Object.fromEntries(parsed.parameters)];
};

describe("parseContentType", () => {
  test.each([
    ["application/json", ["application/json", {}]],
    ["APPLICATION/JSON ; charset=utf-8", ["application/json", { charset: "utf-8" }]],
    ["application/json\t", ["application/json", {}]],
    ["application/json;", ["application/json", {}]],
    ['text/plain; Charset="utf-8"; a=b', ["text/plain", { charset: "utf-8", a: "b" }]],
    [String.raw`x/y; a="q\"u"`, ["x/y", { a: 'q"u' }]],
    ["application/problem+json", ["application/problem+json", {}]],
  ])("parses %j", (field, expected) => {
    expect(parse(field)).toEqual(expected);
  });

  test.each([
    "",
    "json",
    "application/",
    "/json",
    "application/json garbage",
    "application/json; charset",
    'application/json; charset="utf-8',
    "application/json, text/plain",
  ])("rejects %j", (field) => {
    expect(parse(field)).toBeUndefined();
  });

  // anything but linear time would exceed the test's timeout
  test("takes linear time for hostile fields", () => {
    expect(parse(`application/json${"; ".repeat(500_000)}x`)).toBeUndefined();
    expect(parse(`application/json;a="${"\\a".repeat(500_000)}`)).toBeUndefined();
    expect(parse(`application/json;${" ".repeat(1_000_000)}x`)).toBeUndefined();
    expect(parse(`application/json;a=b${"\t".repeat(1_000_000)}x`)).toBeUndefined();
  });
});
