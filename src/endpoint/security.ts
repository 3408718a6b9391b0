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
