import type { ReplyErrorOf } from "./client-errors.ts";
import type { FieldsOf, GeneratedRoutes, PartOf } from "./generated-client.ts";
import type { InferredParts, RoutesOf } from "./inferred-client.ts";
import type { PayloadOf } from "./pages.ts";
import type { NoRoute, TypesAt } from "./route-at.ts";
import type { FieldsAt } from "./wire-types.ts";

/** One of the types of a route, in a generated or an inferred client. */
type Part<R, Key, Name extends keyof InferredParts<never, never>> =
  R extends GeneratedRoutes<infer Routes>
    ? Key extends keyof Routes
      ? PartOf<Routes[Key], Name>
      : never
    : InferredParts<TypesAt<R, Key>, Key>[Name];

/** The input of a route. */
export type RouteInput<R, Key extends string> = Part<R, Key, "input">;

/** The header fields that a route declares. */
export type RouteFields<R, Key extends string> =
  R extends GeneratedRoutes<infer Routes>
    ? FieldsOf<PartOf<Routes, Key>>
    : FieldsAt<R, Key, TypesAt<R, Key>>;

/** The data of a successful response from a route. */
export type RouteData<R, Key extends string> = PayloadOf<Part<R, Key, "success">>;

/** The page that a route returns. */
export type RoutePage<R, Key extends string> = Part<R, Key, "page">;

/** Every reply that a route may send. */
export type RouteReply<R, Key extends string> = Part<R, Key, "reply">;

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
export type ErrorOf<C, Key extends string> = ReplyErrorOf<RouteReply<RoutesWith<C, Key>, Key>>;

/** The header fields that a route declares for its successful responses. */
export type RouteReplyFields<R, Key extends string> =
  RouteReply<R, Key> extends infer Reply
    ? Reply extends { readonly ok: true; readonly "~fields"?: infer Fields }
      ? NonNullable<Fields>
      : never
    : never;
