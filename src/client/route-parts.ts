import type { ReplyErrorOf } from "./client-errors.ts";
import type { GeneratedRoutes, PartOf } from "./generated-client.ts";
import type { ReplyAt, RoutesOf } from "./inferred-client.ts";
import type { PayloadOf } from "./pages.ts";
import type { NoRoute, TypesAt } from "./route-at.ts";
import type { InputAt, PageAt, SuccessAt } from "./wire-types.ts";

/** One of the types of a route in a generated client. */
type Part<Routes, Key, Name> = Key extends keyof Routes ? PartOf<Routes[Key], Name> : never;

/** The input of a route. */
export type RouteInput<R, Key extends string> =
  R extends GeneratedRoutes<infer Routes>
    ? Part<Routes, Key, "input">
    : InputAt<TypesAt<R, Key>, Key>;

/** The data of a successful response from a route. */
export type RouteData<R, Key extends string> = PayloadOf<
  R extends GeneratedRoutes<infer Routes>
    ? Part<Routes, Key, "success">
    : SuccessAt<TypesAt<R, Key>>
>;

/** The page that a route returns. */
export type RoutePage<R, Key extends string> =
  R extends GeneratedRoutes<infer Routes> ? Part<Routes, Key, "page"> : PageAt<TypesAt<R, Key>>;

/** The {@link ReplyError} of each status that a route may send. */
export type RouteReplyError<R, Key extends string> = ReplyErrorOf<
  R extends GeneratedRoutes<infer Routes> ? Part<Routes, Key, "reply"> : ReplyAt<TypesAt<R, Key>>
>;

/** The routes of a client of any kind, if it has the key. */
type RoutesWith<C, Key> =
  C extends RoutesOf<infer R>
    ? R extends GeneratedRoutes<infer Routes>
      ? Key extends keyof Routes
        ? R
        : never
      : TypesAt<R, Key> extends NoRoute
        ? never
        : R
    : never;

/** The input of a route, as in `InputOf<typeof client, "get /v1/users">`; `never` for an unknown key. */
export type InputOf<C, Key extends string> = RouteInput<RoutesWith<C, Key>, Key>;

/**
 * The data of a successful response, as in `OutputOf<typeof client, "get /v1/users">`: the `data` of the default
 * envelope, or else the body itself; `never` for an unknown key.
 */
export type OutputOf<C, Key extends string> = RouteData<RoutesWith<C, Key>, Key>;

/** The {@link ReplyError} of each status that a route may send; `never` for an unknown key. */
export type ErrorOf<C, Key extends string> = RouteReplyError<RoutesWith<C, Key>, Key>;
