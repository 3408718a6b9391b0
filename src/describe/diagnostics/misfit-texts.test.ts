import { expect, test } from "vitest";
import { z } from "zod";
import { ez } from "../../basics/schemas/ez.ts";
import { toFix, toReason } from "./misfit-texts.ts";
import type { Misfit } from "./misfits.ts";
import type { Kind, Wire } from "./wire.ts";

const toMisfit = (
  kind: Kind,
  carrier: Wire["carrier"],
  schema: z.ZodType = z.symbol(),
): Misfit => ({
  ...{ path: ".a", kind, schema },
  wire: { carrier } as Wire,
});

const forInputs: readonly Kind[] = [
  ...(["bigint", "buffer", "date", "dateOut", "file", "map", "nan", "never"] as const),
  ...(["set", "stream", "symbol"] as const),
];
const forTexts: readonly Kind[] = [...forInputs, "array", "boolean", "null", "number", "object"];

test.each<[Wire["carrier"], readonly Kind[]]>([
  ["json", forInputs],
  ["text", forTexts],
  ["path", forTexts],
  ["wildcard", [...forTexts, "string"]],
  ["output", ["bigint", "dateIn", "file", "map", "nan", "never", "raw", "set", "symbol", "upload"]],
])("each kind of schema that does not fit the carrier %s has its own fix", (carrier, kinds) => {
  const fixes = kinds.map((kind) => toFix(toMisfit(kind, carrier)));
  expect(fixes.filter((fix) => fix.startsWith("Use another type") || fix === "")).toEqual([]);
  expect(toFix(toMisfit("function", carrier))).toMatch(/^Use another type/);
});

test.each<[Wire["carrier"], string]>([
  ["json", "JSON cannot represent"],
  ["output", "JSON cannot represent"],
  ["path", "a path parameter is a string"],
  ["text", "a query has only strings"],
  ["wildcard", "a wildcard returns an array of strings"],
])(
  "the reason for the carrier %s names the schema and what the carrier supports",
  (carrier, text) => {
    expect(toReason(toMisfit("symbol", carrier))).toContain(text);
    expect(toReason(toMisfit("symbol", carrier))).toMatch(/^is z\.symbol\(\), /);
    for (const kind of ["buffer", "dateIn", "dateOut", "raw", "upload"] as const)
      expect(toReason(toMisfit(kind, carrier))).toContain(`is ez.${kind}(), `);
  },
);

test("the reason tells the file of this package from that of Zod", () => {
  expect(toReason(toMisfit("file", "json", z.file()))).toMatch(/^is z\.file\(\), /);
  expect(toReason(toMisfit("file", "json", ez.file()))).toMatch(/^is ez\.file\(\), /);
});

test("the reason for a schema that accepts no value does not name the schema", () => {
  expect(toReason(toMisfit("never", "json"))).toBe("accepts no value at all");
});
