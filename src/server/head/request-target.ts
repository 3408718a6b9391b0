import type { IncomingMessage } from "node:http";
import { RequestError } from "../../errors.ts";
import { maxTargetLength, normalisePath } from "../../http/normal-path.ts";

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
