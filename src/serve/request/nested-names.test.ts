import fc from "fast-check";
import { expect, test } from "vitest";
import { nestNames } from "./nested-names.ts";

test.each<[object, object]>([
  [
    { a: "1", b: ["2", "3"] },
    { a: "1", b: ["2", "3"] },
  ],
  [{ "a[0]": "x", "a[1]": "y" }, { a: ["x", "y"] }],
  [{ "a[3]": "y", "a[1]": "x" }, { a: ["x", "y"] }],
  [{ "a[10]": "y", "a[9]": "x" }, { a: ["x", "y"] }],
  [{ "a[]": "x" }, { a: ["x"] }],
  [{ "a[0]": "z", "a[]": ["x", "y"] }, { a: ["z", "x", "y"] }],
  [{ "a[1]": "y", "a[]": "z" }, { a: ["y", "z"] }],
  [{ "o[k]": "1", "o[l]": ["2", "3"] }, { o: { k: "1", l: ["2", "3"] } }],
  [{ "o[0]": "1", "o[k]": "2" }, { o: { "0": "1", k: "2" } }],
  [{ "o[1000]": "1", "o[01]": "2" }, { o: { "1000": "1", "01": "2" } }],
  [{ "a[0][n]": "1", "a[0][m][]": "2", "a[1][n]": "3" }, { a: [{ n: "1", m: ["2"] }, { n: "3" }] }],
  [
    { "a[b": "1", "[c]": "2", "d]": "3", "e[f]g": "4" },
    { "a[b": "1", "[c]": "2", "d]": "3", "e[f]g": "4" },
  ],
  [{ "a[b][c][d][e][f]": "1" }, { a: { b: { c: { d: { e: { f: "1" } } } } } }],
  [
    { "constructor[name]": "1", "a[prototype]": "2" },
    { constructor: { name: "1" }, a: { prototype: "2" } },
  ],
])("nests %j", (flat, nested) => {
  expect(JSON.parse(JSON.stringify(nestNames(flat)))).toEqual(nested);
});

test.each([
  ["SLP_BODY_TOO_DEEP", { "a[b][c][d][e][f][g]": "1" }],
  ["SLP_BODY_FORBIDDEN_KEY", { "a[__proto__]": "1" }],
  ["SLP_BODY_FORBIDDEN_KEY", { "__proto__[a]": "1" }],
  ["SLP_BODY_FORBIDDEN_KEY", { "a[constructor][prototype][b]": "1" }],
  ["SLP_BODY_FORBIDDEN_KEY", { "constructor[prototype]": "1" }],
  ["SLP_BODY_MALFORMED_FORM", { a: "1", "a[b]": "2" }],
  ["SLP_BODY_MALFORMED_FORM", { "a[b]": "2", a: "1" }],
  ["SLP_BODY_MALFORMED_FORM", { "a[]": "1", "a[0]": "2" }],
  ["SLP_BODY_MALFORMED_FORM", { "a[b][c]": "2", "a[b]": "1" }],
])("refuses with %s: %j", (code, flat) => {
  expect(() => nestNames(Object.fromEntries(Object.entries(flat)))).toThrow(
    expect.objectContaining({ code }),
  );
});

test("keeps every value, whatever the names, and never changes a prototype", () => {
  const key = fc.constantFrom("", "0", "1", "a", "b", "toString");
  const name = fc
    .tuple(fc.constantFrom("x", "y", "valueOf"), fc.array(key, { maxLength: 5 }))
    .map(([first, keys]) => `${first}${keys.map((one) => `[${one}]`).join("")}`);
  const leavesOf = (value: unknown): unknown[] =>
    typeof value === "object" && value !== null ? Object.values(value).flatMap(leavesOf) : [value];
  const nest = (flat: object): unknown => {
    try {
      return leavesOf(nestNames(flat)).toSorted((one, other) => Number(one) - Number(other));
    } catch (error) {
      return (error as Error).message;
    }
  };
  fc.assert(
    fc.property(fc.uniqueArray(name, { maxLength: 8 }), (names) => {
      const flat = Object.fromEntries(names.map((one, at) => [one, at]));
      const values = names.map((_one, at) => at);
      expect([values, "Malformed form"]).toContainEqual(nest(flat));
      expect(Object.keys(Object.prototype)).toEqual([]);
    }),
  );
});
