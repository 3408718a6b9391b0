import fc from "fast-check";
import { toCharacters, toRegExp } from "../schema/patterns.ts";
import type { Schema } from "../schema/schema.ts";

const words = [
  ...["amber", "birch", "cedar", "delta", "ember", "fjord", "garden", "harbour", "island"],
  ...["juniper", "kernel", "lantern", "meadow", "north", "orchard", "pebble", "quartz"],
  ...["river", "saffron", "timber", "umbra", "valley", "willow", "yarrow", "zephyr"],
];

export const someWord = fc.constantFrom(...words);

/** A text of each kind that servers, databases and shells are known to stumble over. */
export const troubling: Readonly<Record<string, string>> = {
  "a single quote": "O'Hara",
  "double quotes": 'say "hi"',
  "a backslash": "C:\\new\\table",
  "spaces only": "   ",
  "a line break": "one\r\ntwo",
  "a NUL": "a\u0000b",
  "control characters": "\u0001\u001f\u007f",
  "an emoji": "👩‍👩‍👧 🙂",
  "combining marks": "Z͑ͫ̓a",
  "text from right to left": "שלום \u202eabc",
  "other scripts": "ä ß 名 Ω",
  "percent signs": "100% %00 %2e%zz",
  "a path": "../../etc/passwd",
  markup: "<script>&amp;</script>",
  "a template": "${7*7} {{7*7}} %s %d",
  "a statement": "1; DROP TABLE users; --",
  "a word of a language": "null",
  "a number": "-0",
  "line separators": "a\u2028b\u2029c\ufeff",
};

const longest = 10_000;

/** Fits a text into the limits of a schema, as far as its length alone decides. */
export const fit = (text: string, { minLength = 0, maxLength = Infinity }: Schema): string => {
  const characters = toCharacters(text);
  if (characters.length > maxLength) return characters.slice(0, maxLength).join("");
  return text + "a".repeat(Math.max(0, minLength - characters.length));
};

/** Returns as long a text as a schema and the patience of tests allow. */
export const toLongest = ({ maxLength = longest }: Schema): string =>
  "a".repeat(Math.min(maxLength, longest));

type Texts = fc.Arbitrary<string>;

/** Half a year, in which usual dates are. */
const someDate = fc
  .noBias(fc.integer({ min: 0, max: 181 * 86_400 }))
  .map((seconds) => new Date(Date.UTC(2026, 0, 1) + seconds * 1000).toISOString());

const someByte = fc.noBias(fc.integer({ min: 1, max: 254 }));

/** Usual values of a format, and others that have it. */
const formats: Readonly<Record<string, readonly [usual: Texts, others: readonly string[]]>> = {
  date: [
    someDate.map((date) => date.slice(0, 10)),
    ["2024-02-29", "1969-12-31", "1900-01-01", "9999-12-31"],
  ],
  "date-time": [
    someDate.map((date) => date.replace(".000Z", "Z")),
    [
      ...["2024-02-29T23:59:59Z", "1969-12-31T23:59:59.999Z", "1900-01-01T00:00:00Z"],
      ...["2025-06-30T12:00:00+14:00", "2025-06-30T12:00:00.123456-03:30", "9999-12-31T23:59:59Z"],
      ...["2025-01-31T12:00:00.000Z", "2025-01-31T12:00Z", "2025-01-31T12:00:00"],
    ],
  ],
  time: [
    someDate.map((date) => `${date.slice(11, 19)}Z`),
    ["12:30:00", "23:59:59+05:45", "00:00:00Z"],
  ],
  duration: [someByte.map((count) => `PT${count}M`), ["P1D", "P3Y6M4DT12H30M5S", "PT0S"]],
  uuid: [
    fc.noBias(fc.uuid({ version: 4 })),
    ["018f4a3c-7b1e-7c3d-9f4a-1b2c3d4e5f60", "00000000-0000-0000-0000-000000000000"],
  ],
  email: [
    fc.tuple(someWord, someWord).map(([one, other]) => `${one}.${other}@example.com`),
    ["a+b@example.co.uk", "O'Hara@example.com"],
  ],
  uri: [
    fc.tuple(someWord, someWord).map(([one, other]) => `https://example.com/${one}/${other}`),
    ["http://[2001:db8::1]:8080/a?b=c&d=%20#e", "https://example.com/"],
  ],
  "uri-reference": [someWord.map((word) => `/${word}`), ["?a=b", "https://example.com/"]],
  "uri-template": [someWord.map((word) => `/${word}/{id}`), []],
  hostname: [someWord.map((word) => `${word}.example.com`), ["localhost"]],
  ipv4: [someByte.map((byte) => `192.0.2.${byte}`), ["255.255.255.255"]],
  ipv6: [someByte.map((byte) => `2001:db8::${byte.toString(16)}`), ["::1"]],
  cidrv4: [someByte.map((byte) => `192.0.2.${byte}/24`), []],
  cidrv6: [someByte.map((byte) => `2001:db8::${byte.toString(16)}/64`), []],
  base64: [someWord.map((word) => btoa(word)), ["", "/+8="]],
  base64url: [someWord.map((word) => Buffer.from(word).toString("base64url")), ["_-8"]],
  "json-pointer": [someWord.map((word) => `/${word}`), ["", "/a~1b/0"]],
  regex: [someWord.map((word) => `^${word}$`), []],
  e164: [someByte.map((byte) => `+49301234${byte + 100}`), []],
  ulid: [someByte.map((byte) => `01ARZ3NDEKTSV4RRFFQ69G5${String(byte + 100)}`), []],
  cuid2: [someByte.map((byte) => `tz4a98xxat96iws9zmbr${byte + 100}a`), []],
  nanoid: [someByte.map((byte) => `V1StGXR8_Z5jdHi6B-${byte + 100}`), []],
  jwt: [
    someWord.map((word) =>
      [{ typ: "JWT", alg: "HS256" }, { sub: word }, {}]
        .map((part) => Buffer.from(JSON.stringify(part)).toString("base64url"))
        .join("."),
    ),
    [],
  ],
  "json-string": [someWord.map((word) => JSON.stringify({ [word]: 1 })), []],
  emoji: [fc.constantFrom("🌱", "🌊", "🌻", "🍁"), []],
  binary: [someWord, []],
};

