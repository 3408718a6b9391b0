import type { Call, SourceName } from "./call-options.ts";
import { readProperty, UnsendableInputError } from "./client-errors.ts";
import {
  assertString,
  encodeBrackets,
  encodeMultipart,
  encodePairs,
  hasFile,
  listFields,
  listParts,
  refuse,
  toJsonValue,
  toKind,
  toText,
  type Refusal,
} from "./encode-input.ts";
import { isSafe, takesBody } from "./method-patterns.ts";

export interface BuiltRequest {
  readonly url: string;
  /** The header fields that the caller's may replace. */
  readonly defaults: Readonly<Record<string, string | undefined>>;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Blob | ReadableStream | string | undefined;
}

const listSources = ({ client, plan, method, path }: Call): readonly SourceName[] => {
  const known = client.inputSources ?? {};
  const name = method.toLowerCase();
  const usual = takesBody(method) ? "body" : "query";
  return known[`${name} ${path}`] ?? plan?.sources ?? known[name] ?? [usual];
};

/** @throws {@link UnsendableInputError} when a part of the input cannot be sent unchanged. */
export const buildRequest = (call: Call, input: unknown): BuiltRequest => {
  try {
    return placeFields(call, input);
  } catch (error) {
    if (readProperty(error, "refused") === undefined) throw error;
    const { refused, reason } = error as Refusal;
    throw new UnsendableInputError(call, refused, reason);
  }
};

const placeFields = (call: Call, input: unknown): BuiltRequest => {
  const fields = new Map(listFields("", input ?? {}));
  let { baseUrl: base } = call.client;
  while (base.endsWith("/")) base = base.slice(0, -1);
  const url = base + fillPath(call.path, fields);
  const sources = listSources(call);
  const headers = takeHeaders(sources, fields);
  // `fetch` sends no body with GET
  const canHaveBody =
    (sources.includes("body") || sources.includes("files")) &&
    (takesBody(call.method) || !isSafe(call.method));
  const { body, type } = (canHaveBody && takeBody(call, fields, sources)) || {};
  const built = { headers, body, defaults: { "content-type": type } };
  // only this code knows the boundary
  if (type?.startsWith("multipart/")) headers["content-type"] = type;
  if (fields.size === 0) return { ...built, url };
  const [name = ""] = fields.keys();
  if (!sources.includes("query")) refuse(name, "has no source that could carry it");
  return { ...built, url: `${url}?${encodeFields(call, fields)}` };
};

const encodeFields = ({ client }: Call, fields: Map<string, unknown>): string =>
  (client.queryParser === "extended" ? encodeBrackets : encodePairs)(fields);

const parameter = /:([A-Za-z_$][\w$]*)/g;

/** Encodes the path parameters of an input into the path of a route, and removes them from the input. */
const fillPath = (path: string, fields: Map<string, unknown>): string => {
  const take = (name: string): unknown => {
    const value = fields.get(name) ?? refuse(name, "is missing from the path");
    fields.delete(name);
    return value;
  };
  return path
    .split("/")
    .map((segment) =>
      segment.startsWith("*")
        ? fillRest(segment.slice(1), take(segment.slice(1)))
        : fillSegment(segment.split(parameter), take),
    )
    .join("/");
};

/** @param parts literals at even indexes, names of parameters at odd ones */
const fillSegment = (parts: readonly string[], take: (name: string) => unknown): string => {
  const texts = parts.map((part, index) => {
    if (index % 2 === 0) return decodeURIComponent(assertString(part, part));
    const text = toText(part, take(part));
    const next = parts[index + 1] ?? "";
    // the first occurrence of this literal after a parameter ends the parameter
    return text === "" || (parts[index + 2] && (text + next).indexOf(next, 1) !== text.length)
      ? refuse(part, `is empty, or contains "${next}", which would end the parameter`)
      : text;
  });
  return encodeSegment(parts[1], texts.join(""));
};

