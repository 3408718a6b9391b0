import { parse } from "node:querystring";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { hasTooManyPairs, maxPairs, parseQuery } from "./query.ts";

const part = fc.oneof(
  fc.constantFrom(
    "a",
    "b",
    "a[b]",
    "%41",
    "%20",
    "+",
    "",
    "=",
    "constructor",
    "toString",
    "%E4%BD%A0",
  ),
  fc.string({ maxLength: 5 }).map(encodeURIComponent),
);
const pair = fc.oneof(
  part,
  fc.tuple(part, part).map(([name, value]) => `${name}=${value}`),
);

describe("parseQuery", () => {
  test("agrees with node:querystring wherever the encoding is valid", () => {
    fc.assert(
      fc.property(fc.array(pair, { maxLength: 8 }), (pairs) => {
        const text = pairs.join("&");
        expect({ ...parseQuery(text) }).toEqual({ ...parse(text) });
      }),
      { numRuns: 500 },
    );
  });

  test("returns an object that inherits nothing", () => {
    expect(parseQuery("a=1")["toString"]).toBeUndefined();
  });

  test("leaves out __proto__, however it is spelt", () => {
    const query = parseQuery("__proto__=1&%5f%5fproto%5F_=2&a=3");
    expect(Object.keys(query)).toEqual(["a"]);
    expect(({} as Record<string, unknown>)["1"]).toBeUndefined();
  });

  test("keeps malformed percent-encoding unchanged", () => {
    expect({ ...parseQuery("a=%zz&b=%E0%A4") }).toEqual({ a: "%zz", b: "%E0%A4" });
  });
});

describe("hasTooManyPairs", () => {
  test("is true only if there are more pairs than allowed", () => {
    const pairs = (count: number): string => Array.from({ length: count }, () => "a=1").join("&");
    expect(hasTooManyPairs(pairs(maxPairs))).toBe(false);
    expect(hasTooManyPairs(pairs(maxPairs + 1))).toBe(true);
  });

  test("allows a thousand pairs", () => {
    expect(maxPairs).toBe(1000);
  });

  test("counts empty pairs too", () => {
    expect(hasTooManyPairs("&".repeat(maxPairs - 1))).toBe(false);
    expect(hasTooManyPairs("&".repeat(maxPairs))).toBe(true);
  });
});
