import { expect, test } from "vitest";
import { BareObject } from "./bare-object.ts";

test("bareObject inherits nothing, and cannot be given a prototype", () => {
  const one = new BareObject();
  expect("toString" in one).toBe(false);
  const prototype = Object.getPrototypeOf(one) as object;
  expect(() => Object.assign(prototype, { polluted: true })).toThrow(TypeError);
  expect("polluted" in new BareObject()).toBe(false);
});