const fillRest = (name: string, rest: unknown): string =>
  Array.isArray(rest) && rest.length > 0
    ? listParts(name, rest)
        .map(([field, part]) =>
          encodeSegment(field, toText(field, part) || refuse(field, "is empty")),
        )
        .join("/")
    : refuse(name, "is not an array of path segments");

/** Encodes a segment; rejects `.` and `..`, which URLs drop even if they are encoded. */
const encodeSegment = (field: string | undefined, text: string): string =>
  field !== undefined && /^\.\.?$/.test(text)
    ? refuse(field, "is a path segment that URLs drop")
    : encodeURIComponent(text);

/** Visible ASCII characters, with spaces and tabs between them; implementations disagree on other characters. */
const headerValue = /^(?:[!-~](?:[\t -~]*[!-~])?)?$/;

const takeHeaders = (
  sources: readonly SourceName[],
  fields: Map<string, unknown>,
): Record<string, string> => {
  const others = sources.filter((source) => source !== "params");
  const areAllCookies = others.length > 0 && others.every((source) => /cookies$/i.test(source));
  const headers: Record<string, string> = {};
  const cookies: string[] = [];
  for (const [name, value] of fields) {
    const isHeader = sources.includes("headers") && name.startsWith("x-");
    if (!isHeader && !areAllCookies) continue;
    if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name))
      refuse(name, "has a name that is not valid in a header");
    const text = toText(name, value);
    if (areAllCookies) cookies.push(`${name}=${encodeURIComponent(text)}`);
    else headers[name] = headerValue.test(text) ? text : refuse(name, "is not printable ASCII");
    fields.delete(name);
  }
  if (cookies.length > 0) headers["cookie"] = cookies.join("; ");
  return headers;
};

interface EncodedBody {
  readonly body: Blob | ReadableStream | string;
  readonly type: string;
}

const takeBody = (
  call: Call,
  fields: Map<string, unknown>,
  sources: readonly SourceName[],
): EncodedBody | undefined => {
  const { plan } = call;
  const raw = fields.get("raw");
  const isRaw = plan
    ? raw !== undefined && plan.body?.includes("/")
    : // JSON cannot contain bytes, so the other fields are meant for the query
      (fields.size === 1 && typeof raw === "string") ||
      ((isBinary(raw) || isStreamed(raw)) && (fields.size === 1 || sources.includes("query")));
  if (isRaw) {
    fields.delete("raw");
    return toRawBody(raw, plan?.body);
  }
  // without a media type, a QUERY is invalid: RFC 10008, section 2
  if (fields.size === 0 && !isSafe(call.method)) return undefined;
  const rest = new Map(fields);
  fields.clear();
  if (Array.from(rest.values()).some(hasFile)) {
    const body = encodeMultipart(rest);
    return { body, type: body.type };
  }
  return plan?.body === "form"
    ? { body: encodeFields(call, rest), type: "application/x-www-form-urlencoded" }
    : {
        body: JSON.stringify(toJsonValue("", Object.fromEntries(rest))),
        type: "application/json",
      };
};

const isBinary = (value: unknown): value is ArrayBuffer | ArrayBufferView | Blob =>
  value instanceof Blob || ArrayBuffer.isView(value) || toKind(value) === "arraybuffer";

/** Checks for a web stream, or an async iterable, such as a stream of Node.js, which `fetch` of Node.js sends. */
export const isStreamed = (value: unknown): value is ReadableStream =>
  ["getReader", Symbol.asyncIterator].some((name) => name in (Object(value) as object));

/** @param declared the declared media type, which may be a wildcard */
const toRawBody = (raw: unknown, declared = "*"): EncodedBody => {
  if (isStreamed(raw))
    return { body: raw, type: declared.includes("*") ? "application/octet-stream" : declared };
  const [part, usual] = isBinary(raw)
    ? [raw as Blob, "application/octet-stream"]
    : [toText("raw", raw), "text/plain;charset=utf-8"];
  const type = declared.includes("*") ? usual : declared;
  const body = raw instanceof Blob && raw.type ? raw : new Blob([part], { type });
  return body.size > 0 ? { body, type: body.type } : refuse("raw", "is empty");
};
