import type { IncomingMessage } from "node:http";
import { RequestError } from "../../basics/errors.ts";

/** The longest accepted request target, in characters. */
const maxTargetLength = 8192;

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
    if (malformedTarget.test(url)) throw new RequestError("SLP_TARGET_MALFORMED");
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
const malformedTarget = /[^!-~]|#/;

/** Matches a character that {@link normalisePath} may change, or that is malformed. */
const unusual = /[^!$&-;=?-[\]-z|~]/;

/** Matches an encoded byte; the group is a visible character, other than those in `unsafe` and those of the structure. */
const encoded =
  /%(?:(2[146-9A-E]|3[0-9ABD]|4[0-9A-F]|5[0-9ABD-F]|6[0-9A-F]|7[0-9ACE])|[0-9A-F]{2})/gi;
const malformed = /%(?![0-9A-F]{2})/i;

/** Matches a character that URLs contain only encoded, and that would do harm in HTML or to another server. */
const unsafe = /["<>\\{}]/g;

const special = /[%"<>\\{}]/;

const absoluteForm = /^https?:\/\/([^/?#]*)([^#]*)/i;

type Targeted = IncomingMessage & { readonly originalUrl?: string };

/**
 * Normalises the path in `request.url`, and returns that, so that a middleware at `/admin` also sees `/%61dmin`. A
 * target in absolute form becomes a path, and its authority the host. Characters are decoded if that does not change
 * the structure of the path, and encoded if URLs contain them only so; other escapes are put in upper case. A malformed
 * path is left alone, to be rejected later.
 *
 * @see RFC 3986, sections 3.3 and 6.2.2
 */
export const normalisePath = (request: Targeted): string => {
  const { url = "" } = request;
  const given = toPath(url);
  if (given) request.headers.host = given.authority;
  const normal = toNormal(given?.path ?? url);
  return normal === url ? url : replace(request, normal);
};

/** Checks whether {@link normalisePath} would leave a target as it is. */
export const isNormal = (url: string): boolean => toNormal(toPath(url)?.path ?? url) === url;

/** Checks whether the path of a target ends with a slash that may be left out. */
export const endsWithSlash = (url: string): boolean => /^[^?#]+\/(?:[?#]|$)/.test(url);

/** The last result, because several layers ask for the same path. */
let lastNormal = "";

const toNormal = (url: string): string => {
  if (url === lastNormal) return url;
  const end = url.search(/[?#]/);
  const path = end < 0 ? url : url.slice(0, end);
  if (!special.test(path) || malformed.test(path)) return url;
  const normal = path
    .replace(encoded, (sent: string, plain: string | undefined) =>
      plain === undefined ? sent.toUpperCase() : String.fromCharCode(Number.parseInt(plain, 16)),
    )
    .replace(unsafe, encodeURIComponent);
  return (lastNormal = end < 0 ? normal : normal + url.slice(end));
};

/** Returns the parts of a target in absolute form, unless other servers may interpret its authority differently. */
const toPath = (url: string): { readonly authority: string; readonly path: string } | undefined => {
  if (url.startsWith("/")) return undefined;
  const [, authority = "", rest = ""] = absoluteForm.exec(url) ?? [];
  // the authority may contain credentials or a list of hosts
  if (!hostPattern.test(authority)) return undefined;
  return { authority, path: rest.startsWith("/") ? rest : `/${rest}` };
};

const replace = (request: Targeted, url: string): string => {
  const isOriginal = request.originalUrl === request.url;
  request.url = url;
  if (isOriginal) (request as { originalUrl?: string }).originalUrl = url;
  return url;
};

/** Matches a host with an optional port, but nothing that another server could interpret differently. */
export const hostPattern = /^(?:\[[\da-f:.]+\]|[\w.~%!$&'()*+;=-]+)(?::\d{0,5})?$/i;
