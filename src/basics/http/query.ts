import { defaults } from "../defaults.ts";
/** A constructor of empty objects without a prototype; `Object.create(null)` costs V8 a microsecond per request. */
export const BareObject = function () {
  // has no members
} as unknown as new () => Record<string, unknown>;

BareObject.prototype = Object.freeze(Object.create(null));

/** A parsed query; repeated names have arrays as values. */
export type Query = Record<string, string | string[]>;

export const maxPairs = 1000;

export const toQueryText = (url: string): string => {
  const start = url.indexOf("?");
  const end = url.indexOf("#");
  return start < 0 ? "" : url.slice(start + 1, end < 0 ? undefined : end);
};

export type Decode = (text: string) => string;

export const hasTooManyPairs = (text: string): boolean =>
  text.length >= maxPairs && text.split("&", maxPairs + 1).length > maxPairs;

export const decodeLeniently: Decode = (text) => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};

/** Parses a urlencoded string; brackets are literal, and `__proto__`, which is forbidden, is left out. */
export const parseQuery = (
  text: string,
  decode: Decode = decodeLeniently,
  onForbidden?: () => void,
): Query => {
  const query = new BareObject() as Query;
  const isPlain = !text.includes("%") && !text.includes("+");
  for (let start = 0, end = 0; end >= 0 && start < text.length; start = end + 1) {
    end = text.indexOf("&", start);
    const pair = text.slice(start, end < 0 ? undefined : end);
    if (pair === "") continue;
    const equals = pair.indexOf("=");
    let name = equals < 0 ? pair : pair.slice(0, equals);
    let value = equals < 0 ? "" : pair.slice(equals + 1);
    if (!isPlain) {
      name = decodePart(name, decode);
      value = decodePart(value, decode);
    }
    const known = query[name];
    if (name === "__proto__") onForbidden?.();
    else if (known === undefined) query[name] = value;
    else if (typeof known === "string") query[name] = [known, value];
    else known.push(value);
  }
  return query;
};

const decodePart = (part: string, decode: Decode): string => {
  // `replaceAll` takes four times as long, and 45 MiB for a form of plus signs
  const text = part.includes("+") ? part.split("+").join(" ") : part;
  return text.includes("%") ? decode(text) : text;
};

/** How queries are parsed: to strings and arrays of strings, also to objects, or by another function. */
export type QueryParser = "simple" | "extended" | "unknown";

export const toQueryParser = ({
  app,
  queryParser = defaults.queryParser,
}: {
  readonly app?: unknown;
  readonly queryParser?: unknown;
}): QueryParser => {
  // a router has no application, and thus no parser, until it serves a request
  const { settings } = Object(app) as { readonly settings?: Readonly<Record<string, unknown>> };
  const setting = app === undefined ? queryParser : settings?.["query parser"];
  return setting === "simple" || setting === "extended" ? setting : "unknown";
};
