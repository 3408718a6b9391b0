import { createHmac, timingSafeEqual } from "node:crypto";
import { parseCookie } from "cookie";
import type { CookieOptions as SentCookieOptions, Request, Response } from "express";
import { BareObject } from "../../http/bare-object.ts";

/** Options of cookies. */
export interface CookieOptions {
  /** Signs cookies and checks signatures; of several, the first signs, so that secrets can be replaced. */
  readonly secret?: string | readonly string[] | undefined;
  /**
   * Whether the signature of a cookie covers its name. If it does not, as in Express and `cookie-parser`, a client may
   * send the value of one signed cookie under the name of another.
   *
   * - `"transition"`: cookies are signed with their name, and those that were signed without it are read as well.
   * - `"required"`: cookies are signed with their name, and all others are dropped. Choose it when the cookies of the time
   *   before have expired, and at once where there are none.
   * - `"off"`: cookies are signed without their name, for programs that share them with Express or `cookie-parser`.
   *
   * @default "transition"
   */
  readonly nameBinding?: "transition" | "required" | "off" | undefined;
}

type NameBinding = NonNullable<CookieOptions["nameBinding"]>;

type Cookies = Record<string, string>;

interface RequestWithCookies {
  secret?: string | undefined;
  cookies?: unknown;
  signedCookies?: unknown;
}

/**
 * Creates what parses the cookies of a request to `request.cookies`, and those with a right signature to `request.signedCookies`.
 *
 * A wrong signature drops the cookie. The signature is made by `response.cookie(name, value, { signed: true })`, which is
 * therefore exchanged where it covers the name.
 */
export const createCookieParser = ({
  secret = [],
  nameBinding = "transition",
}: CookieOptions): ((request: Request) => void) => {
  const secrets = typeof secret === "string" ? [secret] : secret;
  const bindsName = secrets.length > 0 && nameBinding !== "off";
  return (request) => {
    parseCookies(request, secrets, nameBinding);
    // not assigned, because that would load Express, which has a setter there until it is used
    if (bindsName && request.res) Object.defineProperty(request.res, "cookie", signingCookie);
  };
};

const parseCookies = (
  request: Request,
  secrets: readonly string[],
  nameBinding: NameBinding,
): void => {
  const cookies = new BareObject() as Cookies;
  const signedCookies = new BareObject() as Cookies;
  for (const [name, value = ""] of Object.entries(parseCookie(request.headers.cookie ?? ""))) {
    if (name === "__proto__") continue;
    if (secrets.length === 0 || !value.startsWith("s:")) {
      cookies[name] = value;
      continue;
    }
    const plain = unsign(name, value.slice(2), secrets, nameBinding);
    if (plain !== undefined) signedCookies[name] = plain;
  }
  const target = request as RequestWithCookies;
  target.secret = secrets[0];
  target.cookies = cookies;
  target.signedCookies = signedCookies;
};

const unsign = (
  name: string,
  signed: string,
  secrets: readonly string[],
  nameBinding: NameBinding,
): string | undefined => {
  const dot = signed.lastIndexOf(".");
  if (dot < 0) return undefined;
  const value = signed.slice(0, dot);
  const given = Buffer.from(signed.slice(dot + 1));
  // the length tells which signature it may be, so that what is none costs nothing
  const sign =
    given.length === lengthWithName && nameBinding !== "off"
      ? (secret: string) => signWithName(name, value, secret)
      : given.length === lengthAlone && nameBinding !== "required"
        ? (secret: string) => signAlone(value, secret)
        : undefined;
  const isRight =
    sign && secrets.some((secret) => timingSafeEqual(given, Buffer.from(sign(secret))));
  return isRight ? value : undefined;
};

/**
 * The signature of a name and a value.
 *
 * By another hash than that of {@link signAlone}: what somebody got signed as a value, such as `user=admin`, is no cookie `user`.
 */
const signWithName = (name: string, value: string, secret: string): string =>
  createHmac("sha512", secret).update(`${name}=${value}`).digest("base64url");

/** Of 64 bytes in Base64. */
const lengthWithName = 86;

/** The signature of Express, which is without the padding of Base64: one character. */
const signAlone = (value: string, secret: string): string =>
  createHmac("sha256", secret).update(value).digest("base64").slice(0, -1);

type SetCookie = (
  this: Response,
  name: string,
  value: string | object,
  options?: SentCookieOptions,
) => Response;

/** Of 32 bytes in Base64. */
const lengthAlone = 43;

const setCookie: SetCookie = function setCookie(name, value, options) {
  const { cookie } = Object.getPrototypeOf(this) as { readonly cookie: SetCookie };
  const { secret } = this.req as RequestWithCookies;
  // Express refuses to sign without a secret
  if (options?.signed !== true || secret === undefined)
    return cookie.call(this, name, value, options);
  const text = typeof value === "object" ? `j:${JSON.stringify(value)}` : value;
  const signed = `s:${text}.${signWithName(name, text, secret)}`;
  return cookie.call(this, name, signed, { ...options, signed: false });
};

const signingCookie: PropertyDescriptor = {
  configurable: true,
  enumerable: true,
  writable: true,
  value: setCookie,
};
