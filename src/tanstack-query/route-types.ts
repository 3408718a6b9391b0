import type { CallError } from "../client/client-errors.ts";
import type { GeneratedRoutes, PartOf } from "../client/generated-client.ts";
import type { CheckKey, RoutesOf } from "../client/inferred-client.ts";
import type { TypesAt } from "../client/route-at.ts";
import type { RouteReplyError } from "../client/route-parts.ts";

/** A client for the routes `R`, with inferred or generated types. */
export interface ClientOf<R> extends RoutesOf<R> {
  readonly request: (...args: never) => Promise<unknown>;
}

/** The key itself; for an unknown key, the keys of the client's routes, or a message. */
export type CheckedKey<R, Key extends string> =
  R extends GeneratedRoutes<infer Routes>
    ? Key extends keyof Routes
      ? Key
      : keyof Routes & string
    : CheckKey<R, Key, TypesAt<R, Key>>;

/** The key itself, or a message that the route returns no pages. */
export type CheckedPage<R, Key extends string> =
  R extends GeneratedRoutes<infer Routes>
    ? Key extends keyof Routes
      ? [PartOf<Routes[Key], "page">] extends [never]
        ? `${Key} returns no pages`
        : Key
      : keyof Routes & string
    : CheckKey<R, Key, TypesAt<R, Key>, "page">;

/** The arguments after the key: the input, which is optional if none of its fields is required, and the options. */
export type Arguments<Input, Options> = [
  ...({} extends Input ? [input?: Input] : [input: Input]),
  options?: Options,
];

/** What a query of a route may fail with. */
export type RouteError<R, Key extends string> = CallError | RouteReplyError<R, Key>;
