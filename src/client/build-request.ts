import type { Call, SourceName } from "./call-options.ts";
import { UnsendableInputError, type CallRoute } from "./client-errors.ts";
import { encodeBrackets, encodePairs } from "./encode-pairs.ts";
import { encodeMultipart, hasFile } from "./encode-multipart.ts";
import { fillPath } from "./fill-path.ts";
import { listFields, toJsonValue, toText } from "./wire-value.ts";

/** What is sent, but for the header fields of the options. */
export interface BuiltRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Blob | string | undefined;
}

const inQuery: readonly SourceName[] = ["query", "params"];
const inBody: readonly SourceName[] = ["body", "params", "files"];

const defaultSources: Readonly<Record<string, readonly SourceName[]>> = {
  GET: inQuery,
  POST: inBody,
  PUT: inBody,
  PATCH: inBody,
  DELETE: inQuery,
};

const listSources = ({ client, plan, method, path }: Call): readonly SourceName[] => {
  const known = client.inputSources ?? {};
  const name = method.toLowerCase();
  return (
    known[`${name} ${path}`] ?? plan?.sources ?? known[name] ?? defaultSources[method] ?? inQuery
  );
};

/**
 * Puts each field of an input where the API reads it.
 *
 * @throws {@link UnsendableInputError} when something in it cannot be sent as it is.
 */
export const buildRequest = (call: Call, input: unknown): BuiltRequest => {
  const fields = new Map<string, unknown>(
    typeof input === "object" && input !== null ? listFields(call, "", input) : [],
  );
  const { baseUrl, queryParser } = call.client;
  const path = baseUrl.replace(/\/+$/, "") + fillPath(call, fields);
  const sources = new Set(listSources(call));
  const headers: Record<string, string> = {};
  takeHeaders(call, sources, fields, headers);
  const canHaveBody = call.method !== "GET" && (sources.has("body") || sources.has("files"));
  const body = canHaveBody ? takeBody(call, fields, headers) : undefined;
  if (fields.size === 0) return { url: path, headers, body };
  if (!sources.has("query")) refuseRest(call, fields);
  const encode = queryParser === "extended" ? encodeBrackets : encodePairs;
  return { url: `${path}?${encode(call, fields)}`, headers, body };
};

const refuseRest = (call: CallRoute, fields: ReadonlyMap<string, unknown>): never => {
  const [name = ""] = fields.keys();
  throw new UnsendableInputError(
    call,
    name,
    "has no place in the request: the route has no source that could carry it",
  );
};

/** Visible ASCII, with spaces and tabs inside: around it they are no part of a header, and beyond it nobody agrees. */
const headerValue = /^(?:[!-~](?:[\t -~]*[!-~])?)?$/;

/** Takes the fields that are sent as header fields out of the others. */
const takeHeaders = (
  call: Call,
  sources: ReadonlySet<SourceName>,
  fields: Map<string, unknown>,
  headers: Record<string, string>,
): void => {
  const isOther = (...names: SourceName[]): boolean =>
    names.some((name) => sources.has(name)) &&
    [...sources].every((name) => name === "params" || names.includes(name));
  const areAllHeaders = isOther("headers");
  const areAllCookies = isOther("cookies", "signedCookies");
  const cookies: string[] = [];
  for (const [name, value] of fields) {
    if (areAllCookies) {
      assertToken(call, name);
      cookies.push(`${name}=${encodeURIComponent(toText(call, name, value))}`);
    } else if (areAllHeaders || (sources.has("headers") && /^x-/i.test(name))) {
      assertToken(call, name);
      const text = toText(call, name, value);
      if (!headerValue.test(text))
        throw new UnsendableInputError(call, name, "is not printable ASCII, as headers are");
      headers[name] = text;
    } else {
      continue;
    }
    fields.delete(name);
  }
  if (cookies.length > 0) headers["cookie"] = cookies.join("; ");
};

const assertToken = (call: CallRoute, name: string): void => {
  if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name))
    throw new UnsendableInputError(call, name, "has a name that no header field or cookie has");
};

const isRaw = (call: Call, fields: ReadonlyMap<string, unknown>): boolean => {
  const raw = fields.get("raw");
  if (call.plan) return raw !== undefined && call.plan.body === "raw";
  if (fields.size !== 1) return false;
  return typeof raw === "string" || raw instanceof Blob || isBytes(raw);
};

const isBytes = (value: unknown): value is ArrayBuffer | ArrayBufferView =>
  ArrayBuffer.isView(value) || Object.prototype.toString.call(value) === "[object ArrayBuffer]";

/** Takes the fields that the body carries out of the others. */
const takeBody = (
  call: Call,
  fields: Map<string, unknown>,
  headers: Record<string, string>,
): Blob | string | undefined => {
  if (isRaw(call, fields)) {
    const raw = toRawBody(call, fields.get("raw"));
    fields.delete("raw");
    headers["content-type"] = raw.type;
    return raw;
  }
  if (fields.size === 0) return undefined;
  const rest = new Map(fields);
  fields.clear();
  if (Array.from(rest.values()).some(hasFile)) {
    const body = encodeMultipart(call, rest);
    headers["content-type"] = body.type;
    return body;
  }
  if (call.plan?.body === "form") {
    headers["content-type"] = "application/x-www-form-urlencoded";
    return encodePairs(call, rest);
  }
  headers["content-type"] = "application/json";
  return JSON.stringify(toJsonValue(call, "", Object.fromEntries(rest)));
};

const toRawBody = (call: CallRoute, raw: unknown): Blob => {
  const isText = typeof raw === "string";
  const part = raw instanceof Blob || isBytes(raw) ? raw : toText(call, "raw", raw);
  const type = isText ? "text/plain;charset=utf-8" : "application/octet-stream";
  const body = raw instanceof Blob && raw.type !== "" ? raw : new Blob([part as Blob], { type });
  if (body.size > 0) return body;
  throw new UnsendableInputError(call, "raw", "is empty, which is the same as no body");
};
