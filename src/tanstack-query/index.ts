export { queryKey } from "./query-key.ts";
export { infiniteQueryOptions, mutationOptions, queryOptions } from "./query-options.ts";
export type { RouteQueryKey } from "./query-key.ts";
export type { RouteData, RouteInput, RoutePage } from "../client/route-parts.ts";
export type {
  CheckedKey,
  CheckedPage,
  ClientOf,
  PageParameter,
  QueryCallOptions,
  RouteError,
  RouteInfiniteQueryOptions,
  RouteMutationOptions,
  RouteQueryOptions,
} from "./query-options.ts";
