import { Ajv } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import formats from "ajv-formats";
import fc from "fast-check";
import type { JsonObject } from "sallyport/openapi";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { inputOf, outputOf } from "./generate.ts";
import { fromDraft4 } from "./official-schemas.ts";

const latest = new Ajv2020({ strict: false, logger: false });
const oldest = new Ajv({ strict: false, logger: false });
for (const ajv of [latest, oldest]) formats.default(ajv);

const validators = new Map<string, (value: unknown) => boolean>();

const toValidator = (json: JsonObject, isOld = false) => {
  const key = JSON.stringify([json, isOld]);
  const known = validators.get(key);
  if (known) return known;
  const own = isOld ? oldest.compile(fromDraft4(json) as JsonObject) : latest.compile(json);
  const accepts = (value: unknown): boolean => own(value);
  validators.set(key, accepts);
  return accepts;
};

const expectAgreement = (schema: z.ZodType, values: readonly unknown[]): void => {
  const documents = [
    toValidator(inputOf(schema)),
    toValidator(outputOf(schema)),
    toValidator(inputOf(schema, { openapi: "3.0" }), true),
  ];
  for (const value of values) {
    const isAccepted = z.safeParse(schema, value).success;
    const accepted = documents.map((accepts) => accepts(value));
    expect({ value, accepted }).toEqual({ value, accepted: documents.map(() => isAccepted) });
  }
};

/** A schema of each string format of Zod, with strings that it accepts; the other formats reject most of them. */
const strings = {
  base64: [z.base64(), ["", "aGVsbG8=", "aGk="]],
  base64url: [z.base64url(), ["aGVsbG8", "_-_-"]],
  cidrv4: [z.cidrv4(), ["192.0.2.0/24"]],
  cidrv6: [z.cidrv6(), ["2001:db8::/32"]],
  date: [z.iso.date(), ["2026-01-31", "2024-02-29"]],
  dateTime: [z.iso.datetime(), ["2026-01-31T12:30:00Z", "2026-01-31T12:30:00.5Z"]],
  dateTimeOfMinutes: [z.iso.datetime({ precision: -1 }), ["2026-01-31T12:30Z"]],
  dateTimeOfSeconds: [z.iso.datetime({ precision: 0 }), ["2026-01-31T12:30:00Z"]],
  dateTimeOfThree: [
    z.iso.datetime({ precision: 3, offset: true }),
    ["2026-01-31T12:30:00.123Z", "2026-01-31T12:30:00.123+02:00"],
  ],
  dateTimeSomewhere: [z.iso.datetime({ offset: true }), ["2026-01-31T12:30:00+02:00"]],
  dateTimeHere: [z.iso.datetime({ local: true }), ["2026-01-31T12:30:00", "2026-01-31T12:30"]],
  duration: [z.iso.duration(), ["P3DT4H", "P1W"]],
  e164: [z.e164(), ["+4930123456"]],
  email: [z.email(), ["user@example.com", "user@corp.example"]],
  guid: [z.guid(), ["7d444840-9dc0-41d3-b0c6-8f0d2c1ad1b9"]],
  hex: [z.hex(), ["c0ffee"]],
  hostname: [z.hostname(), ["www.example.com"]],
  html5Email: [z.email({ pattern: z.regexes.html5Email }), ["user@example.com"]],
  httpUrl: [z.httpUrl(), ["https://example.com/", "http://example.com/?a=b"]],
  ipv4: [z.ipv4(), ["192.0.2.1"]],
  ipv6: [z.ipv6(), ["2001:db8::1"]],
  nanoid: [z.nanoid(), ["V1StGXR8_Z5jdHi6B-myT"]],
  text: [
    z.string(),
    [
      "",
      "a",
      "ab",
      "äöü",
      "🙂🙂",
      "AB",
      "abcabc",
      "x@corp.example",
      "not an@corp.example",
      "line\nbreak",
    ],
  ],
  time: [z.iso.time(), ["12:30:00", "12:30"]],
  ulid: [z.ulid(), ["01ARZ3NDEKTSV4RRFFQ69G5FAV"]],
  url: [z.url(), ["https://example.com/", "ftp://corp.example"]],
  uuid: [z.uuid(), ["7d444840-9dc0-41d3-b0c6-8f0d2c1ad1b9"]],
  uuidv7: [z.uuidv7(), ["0194b5c0-9dc0-71d3-b0c6-8f0d2c1ad1b9"]],
} as const satisfies Record<string, readonly [z.ZodType<string, string>, readonly string[]]>;

