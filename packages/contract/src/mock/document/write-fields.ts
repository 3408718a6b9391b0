import { accepts, isObject, toText, type Json, type Response } from "@sallyport/document";
import { makeValue, toSeed } from "../make-value.ts";

/** Header fields that the server sets, or with which clients would read the body in another way. */
const left: ReadonlySet<string> = new Set([
  ...["connection", "content-encoding", "content-length", "date", "keep-alive", "trailer", "te"],
  ...["transfer-encoding", "upgrade", "link"],
]);

const date = "Thu, 01 Jan 2026 12:00:00 GMT";

/** What a reply is about. */
interface Target {
  /** The path of the request. */
  readonly path: string;
  readonly location: string;
  /** Where the mock is. */
  readonly origin: string;
}

const nowhere: Target = { path: "", location: "/1", origin: "http://localhost" };

/** Usual values of header fields, which a schema describes as a string. */
const toUsual = (
  name: string,
  { path, location, origin }: Target,
  seed: string,
): string | readonly string[] => {
  switch (name) {
    case "location":
    case "content-location":
      return [location, `${origin}${location}`];
    case "etag":
      return `"${(toSeed(seed) >>> 0).toString(16)}"`;
    case "last-modified":
    case "expires":
      return date;
    case "set-cookie":
      return "session=mock; Path=/";
    case "content-disposition":
      return "attachment";
    case "cache-control":
      return "no-cache";
    case "link":
      return `<${path}>; rel="self"`;
    default:
      return [];
  }
};

/** Makes the header fields that a response declares. */
export const writeFields = (
  { headers }: Response,
  seed: string,
  target = nowhere,
): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, field]) => {
      if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name) || (left.has(name) && !field.required)) return [];
      const { schema = {}, examples = {}, mediaType, explode } = field;
      const shown = Object.values(examples).find((one) => accepts(schema, one));
      const own = `${seed}\n${name}`;
      const usual = schema.examples ? [] : [toUsual(name, target, own)].flat();
      const value = shown ?? usual.find((one) => accepts(schema, one)) ?? makeValue(schema, own);
      const text = mediaType === undefined ? toSimple(value, explode) : JSON.stringify(value);
      return [[name, text.replaceAll(/[^\t\u0020-\u007e\u0080-\u00ff]/g, "?").trim()]];
    }),
  );

/** Writes a value in the style `simple`. */
const toSimple = (value: Json, explode: boolean): string => {
  if (Array.isArray(value)) return value.map(toText).join(",");
  if (!isObject(value)) return toText(value);
  return Object.entries(value)
    .map(([key, one]) => `${key}${explode ? "=" : ","}${toText(one)}`)
    .join(",");
};
