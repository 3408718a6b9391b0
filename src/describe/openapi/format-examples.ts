import { z } from "zod";
import type { ZodSchema } from "../../basics/schemas/schema.ts";
import type { JsonObject } from "./options.ts";

/** Examples of the formats for which documentation pages would make up values that do not fit, or cannot be read. */
const examples: Readonly<Record<string, readonly string[]>> = {
  base64: ["aGVsbG8="],
  base64url: ["aGVsbG8"],
  cidrv4: ["192.0.2.0/24"],
  cidrv6: ["2001:db8::/32"],
  credit_card: ["4111111111111111"],
  cuid: ["cjld2cjxh0000qzrmn831i7rn"],
  cuid2: ["tz4a98xxat96iws9zmbrgj3a"],
  currency_code: ["EUR"],
  date: ["2026-01-31"],
  datetime: [
    ...["2026-01-31T12:30:00Z", "2026-01-31T12:30:00.000Z", "2026-01-31T12:30Z"],
    ...["2026-01-31T12:30:00.0Z", "2026-01-31T12:30:00.00Z", "2026-01-31T12:30:00.000000Z"],
  ],
  duration: ["P3DT4H"],
  e164: ["+4930123456"],
  email: ["user@example.com"],
  emoji: ["🙂"],
  guid: ["7d444840-9dc0-41d3-b0c6-8f0d2c1ad1b9"],
  hex: ["c0ffee"],
  hostname: ["www.example.com"],
  iban: ["DE89370400440532013000"],
  ipv4: ["192.0.2.1"],
  ipv6: ["2001:db8::1"],
  jwt: ["eyJhbGciOiJIUzI1NiJ9.e30.ZRrHA1JJJW8opsbCGfG_HACGpVUMN_a9IV7pAx_Zmeo"],
  ksuid: ["0ujtsYcgvSTl8PAuAdqWYSMnLOv"],
  mac: ["00:00:5e:00:53:01", "00-00-5e-00-53-01"],
  nanoid: ["V1StGXR8_Z5jdHi6B-myT"],
  time: ["12:30:00", "12:30", "12:30:00.000"],
  ulid: ["01ARZ3NDEKTSV4RRFFQ69G5FAV"],
  url: [
    "https://example.com/",
    "wss://example.com/",
    "ftp://example.com/",
    "mailto:user@example.com",
  ],
  uuid: [
    ...["7d444840-9dc0-41d3-b0c6-8f0d2c1ad1b9", "1f0d2c1a-9dc0-61d3-b0c6-8f0d2c1ad1b9"],
    ...["0194b5c0-9dc0-71d3-b0c6-8f0d2c1ad1b9", "7d444840-9dc0-11d3-b0c6-8f0d2c1ad1b9"],
  ],
  xid: ["9m4e2mr0ui3e8a215n4g"],
};

const known: ReadonlySet<unknown> = new Set(Object.values(examples).flat());

/** The formats for which documentation pages have examples of their own. */
const wellKnown: ReadonlySet<unknown> = new Set([
  ...["date", "date-time", "email", "hostname", "ipv4", "ipv6", "uuid"],
]);

interface Check {
  readonly format?: string;
  readonly prefix?: string;
  readonly suffix?: string;
}

/** Lists examples of the first of several formats, as they are, and with the beginning and the end that a string must have. */
function* listExamples(checks: readonly Check[]): Generator<string> {
  const format = checks.map((check) => check.format ?? "").find((name) => examples[name]);
  const plain = examples[format ?? ""] ?? [];
  yield* plain;
  const start = checks.find(({ prefix }) => prefix !== undefined)?.prefix ?? "";
  const end = checks.find(({ suffix }) => suffix !== undefined)?.suffix ?? "";
  if (start === "" && end === "") return;
  for (const text of plain) {
    const begun = start + text.slice(start.length);
    for (let kept = begun.length; kept > 0; kept--) yield begun.slice(0, kept) + end;
  }
}

const found = new WeakMap<ZodSchema, { readonly example: string | undefined }>();

/** Returns the first example of the formats in a string schema that fits the schema. */
export const findFormatExample = (
  schema: ZodSchema,
  checks: readonly Check[],
): string | undefined => {
  const known = found.get(schema) ?? { example: toExample(schema, checks) };
  found.set(schema, known);
  return known.example;
};

const toExample = (schema: ZodSchema, checks: readonly Check[]): string | undefined => {
  for (const text of listExamples(checks))
    try {
      if (z.safeParse(schema, text).data === text) return text;
    } catch {
      // a schema that is asynchronous checks nothing here
      return undefined;
    }
  return undefined;
};

/** Adds an example where tools would make one of a pattern, or of a format that they do not know. */
export const addFormatExample = (
  schema: ZodSchema,
  json: JsonObject,
  checks: readonly Check[],
): void => {
  const isPlain = wellKnown.has(json["format"]) && !("pattern" in json) && !("allOf" in json);
  if (isPlain || "examples" in json || "example" in json || "default" in json) return;
  const example = findFormatExample(schema, checks);
  if (example !== undefined) json["examples"] = [example];
};

/** Checks whether the only example of a schema is one of a format, which the application has not given. */
export const isFormatExample = (given: unknown): boolean =>
  Array.isArray(given) && given.length === 1 && known.has(given[0]);
