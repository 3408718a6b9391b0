import { createHmac, timingSafeEqual } from "node:crypto";
import { parseCookie } from "cookie";
import type { CookieOptions as SentCookieOptions, Request, Response } from "express";
import { defaults } from "../../basics/defaults.ts";
import { BareObject } from "../../basics/http/query.ts";

/** Options for cookies. */
export interface CookieOptions {
  /**
   * The secret that signs cookies and verifies signatures. If this is an array, the first secret signs and every secret
   * verifies, so that secrets can be rotated.
   */
  readonly secret?: string | readonly string[] | undefined;
  /**
   * Whether the signature of a cookie covers its name. If not, as in Express and `cookie-parser`, a client can send the
   * value of one signed cookie under the name of another.
   *
   * - `"transition"`: cookies are signed with their name; cookies signed without it are still accepted.
   * - `"required"`: cookies are signed with their name; all others are dropped.
   * - `"off"`: cookies are signed without their name, for programs that share cookies with `cookie-parser`.
   *
   * @default "transition"
   */
  readonly nameBinding?: "transition" | "required" | "off" | undefined;
}

type Cookies = Record<string, string>;

/**
 * Creates the parser that sets `request.cookies` and, for cookies with a valid signature, `request.signedCookies`. If
 * signatures cover the name, it replaces `response.cookie`, which creates them.
 */
export const createCookieParser = ({
  secret = [],
  nameBinding = defaults.cookies.nameBinding,
}: CookieOptions): ((request: Request) => void) => {
  const secrets = typeof secret === "string" ? [secret] : secret;
  const bindsName = secrets.length > 0 && nameBinding !== "off";
  /** Returns the value of a signed cookie; undefined if the signature is wrong. */
  const unsign = (name: string, signed: string): string | undefined => {
    const dot = signed.lastIndexOf(".");
    if (dot < 0) return undefined;
    const value = signed.slice(0, dot);
    const given = Buffer.from(signed.slice(dot + 1));
    // the length tells the kinds of signatures apart; no signature is computed for other lengths
    const coversName = given.length === lengthWithName;
    if (coversName ? nameBinding === "off" : given.length !== lengthAlone) return undefined;
    if (!coversName && nameBinding === "required") return undefined;
    const sign = (key: string): string =>
      coversName ? signWithName(name, value, key) : signAlone(value, key);
    const isRight = secrets.some((key) => timingSafeEqual(given, Buffer.from(sign(key))));
    return isRight ? value : undefined;
  };
  return (request) => {
    const cookies = new BareObject() as Cookies;
    const signedCookies = new BareObject() as Cookies;
    for (const [name, value = ""] of Object.entries(parseCookie(request.headers.cookie ?? ""))) {
      if (name === "__proto__") continue;
      const isSigned = secrets.length > 0 && value.startsWith("s:");
      const plain = isSigned ? unsign(name, value.slice(2)) : value;
      if (plain !== undefined) (isSigned ? signedCookies : cookies)[name] = plain;
    }
    Object.assign(request, { secret: secrets[0], cookies, signedCookies });
    // the property is defined, because an assignment would call the placeholder's setter, which loads Express
    if (bindsName && request.res) Object.defineProperty(request.res, "cookie", signingCookie);
  };
};

/** Signs a value together with its name; the other hash keeps `user=admin` from passing as a cookie named `user`. */
const signWithName = (name: string, value: string, secret: string): string =>
  createHmac("sha512", secret).update(`${name}=${value}`).digest("base64url");

/** The length of such a signature: 64 bytes in base64url. */
const lengthWithName = 86;

/** Signs a value as Express does, without the padding character of Base64. */
const signAlone = (value: string, secret: string): string =>
  createHmac("sha256", secret).update(value).digest("base64").slice(0, -1);

/** The length of Express' signature: 32 bytes in Base64 without padding. */
const lengthAlone = 43;

type SetCookie = (
  this: Response,
  name: string,
  value: string | object,
  options?: SentCookieOptions,
) => Response;

const setCookie: SetCookie = function setCookie(name, value, options) {
  const { cookie } = Object.getPrototypeOf(this) as { readonly cookie: SetCookie };
  const { secret } = this.req as { readonly secret?: string };
  // Express throws if there is no secret
  if (options?.signed !== true || secret === undefined)
    return cookie.call(this, name, value, options);
  const text = typeof value === "object" ? `j:${JSON.stringify(value)}` : value;
  const signed = `s:${text}.${signWithName(name, text, secret)}`;
  return cookie.call(this, name, signed, { ...options, signed: false });
};

const signingCookie = { configurable: true, enumerable: true, writable: true, value: setCookie };
