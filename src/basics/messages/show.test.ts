import { expect, test } from "vitest";
import { z } from "zod";
import { show } from "./show.ts";

class Car {
  readonly wheels = 4;
}

test.each<[unknown, string]>([
  ["x", '"x"'],
  ['a "b"\n', String.raw`"a \"b\"\n"`],
  ["x".repeat(60), `"${"x".repeat(60)}"`],
  ["x".repeat(61), `"${"x".repeat(60)}..."`],
  [0, "0"],
  [-0.5, "-0.5"],
  [Number.NaN, "NaN"],
  [5n, "5n"],
  [true, "true"],
  [null, "null"],
  [undefined, "undefined"],
  [Symbol("a"), "Symbol(a)"],
  [() => 1, "a function"],
  [Car, "a function"],
  [[], "[]"],
  [[1, "b", [2], { c: 3 }, null], '[1, "b", [...], { ... }, null]'],
  [[1, 2, 3, 4, 5, 6], "[1, 2, 3, 4, 5, ...]"],
  [{}, "{}"],
  [Object.create(null), "{}"],
  [{ a: { b: 1 }, c: 2 }, "an object with a, c"],
  [{ a: 1, b: 2, c: 3, d: 4, e: 5, f: 6 }, "an object with a, b, c, d, e, ..."],
  [new Car(), "an object of class Car"],
  [new Date(0), "an object of class Date"],
  [z.string(), "a Zod schema"],
])("shows %o as %s", (value, shown) => {
  expect(show(value)).toBe(shown);
});

test("shows an object that hides its class", () => {
  expect(show(Object.create({ constructor: undefined }))).toBe("an object of class unknown");
});
