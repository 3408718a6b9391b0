import type { Request, Response } from "express";
import { parseContentType } from "../../basics/http/content-type.ts";
import { retrievalNames } from "../../basics/http/method.ts";

/**
 * Checks whether a browser has sent a request from another site without asking first, as it does for forms and for
 * bodies without a type, unless CORS allows the origin. Such a request carries the user's cookies.
 *
 * The header fields in question are set by browsers, and scripts cannot change them.
 *
 * @see Fetch standard, "CORS-safelisted request-header"; Fetch Metadata Request Headers, section 2.4
 */
export const isForeignForm = (request: Request, response: Response): boolean => {
  const { "content-type": type, origin, "sec-fetch-site": site } = request.headers;
  // browsers omit the site on plain HTTP, and older ones omit it always
  if (site === undefined ? origin === undefined : ownSites.has(site)) return false;
  if (retrievalNames.has(request.method) || !mayBeForm(type)) return false;
  if (site === undefined && isOwnOrigin(String(origin), request.host)) return false;
  const allowed = response.getHeader("Access-Control-Allow-Origin");
  return allowed !== "*" && (allowed === undefined || allowed !== origin);
};

const ownSites: ReadonlySet<unknown> = new Set(["same-origin", "same-site", "none"]);

/** The types that a browser sends without a preflight: those of forms, and that of the `ping` of a link. */
const simpleTypes: ReadonlySet<string> = new Set([
  "application/x-www-form-urlencoded",
  "multipart/form-data",
  "text/plain",
  "text/ping",
]);

/** Browsers read malformed fields less strictly, so these may be forms: `text/plain; application/json` is text. */
const mayBeForm = (field = ""): boolean => {
  // no form has a type that begins like this
  if (field.startsWith("application/json")) return false;
  const type = parseContentType(field)?.type;
  return type === undefined || simpleTypes.has(type);
};

const isOwnOrigin = (origin: string, host = ""): boolean => {
  try {
    const own = new URL(origin);
    // a proxy may add the default port, which this removes
    return new URL(`${own.protocol}//${host}`).host === own.host;
  } catch {
    // such as `null`, the origin of a sandboxed page
    return false;
  }
};
