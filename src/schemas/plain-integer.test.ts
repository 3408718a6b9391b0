import { expect, test } from "vitest";
import { z } from "zod";
import { plainInteger } from "./paginated.ts";

const schema = plainInteger(-5, 100, 7);

test.each([
  [undefined, 7],
  [-5, -5],
  ["-5", -5],
  ["0", 0],
  ["10", 10],
  [100, 100],
  ["100", 100],
])("plainInteger parses %j as %i", (value, number) => {
  expect(schema.parse(value)).toBe(number);
});

test.each([
  ..."-6|101|00|01|-0|+1|1.0|1e1|0x1| 1|1 |1\n|Infinity|NaN|true|".split("|"),
  ...[-6, 101, 1.5, Number.NaN, Infinity, null, true, [], "9007199254740993"],
])("plainInteger rejects %j with a single issue", (value) => {
  expect(schema.safeParse(value).error?.issues).toHaveLength(1);
});

test("plainInteger reports only the range issue for a fraction outside the range", () => {
  expect(schema.safeParse(-6.5).error?.issues).toMatchObject([{ code: "too_small" }]);
  expect(schema.safeParse(100.5).error?.issues).toMatchObject([{ code: "too_big" }]);
});

test("documents show a plain integer as type integer", () => {
  expect(z.toJSONSchema(schema, { io: "input" })).toMatchObject({
    ...{ type: "integer", minimum: -5, maximum: 100, default: 7 },
  });
});
