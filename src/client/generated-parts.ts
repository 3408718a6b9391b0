import type { ReplyErrorOf } from "./client-errors.ts";
import type { GeneratedRoutes, PartOf } from "./generated-client.ts";
import type { PayloadOf } from "./pages.ts";

/** The routes of a generated client. */
type RoutesIn<C> = C extends { readonly "~routes"?: GeneratedRoutes<infer Routes> }
  ? Routes
  : never;

/** The input of a route, as in `InputOf<Client, "get /v1/users">`. */
export type InputOf<C, Key extends keyof RoutesIn<C>> = PartOf<RoutesIn<C>[Key], "input">;

/** The data of a successful response: the `data` of the default envelope, or else the body itself. */
export type OutputOf<C, Key extends keyof RoutesIn<C>> = PayloadOf<
  PartOf<RoutesIn<C>[Key], "success">
>;

/** The {@link ReplyError} of each status that a route declares. */
export type ErrorOf<C, Key extends keyof RoutesIn<C>> = ReplyErrorOf<
  PartOf<RoutesIn<C>[Key], "reply">
>;
