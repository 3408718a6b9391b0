/** How a client proves who it is; for documents only, a middleware's handler does the checking. */
export type Security =
  | { readonly type: "basic" }
  | { readonly type: "bearer"; readonly format?: string | undefined }
  | { readonly type: "header" | "cookie" | "query" | "input"; readonly name: string }
  | { readonly type: "openid"; readonly url: string }
  | { readonly type: "oauth2"; readonly flows: Readonly<Record<string, OAuthFlow>> }
  | { readonly and: readonly Security[] }
  | { readonly or: readonly Security[] };

/** A flow of OAuth 2, as OpenAPI describes it. */
export interface OAuthFlow {
  readonly authorizationUrl?: string | undefined;
  readonly tokenUrl?: string | undefined;
  readonly refreshUrl?: string | undefined;
  /** The scopes and what they are for. */
  readonly scopes?: Readonly<Record<string, string>> | undefined;
}
