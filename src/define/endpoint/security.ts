import { be, isObject, isText, type Check } from "../../basics/messages/option-checks.ts";

/**
 * How a client authenticates. The middleware's handler does the checking; documents have the scheme, and a 401 has the
 * challenges of `basic`, `bearer`, `openid` and `oauth2`.
 */
export type Security =
  | { readonly type: "basic" }
  | { readonly type: "bearer"; readonly format?: string | undefined }
  | { readonly type: "header" | "cookie" | "query" | "input"; readonly name: string }
  | { readonly type: "openid"; readonly url: string }
  | { readonly type: "oauth2"; readonly flows: Readonly<Record<string, OAuthFlow>> }
  | { readonly and: readonly Security[] }
  | { readonly or: readonly Security[] };

/** An OAuth 2 flow, as OpenAPI describes it. */
export interface OAuthFlow {
  readonly authorizationUrl?: string | undefined;
  readonly tokenUrl?: string | undefined;
  readonly refreshUrl?: string | undefined;
  /** The scopes, each with a description. */
  readonly scopes?: Readonly<Record<string, string>> | undefined;
}

/** The challenges of the types with a scheme of HTTP; the tokens of OpenID Connect and OAuth 2 are bearer tokens. */
const challenges: { readonly [type: string]: string | undefined } = {
  basic: 'Basic realm="api", charset="UTF-8"',
  ...{ bearer: 'Bearer realm="api"', openid: 'Bearer realm="api"', oauth2: 'Bearer realm="api"' },
};

const listChallenges = (security: Security): readonly string[] => {
  if ("type" in security) return [challenges[security.type] ?? []].flat();
  return ("and" in security ? security.and : security.or).flatMap(listChallenges);
};

/**
 * Returns the value of `WWW-Authenticate` for a 401 where all of the given kinds are declared; undefined if these are
 * keys, for which HTTP has no scheme.
 *
 * @see https://www.rfc-editor.org/rfc/rfc9110#section-11.6.1
 */
export const toChallenge = (declared: readonly Security[]): string | undefined =>
  [...new Set(declared.flatMap(listChallenges))].join(", ") || undefined;

const aText = be("a non-empty string", isText);

const needs: Readonly<Record<string, readonly [property: string, check: Check] | undefined>> = {
  ...{ basic: undefined, bearer: undefined },
  ...{ header: ["name", aText], cookie: ["name", aText], query: ["name", aText] },
  input: ["name", aText],
  openid: ["url", aText],
  oauth2: ["flows", be("an object of flows", isObject)],
};

export const aPublicAccess: Check = be('"public"', (value) => value === "public");

const types = Object.keys(needs);
const aType = be(`one of ${types.join(", ")}`, (type) => types.some((known) => known === type));
// nobody would have to authenticate
const aList = be("a non-empty array", (value) => Array.isArray(value) && value.length > 0);
const anObject = be(
  "an object with a `type`, `and` or `or`",
  (value) => typeof value === "object" && value !== null,
);

export const aSecurity: Check = (security, name, wording) => {
  anObject(security, name, wording);
  const { and, or, type, ...others } = security as Readonly<Record<string, unknown>>;
  const [key, parts] = and === undefined ? ["or", or] : ["and", and];
  if (parts !== undefined) {
    const path = `${name}.${key}`;
    aList(parts, path, wording);
    for (const [index, part] of (parts as unknown[]).entries())
      aSecurity(part, `${path}[${index}]`, wording);
    return;
  }
  aType(type, `${name}.type`, wording);
  const [property, check] = needs[String(type)] ?? [];
  if (property !== undefined) check?.(others[property], `${name}.${property}`, wording);
};
