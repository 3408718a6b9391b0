import { RequestError } from "../../basics/errors.ts";

export const maxJsonDepth = 64;

/**
 * Parses a JSON body into an object without keys that could change a prototype; `maxValues` limits the members and
 * elements at all depths.
 */
export const parseJson = (text: string, maxValues: number): object => {
  // valid JSON of depth d has at least 2d characters, and with n values at least 2n + 1
  if (text.length >= 2 * Math.min(maxJsonDepth, maxValues)) assertBounds(text, maxValues);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new RequestError("SLP_BODY_MALFORMED_JSON", { cause });
  }
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new RequestError("SLP_BODY_NOT_OBJECT");
  if (suspicious.test(text)) assertKeys(value);
  return value;
};

/** Matches text that a forbidden key must contain, literally or as an escape. */
const suspicious = /__proto__|constructor|\\u/;

const [quote, backslash, comma] = [0x22, 0x5c, 0x2c];
const [openBracket, closeBracket, openBrace, closeBrace] = [0x5b, 0x5d, 0x7b, 0x7d];

/** Limits the depth and the number of values before anything is created for them. */
const assertBounds = (text: string, maxValues: number): void => {
  let depth = 0;
  let values = 0;
  /** Where the object or array that was opened last begins; undefined once anything has been closed since. */
  let start: number | undefined;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code === quote) {
      index = skipString(text, index);
    } else if (code === openBracket || code === openBrace) {
      if (++depth > maxJsonDepth) throw new RequestError("SLP_BODY_TOO_DEEP");
      start = index + 1;
    } else if (code === closeBracket || code === closeBrace) {
      depth--;
      // commas separate all values of an object or an array but one
      if (start === undefined || text.slice(start, index).trim() !== "") values++;
      start = undefined;
    } else if (code === comma) {
      values++;
    }
  }
  if (values > maxValues) throw new RequestError("SLP_BODY_TOO_MANY_VALUES");
};

/** Returns the index of the quote that ends a string. */
const skipString = (text: string, start: number): number => {
  let end = text.indexOf('"', start + 1);
  while (end > 0 && isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end < 0 ? text.length : end;
};

const isEscaped = (text: string, index: number): boolean => {
  let first = index;
  while (text.charCodeAt(first - 1) === backslash) first--;
  return (index - first) % 2 === 1;
};

/** Rejects forbidden keys; arrays of the entries would take ten times as long for a body of 1 MB. */
const assertKeys = (value: object): void => {
  // JSON.parse creates arrays and plain objects, whose inherited properties are not enumerable
  // oxlint-disable-next-line guard-for-in
  for (const key in value) {
    if (key === "__proto__") throw new RequestError("SLP_BODY_FORBIDDEN_KEY");
    const below = (value as Readonly<Record<string, unknown>>)[key];
    if (typeof below !== "object" || below === null) continue;
    if (key === "constructor" && Object.hasOwn(below, "prototype"))
      throw new RequestError("SLP_BODY_FORBIDDEN_KEY");
    assertKeys(below);
  }
};
