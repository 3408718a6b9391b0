import fc from "fast-check";
import { describe, expect, expectTypeOf, test } from "vitest";
import type { z } from "zod";
import { ez } from "./ez.ts";

describe("ez.dateIn", () => {
  test.each([
    ["2026-11-20", "2026-11-20T00:00:00.000Z"],
    ["2026-11-20T10:30:15Z", "2026-11-20T10:30:15.000Z"],
    ["2026-11-20T10:30:15.250Z", "2026-11-20T10:30:15.250Z"],
    ["2026-11-20T10:30:15+02:00", "2026-11-20T08:30:15.000Z"],
    ["2024-02-29", "2024-02-29T00:00:00.000Z"],
    ["2022-12-31T00:00Z", "2022-12-31T00:00:00.000Z"],
    ["2022-12-31T00:00+02:00", "2022-12-30T22:00:00.000Z"],
  ])("creates a Date from %s", (text, iso) => {
    expect(ez.dateIn().parse(text).toISOString()).toBe(iso);
  });

  test("reads a time without an offset as local time", () => {
    expect(ez.dateIn().parse("2026-11-20T10:30:15")).toEqual(new Date(2026, 10, 20, 10, 30, 15));
    expect(ez.dateIn().parse("2026-11-20T10:30")).toEqual(new Date(2026, 10, 20, 10, 30));
  });

  test.each([
    "",
    "2026-02-30",
    "2023-02-29",
    "20.11.2026",
    "2026-11-20T25:00:00Z",
    "2026-11-20T10Z",
    "now",
    5,
    null,
  ])("rejects %j", (value) => {
    expect(ez.dateIn().safeParse(value).error?.issues).toMatchObject([
      { message: "Invalid input: expected an ISO 8601 date or date-time" },
    ]);
  });

  test("accepts a string or a Date from a client's code, and gives the handler a Date", () => {
    const schema = ez.dateIn({ description: "When", examples: ["2026-11-20"] });
    expectTypeOf<z.input<typeof schema>>().toEqualTypeOf<Date | string>();
    expectTypeOf<z.output<typeof schema>>().toEqualTypeOf<Date>();
    expect(schema.meta()).toMatchObject({ description: "When", examples: ["2026-11-20"] });
  });
});

describe("ez.dateOut", () => {
  test("creates an ISO string from any valid Date", () => {
    fc.assert(
      fc.property(
        fc.date({ min: new Date(0), max: new Date("9999-01-01"), noInvalidDate: true }),
        (date) => {
          expect(ez.dateOut().parse(date)).toBe(date.toISOString());
          expect(ez.dateIn().parse(ez.dateOut().parse(date))).toEqual(date);
        },
      ),
    );
  });

  test.each([new Date(Number.NaN), "2026-11-20T10:30:00Z", 5])("rejects %j", (value) => {
    expect(ez.dateOut().safeParse(value).success).toBe(false);
  });

  test("accepts a Date from the handler, and sends a string", () => {
    const schema = ez.dateOut();
    expectTypeOf<z.input<typeof schema>>().toEqualTypeOf<Date>();
    expectTypeOf<z.output<typeof schema>>().toEqualTypeOf<string>();
  });
});
