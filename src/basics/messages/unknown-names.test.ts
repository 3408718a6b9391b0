import { expect, test } from "vitest";
import { anything, checkDefinition } from "./option-checks.ts";
import { describeUnknown, suggest } from "./unknown-names.ts";

test.each([
  ["bodylimit", ["bodyLimit", "bodyIdleTimeout"], "bodyLimit"],
  ["bodyLimits", ["bodyLimit"], "bodyLimit"],
  ["boyLmt", ["bodyLimit"], "bodyLimit"],
  ["odyLimit", ["bodyLimit"], "bodyLimit"],
  ["metod", ["input", "method", "output"], "method"],
  ["htp", ["cors", "http", "https"], "http"],
  ["htttps", ["http", "https"], "https"],
  ["xors", ["cors"], "cors"],
  ["GTE", ["get", "put"], "get"],
])("given %s and the known names %j, suggests %s", (wrong, known, name) => {
  expect(suggest(wrong, known)).toBe(` Did you mean \`${name}\`?`);
});

test.each([
  ["limit", ["bodyLimit"]],
  ["boyLm", ["bodyLimit"]],
  ["xyz", ["get", "put"]],
  ["path", ["cors"]],
  ["", ["on"]],
  ["x", []],
  ["xxxhttp", ["http"]],
  ["httpxxx", ["http"]],
  ["xxxxmethod", ["method"]],
  ["methodxxxx", ["method"]],
])("given %s and the known names %j, suggests nothing", (wrong, known) => {
  expect(suggest(wrong, known)).toBe("");
});

test("names the unknown key, the key that was probably meant, and all known keys", () => {
  expect(describeUnknown("option", "metod", ["method", "path"])).toBe(
    "There is no option `metod`. Did you mean `method`? The options are method, path.",
  );
  expect(describeUnknown("key", "x", ["method"], { where: "build" })).toBe(
    "build: there is no key `x`. The keys are method.",
  );
  expect(describeUnknown("option", "jsn", ["json"], { prefix: "--" })).toBe(
    "There is no option `--jsn`. Did you mean `--json`? The options are --json.",
  );
});

test("refuses the first unknown key, and ignores inherited keys", () => {
  const object = Object.assign(Object.create({ inherited: 1 }) as object, { a: 1, c: 2, d: 3 });
  const check = (...known: string[]) => {
    checkDefinition("build", object, Object.fromEntries(known.map((key) => [key, anything])));
  };
  expect(() => check("a", "b")).toThrow(/^build: there is no key `c`\./);
  expect(() => check("a", "c", "d")).not.toThrow();
});
