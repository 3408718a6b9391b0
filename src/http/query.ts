/**
 * A constructor of empty objects without a prototype, for properties whose names are sent by clients.
 * `Object.create(null)` would return an object in V8's slow mode, which costs a microsecond per request.
 */
export const BareObject = function () {
  // has no members
} as unknown as new () => Record<string, unknown>;

BareObject.prototype = Object.freeze(Object.create(null));

/** A parsed query; repeated names have arrays as values. */
export type Query = Record<string, string | string[]>;

/** The maximum number of parameters in a query, and of fields in a form. */
export const maxPairs = 1000;

/** Returns the query of a URL as it was sent, without the question mark. */
export const toQueryText = (url: string): string => {
  const start = url.indexOf("?");
  const end = url.indexOf("#");
  return start < 0 ? "" : url.slice(start + 1, end < 0 ? undefined : end);
};

/** Decodes a name or a value in a query or a form. */
export type Decode = (text: string) => string;

/** Checks whether a urlencoded string has more pairs than allowed; cheap for short strings. */
export const hasTooManyPairs = (text: string): boolean => {
  if (text.length < maxPairs) return false;
  let pairs = 1;
  for (let at = text.indexOf("&"); at >= 0; at = text.indexOf("&", at + 1))
    if (++pairs > maxPairs) return true;
  return false;
};

/** Decodes percent-encoding; malformed sequences stay unchanged. */
export const decodeLeniently: Decode = (text) => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};

/**
 * Parses a urlencoded string; brackets are literal, and `__proto__` is left out.
 *
 * `node:querystring` returns an object in V8's slow mode, which costs half a microsecond to create and to copy.
 *
 * @param onForbidden called if there is a `__proto__`
 */
export const parseQuery = (
  text: string,
  decode: Decode = decodeLeniently,
  onForbidden: () => void = ignore,
): Query => {
  const query = new BareObject() as Query;
  for (let start = 0, end = 0; start < text.length; start = end + 1) {
    let equals = -1;
    let isPlain = true;
    // for short strings, one loop is faster than a search for each separator
    for (end = start; end < text.length; end++) {
      const code = text.charCodeAt(end);
      if (code === ampersand) break;
      if (code === equalsSign && equals < 0) equals = end;
      else if (code === percent || code === plus) isPlain = false;
    }
    if (end === start) continue;
    let name = text.slice(start, equals < 0 ? end : equals);
    let value = equals < 0 ? "" : text.slice(equals + 1, end);
    if (!isPlain) {
      name = decodePart(name, decode);
      value = decodePart(value, decode);
    }
    const known = query[name];
    if (name === "__proto__") onForbidden();
    else if (known === undefined) query[name] = value;
    else if (typeof known === "string") query[name] = [known, value];
    else known.push(value);
  }
  return query;
};

const ampersand = 0x26;
const equalsSign = 0x3d;
const percent = 0x25;
const plus = 0x2b;

const ignore = (): void => undefined;

const decodePart = (part: string, decode: Decode): string => {
  const text = part.includes("+") ? part.split("+").join(" ") : part;
  return text.includes("%") ? decode(text) : text;
};
