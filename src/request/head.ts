import type { IncomingMessage } from "node:http";
import { RequestError } from "../errors.ts";
import { isHost, maxTargetLength, normalisePath } from "../http/normal-path.ts";

/** The maximum number of header fields in a request. */
export const maxHeaderFields = 100;

/**
 * Checks, in one pass over the raw fields of a request's head, what Node does not check. Returns the error if there are
 * too many fields, if the host is missing, repeated or malformed, or if the transfer coding is not `chunked` alone.
 *
 * If there are two `Host` fields, Node uses the first, and a proxy may use the second. Node hides fields over its own
 * limit from the application, although these still affect the framing of the message.
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
    // the length alone rules out most fields, and the name is usually spelt `Host`
    if (name.length === hostLength && (name === "Host" || name.toLowerCase() === "host")) {
      if (host !== undefined) return new RequestError("SLP_HEADER_HOST");
      host = value;
    } else if (name.length === codingLength && name.toLowerCase() === "transfer-encoding") {
      if (httpVersionMinor === 0 || value.toLowerCase() !== "chunked")
        return new RequestError("SLP_HEADER_TRANSFER_ENCODING");
    }
  }
  // most requests have the same host as the previous one
  if (host === rightHost) return undefined;
  if (host === undefined ? httpVersionMinor > 0 : !isHost(host))
    return new RequestError("SLP_HEADER_HOST");
  if (host !== undefined) rightHost = host;
  return undefined;
};

/** The last host that was found to be valid. */
let rightHost = "localhost";

const hostLength = "host".length;
const codingLength = "transfer-encoding".length;

/**
 * Returns the canonical path of a request, without a query, a fragment or a trailing slash.
 *
 * The path is still percent-encoded. Dot segments and double slashes are kept and match no route, and `%2F` stays
 * inside its segment. A target in absolute form is replaced by its path, and its authority becomes the host. Characters
 * that need no encoding are decoded, also in `request.url`; see {@link normalisePath}.
 *
 * The `*` of `OPTIONS *` is returned unchanged.
 *
 * @throws {@link RequestError} when the target is malformed or too long.
 * @see RFC 9112, section 3.2
 */
export const toCanonicalPath = (request: IncomingMessage): string => {
  let url = request.url ?? "";
  if (url.length > maxTargetLength) throw new RequestError("SLP_TARGET_TOO_LONG");
  if (url.charCodeAt(0) !== slash) url = normalisePath(request);
  let end = findPathEnd(url);
  if (isEncoded) {
    url = normalisePath(request);
    end = findPathEnd(url);
  }
  if (url === "*" && request.method === "OPTIONS") return url;
  if (url.charCodeAt(0) !== slash) throw new RequestError("SLP_TARGET_MALFORMED");
  const hasSlash =
    end > 1 && url.charCodeAt(end - 1) === slash && url.charCodeAt(end - 2) !== slash;
  return url.slice(0, hasSlash ? end - 1 : end);
};

const slash = 0x2f;
const questionMark = 0x3f;
const hash = 0x23;
const percent = 0x25;

/**
 * Whether the last target contained percent-encoding; a variable, because returning two values would allocate an
 * object.
 */
let isEncoded = false;

/**
 * Finds the end of the path in a target; for short strings, a single loop is faster than regular expressions or several
 * searches.
 *
 * @throws {@link RequestError} at a character that is not visible ASCII.
 */
const findPathEnd = (url: string): number => {
  let end = url.length;
  isEncoded = false;
  for (let index = url.length - 1; index >= 0; index--) {
    const code = url.charCodeAt(index);
    if (code < 0x21 || code > 0x7e) throw new RequestError("SLP_TARGET_MALFORMED");
    if (code === questionMark || code === hash) end = index;
    else if (code === percent) isEncoded = true;
  }
  return end;
};