const aliases: Readonly<Record<string, string>> = {
  ...{ url: "uri", iri: "uri", "iri-reference": "uri-reference", guid: "uuid" },
  ...{ "idn-email": "email", "idn-hostname": "hostname", datetime: "date-time" },
};

const findFormat = (format = ""): (typeof formats)[string] | undefined => {
  const name = Object.hasOwn(aliases, format) ? (aliases[format] ?? "") : format;
  return Object.hasOwn(formats, name) ? formats[name] : undefined;
};

/** Lists values of a format that are apart from the usual ones. */
export const listOfFormat = (format: string | undefined): readonly string[] =>
  findFormat(format)?.[1] ?? [];

/** @param isPlain whether usual texts are wanted, such as an example shows them */
export const toStrings = (schema: Schema, isPlain: boolean): Texts => {
  const { format, patterns = [], contentEncoding } = schema;
  const found = findFormat(contentEncoding ?? format);
  const matching = patterns.flatMap((pattern) => toMatching(pattern, schema) ?? []);
  if (found) {
    const [usual, others] = found;
    if (isPlain) return either([[5, usual], ...matching.map((one) => [1, one] as const)]);
    return fc.oneof(usual, ...(others.length > 0 ? [fc.constantFrom(...others)] : []), ...matching);
  }
  if (matching.length > 0) return fc.oneof(...matching);
  return isPlain ? toSentence(schema) : toAnyText(schema);
};

const either = (all: readonly (readonly [weight: number, texts: Texts])[]): Texts =>
  fc.oneof(...all.map(([weight, arbitrary]) => ({ weight, arbitrary })));

const toSentence = (schema: Schema): Texts =>
  fc.tuple(someWord, someWord).map(([one, other]) => {
    let text = `${one.replace(/^./, (first) => first.toUpperCase())} ${other}`;
    while (text.length < (schema.minLength ?? 0)) text += ` ${other}`;
    const { maxLength = Infinity } = schema;
    // a space at the end is what many servers remove
    return text.length > maxLength ? text.slice(0, maxLength).replace(/ $/, "s") : text;
  });

const toAnyText = (schema: Schema): Texts => {
  const { minLength = 0, maxLength = Infinity } = schema;
  if (maxLength < minLength) return fc.constant("");
  const limits = { minLength, maxLength: Math.min(maxLength, minLength + 20) };
  return fc.oneof(
    fc.string({ unit: "grapheme-ascii", ...limits }),
    fc.string({ unit: "grapheme", ...limits }).map((text) => fit(text, schema)),
    fc.constantFrom(...Object.values(troubling)).map((text) => fit(text, schema)),
  );
};

/** Returns texts that match a pattern; undefined if fast-check does not know all of its assertions. */
const toMatching = (pattern: string, { minLength = 0 }: Schema): Texts | undefined => {
  const regex = toRegExp(pattern);
  if (!regex) return undefined;
  try {
    // longer ones are only made if they are needed
    return fc.stringMatching(regex, {
      size: minLength > 30 ? "large" : minLength > 5 ? "medium" : "small",
    });
  } catch {
    return undefined;
  }
};
