export { queryKey } from "./query-key.ts";
export { infiniteQueryOptions, mutationOptions, queryOptions } from "./query-options.ts";
export type { RouteQueryKey } from "./query-key.ts";
export type { CheckedKey, CheckedPage, ClientOf, RouteError } from "./route-types.ts";
export type { RouteData, RouteInput, RoutePage } from "../client/route-parts.ts";
export type {
  PageParameter,
  QueryCallOptions,
  RouteInfiniteQueryOptions,
  RouteMutationOptions,
  RouteQueryOptions,
} from "./query-options.ts";
