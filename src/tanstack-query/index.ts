export { infiniteQueryOptions, mutationOptions, queryKey, queryOptions } from "./query-options.ts";
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
  RouteQueryKey,
  RouteQueryOptions,
} from "./query-options.ts";