const texts = [...new Set(Object.values(strings).flatMap(([, own]): readonly string[] => own))];

/** Checks whether a schema has a format, which makes it a check, too. */
const isCheck = ({ _zod: { def } }: z.ZodType): boolean =>
  "check" in def && def.check === "string_format";

/** The checks of a string; formats are checks, too. */
const checks: Readonly<Record<string, z.core.$ZodCheck<string>>> = {
  ...Object.fromEntries(
    Object.entries(strings).flatMap(([name, [schema]]) =>
      isCheck(schema) ? [[name, schema as unknown as z.core.$ZodCheck<string>]] : [],
    ),
  ),
  minLength: z.minLength(2),
  maxLength: z.maxLength(12),
  length: z.length(16),
  startsWith: z.startsWith("2"),
  startsWithDots: z.startsWith("a."),
  endsWith: z.endsWith("@corp.example"),
  includes: z.includes("e"),
  includesLater: z.includes("o", { position: 5 }),
  lowercase: z.lowercase(),
  uppercase: z.uppercase(),
  letters: z.regex(/^[a-z@.]+$/),
  noDigits: z.regex(/^\D*$/),
  unicode: z.regex(/^\p{L}+$/u),
  trim: z.trim(),
};

describe("A document accepts what the server accepts", () => {
  test.each(Object.entries(strings))("%s", (_name, [schema, own]) => {
    expect(own.filter((text) => !z.safeParse(schema, text).success)).toEqual([]);
    expectAgreement(schema, texts);
  });

  test.each(Object.entries(strings))("%s, with an end of its own", (_name, [schema]) => {
    expectAgreement((schema as z.ZodString).endsWith("@corp.example"), texts);
    if (isCheck(schema))
      expectAgreement(
        z
          .string()
          .endsWith("e")
          .check(schema as never)
          .min(3),
        texts,
      );
  });

  test("any checks of a string, in any order", () => {
    const base = fc.constantFrom(...Object.values(strings).map(([schema]) => schema));
    const more = fc.array(fc.constantFrom(...Object.values(checks)), { maxLength: 4 });
    fc.assert(
      fc.property(base, more, (schema, some) => {
        expectAgreement((schema as z.ZodString).check(...some).meta({ title: "Text" }), texts);
      }),
      { numRuns: 20 },
    );
  });

  test("any checks of a number, in any order", () => {
    const one = fc.integer({ min: -6, max: 6 });
    const check = fc.oneof(
      fc.constantFrom(2, 3, 4, 1.5).map((by) => z.multipleOf(by)),
      ...[z.gt, z.gte, z.lt, z.lte].map((compare) => one.map((value) => compare(value))),
    );
    const values = Array.from({ length: 49 }, (_none, at) => (at - 24) / 2);
    fc.assert(
      fc.property(
        fc.constantFrom(z.number(), z.int(), z.int32()),
        fc.array(check, { maxLength: 5 }),
        (schema, some) => expectAgreement(schema.check(...some), values),
      ),
      { numRuns: 20 },
    );
  });

  test("any checks of an array", () => {
    const count = fc.integer({ min: 0, max: 4 });
    const check = fc.oneof(
      ...[z.minLength, z.maxLength, z.length].map((limit) => count.map((own) => limit(own))),
    );
    const values = Array.from({ length: 6 }, (_none, length) => Array.from({ length }, () => "a"));
    fc.assert(
      fc.property(fc.array(check, { maxLength: 4 }), (some) =>
        expectAgreement(z.array(z.string()).check(...(some as never[])), values),
      ),
      { numRuns: 20 },
    );
  });
});
