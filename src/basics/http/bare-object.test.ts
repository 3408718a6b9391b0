import { expect, test } from "vitest";
import { BareObject } from "./query.ts";

test("a bare object inherits nothing, and its prototype cannot be polluted", () => {
  const one = new BareObject();
  expect("toString" in one).toBe(false);
  const prototype = Object.getPrototypeOf(one) as object;
  expect(() => Object.assign(prototype, { polluted: true })).toThrow(TypeError);
  expect("polluted" in new BareObject()).toBe(false);
});
