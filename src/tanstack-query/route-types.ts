import type { GeneratedRoutes, PartOf } from "../client/generated-client.ts";
import type { CheckKey, CheckPage } from "../client/inferred-client.ts";
import type { TypesAt } from "../client/route-at.ts";
import type { InputAt, PageAt, PayloadOf, SuccessAt } from "../client/wire-types.ts";

/** A part of what a generated client knows of a route. */
type Part<Routes, Key, Name> = Key extends keyof Routes ? PartOf<Routes[Key], Name> : never;

/** The key itself, or what is wrong with it. */
export type CheckedKey<R, Key extends string> =
  R extends GeneratedRoutes<infer Routes>
    ? Key extends keyof Routes
      ? Key
      : keyof Routes & string
    : CheckKey<R, Key, TypesAt<R, Key>>;

/** The key itself, or what is wrong with it as that of a page. */
export type CheckedPage<R, Key extends string> =
  R extends GeneratedRoutes<infer Routes>
    ? Key extends keyof Routes
      ? [PartOf<Routes[Key], "page">] extends [never]
        ? `${Key} gives no pages`
        : Key
      : keyof Routes & string
    : CheckPage<R, Key, TypesAt<R, Key>>;

/** The input, which may be left out where nothing in it is required, and the options. */
export type Arguments<Input, Options> = [
  ...({} extends Input ? [input?: Input] : [input: Input]),
  options?: Options,
];

/** What a client gives a route. */
export type RouteInput<R, Key extends string> =
  R extends GeneratedRoutes<infer Routes>
    ? Part<Routes, Key, "input">
    : InputAt<TypesAt<R, Key>, Key>;

/** What a success of a route is about. */
export type RouteData<R, Key extends string> = PayloadOf<
  R extends GeneratedRoutes<infer Routes>
    ? Part<Routes, Key, "success">
    : SuccessAt<TypesAt<R, Key>>
>;

/** The page that a route gives. */
export type RoutePage<R, Key extends string> =
  R extends GeneratedRoutes<infer Routes> ? Part<Routes, Key, "page"> : PageAt<TypesAt<R, Key>>;
