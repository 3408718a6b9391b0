import fc from "fast-check";
import type { z } from "zod";
import { checksOf, toLength } from "./checks.ts";
import { someDate } from "./generate-number.ts";
import type { Random } from "./random.ts";

const words = [
  ...["amber", "birch", "cedar", "delta", "ember", "fjord", "garden", "harbour", "island"],
  ...["juniper", "kernel", "lantern", "meadow", "north", "orchard", "pebble", "quartz"],
  ...["river", "saffron", "timber", "umbra", "valley", "willow", "yarrow", "zephyr"],
] as [string, ...string[]];

export const aWord = (random: Random): string => random.pick(words);

/** Yields strings that a schema may accept: of its format, of its patterns, and words. */
export function* strings(schema: z.core.$ZodType, random: Random): Generator<string> {
  const formats = checksOf(schema, "string_format");
  for (const { format, pattern } of formats) {
    yield* ofFormat(format, random);
    if (pattern && !affixes.has(format)) yield* ofPattern(pattern, random);
  }
  for (let attempt = 0; attempt < 5; attempt++) yield text(schema, random);
}

/** The formats whose patterns any text can be made to match. */
const affixes: ReadonlySet<string> = new Set(["starts_with", "ends_with", "includes"]);

/** Returns words of an allowed length, with the required beginning, middle and end. */
const text = (schema: z.core.$ZodType, random: Random): string => {
  const { min, max } = toLength(schema);
  const checks = checksOf(schema, "string_format");
  const join = (name: "prefix" | "suffix" | "includes"): string =>
    checks.map((one): unknown => Reflect.get(one, name) ?? "").join("");
  const [prefix, suffix, middle] = [join("prefix"), join("suffix"), join("includes")];
  const fixed = prefix.length + suffix.length + middle.length;
  let body = `${random.pick(words)} ${random.pick(words)}`;
  while (body.length + fixed < min) body += ` ${random.pick(words)}`;
  body = body.slice(0, Math.max(0, Math.min(body.length, max - fixed)));
  // `.trim()` would remove a space at the end
  body = body.replace(/ $/, "s");
  const formats = new Set(checks.map(({ format }) => format));
  if (formats.has("uppercase")) body = body.toUpperCase();
  else if (!formats.has("lowercase")) body = body.replace(/^./, (first) => first.toUpperCase());
  return `${prefix}${body}${middle}${suffix}`;
};

/** Yields strings that match a pattern, the shorter ones first. */
export function* ofPattern(pattern: RegExp, random: Random): Generator<string> {
  const flags = pattern.flags.replaceAll(/[^su]/g, "");
  const regex = new RegExp(pattern.source, flags);
  const seed = random.int(0, 2 ** 31);
  for (const size of ["xsmall", "small", "medium"] as const)
    try {
      yield* fc.sample(fc.stringMatching(regex, { size }), { seed, numRuns: 30 });
    } catch {
      // fast-check does not know every construct, such as references to groups
      return;
    }
}

/** Lists strings of the formats of Zod whose patterns are too wide, or which have none. */
const ofFormat = (format: string, random: Random): readonly string[] => {
  const { hex } = random.fork(format);
  const [word, other] = [random.pick(words), random.pick(words)];
  const iso = someDate(random).toISOString();
  const toUuid = (version: number): string =>
    `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${version}${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
  switch (format) {
    case "email":
      return [`${word}.${other}@example.com`];
    case "url":
      return ["https", "http"].map((scheme) => `${scheme}://example.com/${word}/${other}`);
    case "hostname":
      return [`${word}.example.com`];
    case "uuid":
    case "guid":
      return [4, 7, 6, 1].map(toUuid);
    case "datetime":
      return [
        ...[iso, iso.replace(".000Z", "Z"), iso.replace(/:\d\d\.000Z$/, "Z")],
        ...[iso.replace("Z", ""), iso.replace(".000Z", "")],
      ];
    case "date":
      return [iso.slice(0, 10)];
    case "time":
      return [iso.slice(11, 19), iso.slice(11, 23), iso.slice(11, 16)];
    case "duration":
      return [`PT${random.int(1, 59)}M`];
    case "ipv4":
      return [`192.0.2.${random.int(1, 254)}`];
    case "ipv6":
      return [`2001:db8::${random.int(1, 9999)}`];
    case "cidrv4":
      return [`192.0.2.${random.int(1, 254)}/24`];
    case "cidrv6":
      return [`2001:db8::${random.int(1, 9999)}/64`];
    case "base64":
    case "base64url":
      return [Buffer.from(word).toString(format)];
    case "e164":
      return [`+4930${random.int(1_000_000, 9_999_999)}`];
    case "emoji":
      return [random.pick(["🌱", "🌊", "🌻", "🍁"])];
    case "json_string":
      return [JSON.stringify({ [word]: other })];
    case "jwt":
      return ["HS256", "RS256", "ES256", "PS256", "EdDSA"].map((alg) => {
        const parts = [{ typ: "JWT", alg }, { sub: word }].map((part) =>
          Buffer.from(JSON.stringify(part)).toString("base64url"),
        );
        return `${parts.join(".")}.${hex}`;
      });
    default:
      return [];
  }
};
