import { be, isObject, isText, type Check } from "../messages/option-checks.ts";

/** How a client authenticates. Used in documents only: the middleware's handler does the checking. */
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
