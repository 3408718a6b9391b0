import { failValue, type ValueCheck } from "./check-definition.ts";

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

const types = ["basic", "bearer", "header", "cookie", "query", "input", "openid", "oauth2"];
const aText: ValueCheck = [
  "a non-empty string",
  (value) => typeof value === "string" && value !== "",
];

type Need = readonly [property: string, check: ValueCheck];

/** The property that each type needs. */
const named: Need = ["name", aText];
const needed: Readonly<Record<string, Need>> = {
  ...{ header: named, cookie: named, query: named, input: named },
  openid: ["url", aText],
  oauth2: ["flows", ["an object of flows", (value) => typeof value === "object" && value !== null]],
};

/** @throws {@link DefinitionError} when the declaration of how clients authenticate is invalid. */
export const assertSecurity = (where: string, name: string, security: unknown): void => {
  if (security === undefined) return;
  if (typeof security !== "object" || security === null)
    failValue(where, name, "an object with a `type`, `and` or `or`", security);
  for (const key of ["and", "or"]) {
    const parts: unknown = Reflect.get(security as object, key);
    if (parts === undefined) continue;
    if (!Array.isArray(parts)) failValue(where, `${name}.${key}`, "an array", parts);
    for (const [index, part] of (parts as unknown[]).entries())
      assertSecurity(where, `${name}.${key}[${index}]`, part ?? null);
    return;
  }
  const type: unknown = Reflect.get(security as object, "type");
  if (!types.some((known) => known === type))
    failValue(where, `${name}.type`, `one of ${types.join(", ")}`, type);
  const need = needed[String(type)];
  if (need === undefined) return;
  const [property, [expected, isRight]] = need;
  const value: unknown = Reflect.get(security as object, property);
  if (!isRight(value)) failValue(where, `${name}.${property}`, expected, value);
};
