import type { IncomingMessage } from "node:http";
import { RequestError } from "../errors.ts";
import { hostPattern, normalisePath } from "./canonical-path.ts";

export const maxHeaderFields = 100;

/** The longest accepted request target, in characters. */
const maxTargetLength = 8192;

/**
 * Finds, in the raw fields of a request's head, what Node does not check: too many fields, a missing, repeated or
 * malformed host, and a transfer coding other than `chunked`. Node hides fields over its own limit, and of two hosts it
 * uses the first, where a proxy may use the second.
 *
 * @see RFC 9112, sections 3.2 and 6.1
 */
export const findFramingFault = ({
  rawHeaders,
  httpVersionMinor,
}: IncomingMessage): RequestError | undefined => {
  if (rawHeaders.length > 2 * maxHeaderFields)
    return new RequestError("SLP_HEADER_TOO_MANY_FIELDS");
  let host: string | undefined;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? "";
    const value = rawHeaders[index + 1] ?? "";
    // the length rules out most fields
    if (name.length === 4 && name.toLowerCase() === "host") {
      if (host !== undefined) return new RequestError("SLP_HEADER_HOST");
      host = value;
    } else if (name.length === 17 && name.toLowerCase() === "transfer-encoding") {
      if (httpVersionMinor === 0 || value.toLowerCase() !== "chunked")
        return new RequestError("SLP_HEADER_TRANSFER_ENCODING");
    }
  }
  const isRight = host === undefined ? httpVersionMinor === 0 : hostPattern.test(host);
  return isRight ? undefined : new RequestError("SLP_HEADER_HOST");
};

/**
 * Returns the canonical path of a request, without a query or a trailing slash; `*` stays `*`.
 *
 * The path is still percent-encoded. Dot segments and double slashes are kept and match no route, and `%2F` stays
 * inside its segment. What {@link normalisePath} changes is also changed in `request.url`.
 *
 * @throws {@link RequestError} when the target is malformed, has a fragment or is too long.
 * @see RFC 9112, section 3.2
 */
export const toCanonicalPath = (request: IncomingMessage): string => {
  let url = request.url ?? "";
  if (url.length > maxTargetLength) throw new RequestError("SLP_TARGET_TOO_LONG");
  if (!url.startsWith("/") || unusual.test(url)) {
    if (malformed.test(url)) throw new RequestError("SLP_TARGET_MALFORMED");
    url = normalisePath(request);
    if (url === "*" && request.method === "OPTIONS") return url;
    if (!url.startsWith("/")) throw new RequestError("SLP_TARGET_MALFORMED");
  }
  const end = url.indexOf("?");
  const path = end < 0 ? url : url.slice(0, end);
  const hasSlash = path.length > 1 && path.endsWith("/") && !path.endsWith("//");
  return hasSlash ? path.slice(0, -1) : path;
};

/** Matches a character that is not visible ASCII, or that begins a fragment, which no client may send. */
const malformed = /[^!-~]|#/;

/** Matches a character that {@link normalisePath} may change, or that is malformed. */
const unusual = /[^!$&-;=?-[\]-z|~]/;
