import type { IncomingMessage } from "node:http";
import { isHost } from "./host.ts";

/** The longest request target that is served, in characters. */
export const maxTargetLength = 8192;

/** What may stand in a segment as it is: unreserved characters, sub-delimiters, `:` and `@`; or any other character. */
const encoded =
  /%(?:(2[146-9A-E]|3[0-9ABD]|4[0-9A-F]|5[0-9AF]|6[1-9A-F]|7[0-9AE])|([0-9A-F]{2}))/gi;
const malformed = /%(?![0-9A-F]{2})/i;

const absoluteForm = /^https?:\/\/([^/?#]*)([^#]*)/i;

/** A request whose target was perhaps kept, as Express does. */
type Targeted = IncomingMessage & { readonly originalUrl?: string };

/**
 * Gives the path in `request.url` one spelling, so that a middleware at `/admin` sees `/%61dmin` as well.
 *
 * A target in absolute form becomes its path, and its authority the host: of one such as `http://a;b/admin`, Express would
 * take `/;b/admin` for the path. A segment is decoded where that does not change what it is part of; what stays encoded is in upper case. A malformed
 * path is left alone, for it is refused later.
 *
 * @returns `request.url`
 * @see RFC 3986, sections 3.3 and 6.2.2
 */
export const normalisePath = (request: Targeted): string => {
  const url = toOriginForm(request);
  const end = url.search(/[?#]/);
  const path = end < 0 ? url : url.slice(0, end);
  if (!path.includes("%") || malformed.test(path)) return url;
  const normal = path.replace(encoded, (sent: string, plain: string | undefined) =>
    plain === undefined ? sent.toUpperCase() : String.fromCharCode(Number.parseInt(plain, 16)),
  );
  return normal === path ? url : replace(request, end < 0 ? normal : normal + url.slice(end));
};

/** Leaves alone what is no target in absolute form, and one whose authority may be read in another way elsewhere. */
const toOriginForm = (request: Targeted): string => {
  const url = request.url ?? "";
  if (url.startsWith("/")) return url;
  const [, authority = "", rest = ""] = absoluteForm.exec(url) ?? [];
  // a name and password, or a list of hosts
  if (!isHost(authority)) return url;
  request.headers.host = authority;
  return replace(request, rest.startsWith("/") ? rest : `/${rest}`);
};

const replace = (request: Targeted, url: string): string => {
  const isOriginal = request.originalUrl === request.url;
  request.url = url;
  if (isOriginal) (request as { originalUrl?: string }).originalUrl = url;
  return url;
};
