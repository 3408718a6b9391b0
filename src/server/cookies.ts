import { createHmac, timingSafeEqual } from "node:crypto";
import { parseCookie } from "cookie";
import type { Request } from "express";
import { BareObject } from "../http/bare-object.ts";

/** Options of cookies. */
export interface CookieOptions {
  /** Signs cookies and checks signatures; of several, the first signs, so that secrets can be replaced. */
  readonly secret?: string | readonly string[] | undefined;
}

type Cookies = Record<string, string>;

interface RequestWithCookies {
  secret?: string | undefined;
  cookies?: unknown;
  signedCookies?: unknown;
}

/**
 * Creates what parses the cookies of a request to `request.cookies`, and those with a right signature to `request.signedCookies`.
 *
 * The signature is that of Express' `response.cookie(name, value, { signed: true })`; a wrong one drops the cookie.
 */
export const createCookieParser = ({
  secret = [],
}: CookieOptions): ((request: Request) => void) => {
  const secrets = typeof secret === "string" ? [secret] : secret;
  return (request) => parseCookies(request, secrets);
};

const parseCookies = (request: Request, secrets: readonly string[]): void => {
  const cookies = new BareObject() as Cookies;
  const signedCookies = new BareObject() as Cookies;
  for (const [name, value = ""] of Object.entries(parseCookie(request.headers.cookie ?? ""))) {
    if (name === "__proto__") continue;
    if (secrets.length === 0 || !value.startsWith("s:")) {
      cookies[name] = value;
      continue;
    }
    const plain = unsign(value.slice(2), secrets);
    if (plain !== undefined) signedCookies[name] = plain;
  }
  const target = request as RequestWithCookies;
  target.secret = secrets[0];
  target.cookies = cookies;
  target.signedCookies = signedCookies;
};

const unsign = (signed: string, secrets: readonly string[]): string | undefined => {
  const dot = signed.lastIndexOf(".");
  if (dot < 0) return undefined;
  const value = signed.slice(0, dot);
  const given = Buffer.from(signed.slice(dot + 1));
  const isRight = secrets.some((secret) => {
    // without the padding, which is one character
    const digest = createHmac("sha256", secret).update(value).digest("base64").slice(0, -1);
    const expected = Buffer.from(digest);
    return given.length === expected.length && timingSafeEqual(given, expected);
  });
  return isRight ? value : undefined;
};
