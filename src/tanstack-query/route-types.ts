import type { GeneratedRoutes, PartOf } from "../client/generated-client.ts";
import type { CheckKey, CheckPage, RoutesOf } from "../client/inferred-client.ts";
import type { TypesAt } from "../client/route-at.ts";
import type { InputAt, PageAt, PayloadOf, SuccessAt } from "../client/wire-types.ts";

/** A client for the routes `R`, with inferred or generated types. */
export interface ClientOf<R> extends RoutesOf<R> {
  readonly request: (...args: never) => Promise<unknown>;
}

/** One of the types of a route in a generated client. */
type Part<Routes, Key, Name> = Key extends keyof Routes ? PartOf<Routes[Key], Name> : never;

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
    : CheckPage<R, Key, TypesAt<R, Key>>;

/** The arguments after the key: the input, which is optional if none of its fields is required, and the options. */
export type Arguments<Input, Options> = [
  ...({} extends Input ? [input?: Input] : [input: Input]),
  options?: Options,
];

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
