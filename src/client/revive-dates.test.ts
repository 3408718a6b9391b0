import { describe, expect, test } from "vitest";
import { dates } from "./revive-dates.ts";

const at = new Date("2026-11-21T10:00:00.000Z");
const text = at.toISOString();

describe("a value that does not match its declaration stays unchanged", () => {
  test.each([null, undefined, 5, "", "no date", { at: text }, [text]])(
    "%j is not a date",
    (value) => {
      expect(dates.one(value)).toBe(value);
    },
  );

  test.each([null, 5, text, { 0: text }])("%j is not an array", (value) => {
    expect(dates.items(dates.one)(value)).toBe(value);
  });

  test.each([null, 5, text, [text]])("%j is not an object", (value) => {
    expect(dates.fields(new Map([["0", dates.one]]))(value)).toBe(value);
    expect(dates.by("0", new Map([[text, dates.one]]))(value)).toBe(value);
  });
});

test("a date that another option of a union has revived stays a date", () => {
  const fields = dates.fields(new Map([["from", dates.one]]));
  expect(dates.both(dates.one, fields)(text)).toEqual(at);
});

test("a field may have any name, even __proto__", () => {
  const value = JSON.parse(
    `{ "__proto__": "${text}", "at": "${text}", "b": "${text}" }`,
  ) as unknown;
  const revived = dates.fields(new Map([["at", dates.one]]))(value);
  expect(Object.entries(revived as object)).toEqual([
    ["__proto__", text],
    ["at", at],
    ["b", text],
  ]);
  expect(Object.getPrototypeOf(revived)).toBe(Object.prototype);
});
