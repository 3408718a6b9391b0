import fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import * as json from "./parse-json.ts";

const { maxJsonDepth } = json;
const parseJson = (text: string, maxValues = 20_000): object => json.parseJson(text, maxValues);

/** Counts the members and elements of a parsed value. */
const countValues = (value: unknown): number =>
  typeof value === "object" && value !== null
    ? Object.values(value).reduce((sum: number, one) => sum + 1 + countValues(one), 0)
    : 0;

const nested = (depth: number): string => `{"a":${"[".repeat(depth - 1)}${"]".repeat(depth - 1)}}`;

describe("parseJson", () => {
  test("returns the same as JSON.parse for any object without forbidden keys or excessive depth", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
        const text = JSON.stringify(value);
        fc.pre(!text.includes("__proto__") && !text.includes("constructor"));
        expect(parseJson(text)).toEqual(JSON.parse(text));
      }),
    );
  });

  test("ignores brackets within strings when it counts the depth", () => {
    const text = JSON.stringify({ a: "[{".repeat(500), b: '\\"[['.repeat(100), c: "\\" });
    expect(parseJson(text)).toEqual(JSON.parse(text));
  });

  test("accepts the maximum number of values, at all depths, and rejects one more", () => {
    const space = fc.nat(2).map((count) => " \t\n".repeat(count));
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), space, (value, indent) => {
        const text = JSON.stringify(value, null, indent).replaceAll(
          /"(?:\\.|[^"\\])*"|[[\]{}]/g,
          (token) => (token.startsWith('"') ? token : `${indent}${token}${indent}`),
        );
        fc.pre(!text.includes("__proto__") && !text.includes("constructor"));
        const count = countValues(JSON.parse(text));
        fc.pre(count > 1);
        expect(parseJson(text, count)).toEqual(JSON.parse(text));
        expect(() => parseJson(text, count - 1)).toThrow("more values than `bodyLimit.values`");
      }),
    );
  });

  test("counts the values before it creates them", () => {
    const parse = vi.spyOn(JSON, "parse");
    expect(() => parseJson(`{"a":[${"1,".repeat(20_000)}1]}`)).toThrow("more values");
    expect(parse).not.toHaveBeenCalled();
    vi.restoreAllMocks();
  });

  test("accepts the maximum depth and rejects the next level", () => {
    expect(() => parseJson(nested(maxJsonDepth))).not.toThrow();
    expect(() => parseJson(nested(maxJsonDepth + 1))).toThrow("Body nested too deeply");
  });

  test.each([
    '{"__proto__":{}}',
    '{"__proto__":1}',
    '{"a":[{"__proto__":null}]}',
    String.raw`{"\u005f_proto__":{}}`,
    String.raw`{"\u005F\u005f\u0070\u0072\u006F\u0074\u006f\u005F\u005F":1}`,
    '{"constructor":{"prototype":{}}}',
    String.raw`{"\u0063\u006F\u006E\u0073\u0074\u0072\u0075\u0063\u0074\u006F\u0072":{"\u0070rototype":1}}`,
    '{"a":{"constructor":{"prototype":1}}}',
    String.raw`{"constr\u0075ctor":{"prototype":{}}}`,
  ])("rejects the forbidden key in %s", (text) => {
    expect(() => parseJson(text)).toThrow("Forbidden key in the body");
  });

  test("accepts the names of forbidden keys as values, and harmless keys that resemble them", () => {
    const text =
      '{"constructor":"ACME","b":"__proto__","prototype":{},"c":{"constructor":{"x":1}}}';
    expect(parseJson(text)).toEqual(JSON.parse(text));
  });

  test.each(["null", "5", '"x"', "[1,2]", "true"])("rejects %s at the top level", (text) => {
    expect(() => parseJson(text)).toThrow("Expected an object");
  });

  test("reveals nothing about a malformed body", () => {
    expect(() => parseJson('{"secret": hunter2}')).toThrow(/^Invalid JSON$/);
  });

  test("creates no arrays of keys or values, which would take most of the time", () => {
    const spies = (["entries", "keys", "values"] as const).map((name) => vi.spyOn(Object, name));
    parseJson(String.raw`{"\u0061":[{"b":{"c":1}},[{}],"d"]}`);
    for (const spy of spies) expect(spy).not.toHaveBeenCalled();
    vi.restoreAllMocks();
  });

  // anything but linear time would exceed the test's timeout
  test("takes linear time for hostile strings", () => {
    expect(() => parseJson(`{"a":"${"\\".repeat(500_000)}`)).toThrow("Invalid JSON");
  });
});
