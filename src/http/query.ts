import { BareObject } from "./bare-object.ts";

/** A parsed query: a name that is repeated has a list. */
export type Query = Record<string, string | string[]>;

/** How many parameters a query, and how many fields a form may have. */
export const maxPairs = 1000;

/** Decodes a name or a value. */
export type Decode = (text: string) => string;

/** Tells whether a urlencoded text has more pairs than are allowed; cheap for short texts. */
export const hasTooManyPairs = (text: string): boolean => {
  if (text.length < maxPairs) return false;
  let pairs = 1;
  for (let at = text.indexOf("&"); at >= 0; at = text.indexOf("&", at + 1))
    if (++pairs > maxPairs) return true;
  return false;
};

/** Decodes percent-encoding, and leaves alone what is malformed. */
export const decodeLeniently: Decode = (text) => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};

/**
 * Parses a urlencoded text; brackets are literal, and `__proto__` is left out.
 *
 * @param onForbidden told of `__proto__`
 *
 * `node:querystring` gives an object in V8's slow mode, which costs half a microsecond to make and to copy.
 */
export const parseQuery = (
  text: string,
  decode: Decode = decodeLeniently,
  onForbidden: () => void = ignore,
): Query => {
  const query = new BareObject() as Query;
  let start = 0;
  while (start < text.length) {
    let end = text.indexOf("&", start);
    if (end < 0) end = text.length;
    if (end > start && !addPair(query, text, start, end, decode)) onForbidden();
    start = end + 1;
  }
  return query;
};

const ignore = (): void => undefined;

/** @returns false for a name that could change a prototype */
const addPair = (
  query: Query,
  text: string,
  start: number,
  end: number,
  decode: Decode,
): boolean => {
  let equals = text.indexOf("=", start);
  if (equals < 0 || equals > end) equals = end;
  const name = decodePart(text.slice(start, equals), decode);
  const value = equals < end ? decodePart(text.slice(equals + 1, end), decode) : "";
  if (name === "__proto__") return false;
  const known = query[name];
  if (known === undefined) query[name] = value;
  else if (typeof known === "string") query[name] = [known, value];
  else known.push(value);
  return true;
};

const decodePart = (part: string, decode: Decode): string => {
  const text = part.includes("+") ? part.replaceAll("+", " ") : part;
  return text.includes("%") ? decode(text) : text;
};
