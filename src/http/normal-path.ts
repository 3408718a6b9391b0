import type { IncomingMessage } from "node:http";

/** What may stand in a segment as it is: unreserved characters, sub-delimiters, `:` and `@`; or any other character. */
const encoded =
  /%(?:(2[146-9A-E]|3[0-9ABD]|4[0-9A-F]|5[0-9AF]|6[1-9A-F]|7[0-9AE])|([0-9A-F]{2}))/gi;
const malformed = /%(?![0-9A-F]{2})/i;

/**
 * Gives the path in `request.url` one spelling, so that a middleware at `/admin` sees `/%61dmin` as well.
 *
 * A segment is decoded where that does not change what it is part of; what stays encoded is in upper case. A malformed
 * path is left alone, for it is refused later.
 *
 * @returns `request.url`
 * @see RFC 3986, sections 3.3 and 6.2.2
 */
export const normalisePath = (
  request: IncomingMessage & { readonly originalUrl?: string },
): string => {
  const url = request.url ?? "";
  const end = url.search(/[?#]/);
  const path = end < 0 ? url : url.slice(0, end);
  if (!path.includes("%") || malformed.test(path)) return url;
  const normal = path.replace(encoded, (sent: string, plain: string | undefined) =>
    plain === undefined ? sent.toUpperCase() : String.fromCharCode(Number.parseInt(plain, 16)),
  );
  if (normal === path) return url;
  const isOriginal = request.originalUrl === url;
  request.url = end < 0 ? normal : normal + url.slice(end);
  if (isOriginal) (request as { originalUrl?: string }).originalUrl = request.url;
  return request.url;
};
