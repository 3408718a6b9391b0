import { afterEach, expect, test, vi } from "vitest";
import { toTime } from "./validators.ts";

afterEach(() => void vi.useRealTimers());

test.each([
  ["2026-06-01", "76", 2076],
  ["2026-06-01", "77", 1977],
  ["2026-06-01", "70", 2070],
  ["2026-06-01", "94", 1994],
  ["2026-06-01", "00", 2000],
  ["2099-06-01", "01", 2101],
  ["2099-06-01", "50", 2050],
])("in %s, a year of two digits is at most 50 years ahead: %s is %i", (now, digits, year) => {
  vi.useFakeTimers({ now: new Date(now) });
  expect(toTime(`Sunday, 06-Mar-${digits} 08:49:37 GMT`)).toBe(Date.UTC(year, 2, 6, 8, 49, 37));
});

test("a date that would be more than 50 years ahead in this year is in the past", () => {
  vi.useFakeTimers({ now: new Date("2026-06-01") });
  expect(toTime("Sunday, 06-Nov-76 08:49:37 GMT")).toBe(Date.UTC(1976, 10, 6, 8, 49, 37));
});
