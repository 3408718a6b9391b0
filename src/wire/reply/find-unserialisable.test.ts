import { expect, test } from "vitest";
import { findUnserialisable } from "./find-unserialisable.ts";

const cycle: { self?: unknown } = {};
cycle.self = { back: cycle };
const twice = { a: 1 };
const deep = (levels: number): object => (levels === 0 ? {} : { in: deep(levels - 1) });

test.each<[string, unknown, string | undefined]>([
  ["a BigInt", { items: [{ price: 1 }, { price: 1n }] }, "output.items[1].price is a BigInt"],
  ["a BigInt at the top", 1n, "output is a BigInt"],
  ["a BigInt returned by toJSON", { a: { toJSON: () => [1n] } }, "output.a[0] is a BigInt"],
  ["a cycle", { cycle }, "output.cycle.self.back contains itself"],
  [
    "a toJSON that throws",
    { at: new Date("x"), a: { toJSON: () => JSON.parse("{") as unknown } },
    expect.stringContaining("output.a has a toJSON that throws: SyntaxError"),
  ],
  [
    "a getter that throws",
    {
      get a() {
        throw new Error("no");
      },
    },
    "output.a throws when it is read: Error: no",
  ],
  ["a key that is not an identifier", { "a b": 1n }, 'output["a b"] is a BigInt'],
  ["a value nested too deeply", deep(2000), expect.stringMatching(/ is nested too deeply$/)],
  ["nothing wrong", { twice, again: twice, none: undefined, at: new Date(0) }, undefined],
])("findUnserialisable finds %s", (_what, value, expected) => {
  expect(findUnserialisable(value, "output")).toEqual(expected);
});
