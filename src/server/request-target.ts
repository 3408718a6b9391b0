import type { IncomingMessage } from "node:http";
import { RequestError } from "../errors.ts";

/** The longest request target that is served, in characters. */
export const maxTargetLength = 8192;

const visibleAscii = /^[!-~]*$/;
const absoluteForm = /^https?:\/\/([^/?#]*)([^#]*)/i;

/**
 * Gives the canonical path of a request: without query and fragment, and without the trailing slash.
 *
 * It is still percent-encoded: dot segments and double slashes are kept as they are and match no route,
 * and `%2F` stays inside its segment. A target in absolute form is turned into its path, its authority into the host.
 *
 * `*` of `OPTIONS *` stays as it is.
 *
 * @throws {@link RequestError} when the target is malformed or too long.
 * @see RFC 9112, section 3.2
 */
export const toCanonicalPath = (request: IncomingMessage): string => {
  let url = request.url ?? "";
  if (url.length > maxTargetLength) throw new RequestError("SLP_TARGET_TOO_LONG");
  if (!visibleAscii.test(url)) throw new RequestError("SLP_TARGET_MALFORMED");
  if (url === "*" && request.method === "OPTIONS") return url;
  if (url.charCodeAt(0) !== slash) request.url = url = toOriginForm(request, url);
  const path = cut(cut(url, "?"), "#");
  const last = path.length - 1;
  return last > 0 && path.charCodeAt(last) === slash && path.charCodeAt(last - 1) !== slash
    ? path.slice(0, last)
    : path;
};

const slash = 0x2f;

const cut = (text: string, mark: string): string => {
  const at = text.indexOf(mark);
  return at < 0 ? text : text.slice(0, at);
};

const toOriginForm = (request: IncomingMessage, url: string): string => {
  const [, authority, rest] = absoluteForm.exec(url) ?? [];
  if (!authority || rest === undefined) throw new RequestError("SLP_TARGET_MALFORMED");
  request.headers.host = authority;
  return rest.startsWith("/") ? rest : `/${rest}`;
};
