import type { Call, SourceName } from "./call-options.ts";
import { readProperty, UnsendableInputError } from "./client-errors.ts";
import { encodeBrackets, encodeMultipart, encodePairs, hasFile } from "./encode-input.ts";
import { fillPath } from "./fill-path.ts";
import { listFields, refuse, toJsonValue, toKind, toText, type Refusal } from "./wire-value.ts";

export interface BuiltRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Blob | string | undefined;
}

const inQuery: readonly SourceName[] = ["query", "params"];
const inBody: readonly SourceName[] = ["body", "params", "files"];

const listSources = ({ client, plan, method, path }: Call): readonly SourceName[] => {
  const known = client.inputSources ?? {};
  const name = method.toLowerCase();
  // these are POST, PUT and PATCH; endpoints cannot declare other methods that begin with P
  const usual = method.startsWith("P") ? inBody : inQuery;
  return known[`${name} ${path}`] ?? plan?.sources ?? known[name] ?? usual;
};

/**
 * Builds a request with each field of an input where the API reads it.
 *
 * @throws {@link UnsendableInputError} when a part of the input cannot be sent unchanged.
 */
export const buildRequest = (call: Call, input: unknown): BuiltRequest => {
  try {
    return placeFields(call, input);
  } catch (error) {
    if (readProperty(error, "refused") === undefined) throw error;
    const { refused, reason } = error as Refusal;
    throw new UnsendableInputError(call, refused, reason);
  }
};

const trimSlashes = (url: string): string => {
  let end = url.length;
  while (url[end - 1] === "/") end--;
  return url.slice(0, end);
};

const placeFields = (call: Call, input: unknown): BuiltRequest => {
  const fields = new Map(listFields("", input ?? {}));
  const { baseUrl, queryParser } = call.client;
  const path = trimSlashes(baseUrl) + fillPath(call.path, fields);
  const sources = new Set(listSources(call));
  const headers: Record<string, string> = {};
  takeHeaders(sources, fields, headers);
  const canHaveBody = call.method !== "GET" && (sources.has("body") || sources.has("files"));
  const body = canHaveBody ? takeBody(call, fields, headers) : undefined;
  if (fields.size === 0) return { url: path, headers, body };
  const [name = ""] = fields.keys();
  if (!sources.has("query")) refuse(name, "has no source that could carry it");
  const encode = queryParser === "extended" ? encodeBrackets : encodePairs;
  return { url: `${path}?${encode(fields)}`, headers, body };
};

/**
 * Visible ASCII characters, with spaces and tabs only between them. Surrounding spaces are not part of a header's
 * value, and implementations disagree on other characters.
 */
const headerValue = /^(?:[!-~](?:[\t -~]*[!-~])?)?$/;

const takeHeaders = (
  sources: ReadonlySet<SourceName>,
  fields: Map<string, unknown>,
  headers: Record<string, string>,
): void => {
  const others = [...sources].filter((source) => source !== "params").join();
  const areAllCookies = /^(?:,?(?:cookies|signedCookies))+$/.test(others);
  const cookies: string[] = [];
  for (const [name, value] of fields) {
    const isHeader = sources.has("headers") && name.startsWith("x-");
    if (!isHeader && !areAllCookies) continue;
    if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name))
      refuse(name, "has a name that is not valid in a header");
    const text = toText(name, value);
    if (areAllCookies) cookies.push(`${name}=${encodeURIComponent(text)}`);
    else headers[name] = headerValue.test(text) ? text : refuse(name, "is not printable ASCII");
    fields.delete(name);
  }
  if (cookies.length > 0) headers["cookie"] = cookies.join("; ");
};

const isRaw = (call: Call, fields: ReadonlyMap<string, unknown>): boolean => {
  const raw = fields.get("raw");
  if (call.plan) return raw !== undefined && call.plan.body?.includes("/") === true;
  if (fields.size !== 1) return false;
  return typeof raw === "string" || raw instanceof Blob || isBytes(raw);
};

const isBytes = (value: unknown): value is ArrayBuffer | ArrayBufferView =>
  ArrayBuffer.isView(value) || toKind(value) === "arraybuffer";

const takeBody = (
  call: Call,
  fields: Map<string, unknown>,
  headers: Record<string, string>,
): Blob | string | undefined => {
  if (isRaw(call, fields)) {
    const raw = toRawBody(fields.get("raw"), call.plan?.body);
    fields.delete("raw");
    headers["content-type"] = raw.type;
    return raw;
  }
  if (fields.size === 0) return undefined;
  const rest = new Map(fields);
  fields.clear();
  if (Array.from(rest.values()).some(hasFile)) {
    const body = encodeMultipart(rest);
    headers["content-type"] = body.type;
    return body;
  }
  if (call.plan?.body === "form") {
    headers["content-type"] = "application/x-www-form-urlencoded";
    return encodePairs(rest);
  }
  headers["content-type"] = "application/json";
  return JSON.stringify(toJsonValue("", Object.fromEntries(rest)));
};

/** @param declared the declared media type, which may be a wildcard */
const toRawBody = (raw: unknown, declared = "*"): Blob => {
  const part = raw instanceof Blob || isBytes(raw) ? raw : toText("raw", raw);
  const usual =
    part === raw && typeof raw !== "string"
      ? "application/octet-stream"
      : "text/plain;charset=utf-8";
  const type = declared.includes("*") ? usual : declared;
  const body = raw instanceof Blob && raw.type !== "" ? raw : new Blob([part as Blob], { type });
  return body.size > 0 ? body : refuse("raw", "is empty");
};
