import type { DataTag, InfiniteData, QueryFunctionContext, SkipToken } from "@tanstack/query-core";
import type { CallOptions, OptionsFor } from "../client/call-options.ts";
import type { createPlainClient } from "../client/client.ts";
import type { CallError, ReplyError } from "../client/client-errors.ts";
import type {
  Alone,
  GeneratedRoutes,
  KeyWith,
  NothingIfRequired,
} from "../client/generated-client.ts";
import type { CheckKey, RoutesOf } from "../client/inferred-client.ts";
import { toNextPage } from "../client/pages.ts";
import type { TypesAt } from "../client/route-at.ts";
import type {
  RouteData,
  RouteFields,
  RouteInput,
  RoutePage,
  RouteReply,
  RouteReplyFields,
} from "../client/route-parts.ts";
import { queryKey, type RouteQueryKey } from "./query-key.ts";

export { queryKey, type RouteQueryKey } from "./query-key.ts";
export type { RouteData, RouteInput, RoutePage } from "../client/route-parts.ts";

/** A client for the routes `R`, with inferred or generated types. */
export interface ClientOf<R> extends RoutesOf<R> {
  readonly request: (...args: never) => Promise<unknown>;
}

type Checked<R, Key extends string, Name> =
  R extends GeneratedRoutes<infer Routes>
    ? Key extends keyof Routes
      ? KeyWith<Routes, Key, Name>
      : keyof Routes & string
    : CheckKey<R, Key, TypesAt<R, Key>, Name>;

/** The key itself; for an unknown key, the keys of the client's routes, or a message. */
export type CheckedKey<R, Key extends string> = Checked<R, Key, "body">;

/** The key itself, or a message that the route returns no pages. */
export type CheckedPage<R, Key extends string> = Checked<R, Key, "page">;

// importing `skipToken` itself would load TanStack Query
const isSkipped = (input: unknown): input is SkipToken => typeof input === "symbol";

/** A member of an interface has no name with the routing map in it, which editors would print. */
interface Failures<R, Key extends string> {
  readonly all:
    | CallError
    | (RouteReply<R, Key> extends infer Reply
        ? Reply extends { readonly ok: false; readonly status: number; readonly body: unknown }
          ? ReplyError<Reply["status"], Reply["body"]>
          : never
        : never);
}

/** What a query of a route may fail with. */
export type RouteError<R, Key extends string> = Failures<R, Key>["all"];

type PlainClient = ReturnType<typeof createPlainClient>;

const fetchReply = (client: ClientOf<unknown>, key: string, input: unknown, options: object) =>
  (client as unknown as PlainClient)["~query"](key, input, options);

/** Returns header fields in a form that a persisted cache, or the HTML of a page, can carry. */
const toFields = (headers: Headers): Readonly<Record<string, string>> => {
  const fields: Record<string, string> = {};
  headers.forEach((value, name) => {
    // only servers see cookies, which must not get into a page
    if (name !== "set-cookie") fields[name] = value;
  });
  return fields;
};

/** Tells TanStack Query the type of the errors, which its functions read from either; the properties are never set. */
interface Failing<Failure> {
  readonly retryDelay?: (failures: number, error: Failure) => number;
  readonly throwOnError?: (error: Failure) => boolean;
}

/** Options for the calls; TanStack Query provides the signal. */
export type QueryCallOptions = Omit<CallOptions, "signal">;

/** Options for the calls of a query. */
export interface RouteCallOptions<Reply extends boolean = boolean> extends QueryCallOptions {
  /**
   * Whether the data of the query is a {@link QueryReply}, with the header fields of the response.
   *
   * @default false
   */
  readonly reply?: Reply | undefined;
}

/** The data of a response, with its header fields. */
export interface QueryReply<Data, Fields = {}> {
  readonly data: Data;
  /** The header fields, by names in lower case; those that the route declares in `responseHeaders` have a type. */
  readonly headers: Fields & Readonly<Record<string, string | undefined>>;
}

/** Options for `useQuery` and the like; `Skipped` is the type of `skipToken` if the input may be that. */
export interface RouteQueryOptions<
  Data,
  Failure = Error,
  Skipped = never,
> extends Failing<Failure> {
  readonly queryKey: DataTag<RouteQueryKey, Data, Failure>;
  readonly queryFn: ((context: Pick<QueryFunctionContext, "signal">) => Promise<Data>) | Skipped;
}

/** The data of a query; the options have no alias of their own, because editors would print it with the routing map. */
type QueryDataOf<R, Key extends string, Reply = false> = Reply extends true
  ? QueryReply<QueryData<RouteData<R, Key>>, ReplyFields<RouteReplyFields<R, Key>>>
  : QueryData<RouteData<R, Key>>;

type ReplyFields<Fields> = { readonly [Name in keyof Fields]: string };

/** The options of a query's calls, as an argument. */
type QueryArguments<R, Key extends string, Reply extends boolean> = OptionsFor<
  RouteCallOptions<Reply>,
  RouteFields<R, Key>
>;

/**
 * Returns the options for a query: its key, and a function that fetches the data of the response.
 *
 * The data is the `data` of the default envelope, or the body of other result handlers. An error response is thrown as
 * a `ReplyError`, which has `status`, `body`, `issues` and `issuesAt`.
 *
 * With `skipToken` as its input, the query waits until it has another.
 *
 * With `reply: true`, the data of the query is `{ data, headers }`, and its key ends with `"reply"`, after all of the
 * other key, so whatever invalidates one invalidates both.
 *
 * @example
 * const { data, error } = useQuery(queryOptions(client, "get /v1/users/:id", id ? { id } : skipToken));
 */
export function queryOptions<R, Key extends string>(
  client: ClientOf<R>,
  key: Alone<CheckedKey<R, Key>, RouteInput<R, Key>, RouteFields<R, Key>>,
): RouteQueryOptions<QueryDataOf<R, Key>, RouteError<R, Key>>;
export function queryOptions<R, Key extends string, Reply extends boolean = false>(
  client: ClientOf<R>,
  key: CheckedKey<R, Key>,
  input: OptionalInput<RouteInput<R, Key>>,
  ...options: QueryArguments<R, Key, Reply>
): RouteQueryOptions<QueryDataOf<R, Key, Reply>, RouteError<R, Key>>;
export function queryOptions<R, Key extends string, Reply extends boolean = false>(
  client: ClientOf<R>,
  key: CheckedKey<R, Key>,
  input: OptionalInput<RouteInput<R, Key>> | SkipToken,
  ...options: QueryArguments<R, Key, Reply>
): RouteQueryOptions<QueryDataOf<R, Key, Reply>, RouteError<R, Key>, SkipToken>;
export function queryOptions<R, Key extends string>(
  client: ClientOf<R>,
  key: Alone<Key, {}, RouteFields<R, Key>>,
  input: OptionalInput<RouteInput<R, Key>> | SkipToken,
  ...none: NothingIfRequired<RouteFields<R, Key>>
): RouteQueryOptions<QueryDataOf<R, Key>, RouteError<R, Key>>;
export function queryOptions(
  client: ClientOf<unknown>,
  key: string,
  input?: unknown,
  { reply, ...options }: RouteCallOptions = {},
): object {
  return {
    queryKey: [...toInputKey(key, input), ...(reply ? ["reply"] : [])],
    queryFn: isSkipped(input)
      ? input
      : async ({ signal }: { readonly signal: AbortSignal }) => {
          const [data = null, headers] = await fetchReply(client, key, input, {
            ...options,
            signal,
          });
          return reply ? { data, headers: toFields(headers) } : data;
        },
  };
}

/** The input of a query, which may be missing if no field is required. */
type OptionalInput<Input> = {} extends Input ? Input | undefined : Input;

/** Returns the key of a query; without input if it is skipped, so no data of another query is shown meanwhile. */
const toInputKey = (key: string, input: unknown): RouteQueryKey =>
  isSkipped(input) ? queryKey(key) : queryKey(key, input ?? {});

/** TanStack Query refuses undefined as data, so a response without a body is null. */
type QueryData<Data> = Data extends undefined ? null : Data;

/** The input to add for every page after the first. */
export type PageParameter = { readonly cursor?: unknown; readonly offset?: number };

/** Options for `useInfiniteQuery` and the like; `Skipped` is the type of `skipToken` if the input may be that. */
export interface RouteInfiniteQueryOptions<
  Page,
  Failure = Error,
  Skipped = never,
> extends Failing<Failure> {
  readonly queryKey: DataTag<RouteQueryKey, InfiniteData<Page, PageParameter>, Failure>;
  readonly queryFn:
    | ((
        context: Pick<QueryFunctionContext<RouteQueryKey, PageParameter>, "pageParam" | "signal">,
      ) => Promise<Page>)
    | Skipped;
  readonly initialPageParam: PageParameter;
  readonly getNextPageParam: (page: Page) => PageParameter | undefined;
}

/**
 * Returns the options for an infinite query that fetches the pages of a route, in offset or cursor style.
 *
 * With `skipToken` as its input, the query waits until it has another.
 *
 * @param given the input for the first page, and the options for the calls
 * @example
 * const { data, fetchNextPage, hasNextPage } = useInfiniteQuery(infiniteQueryOptions(client, "get /v1/users", { limit: 50 }));
 */
export function infiniteQueryOptions<R, Key extends string>(
  client: ClientOf<R>,
  key: Alone<CheckedPage<R, Key>, RouteInput<R, Key>, RouteFields<R, Key>>,
): RouteInfiniteQueryOptions<RoutePage<R, Key>, RouteError<R, Key>>;
export function infiniteQueryOptions<R, Key extends string>(
  client: ClientOf<R>,
  key: CheckedPage<R, Key>,
  input: OptionalInput<RouteInput<R, Key>>,
  ...options: OptionsFor<QueryCallOptions, RouteFields<R, Key>>
): RouteInfiniteQueryOptions<RoutePage<R, Key>, RouteError<R, Key>>;
export function infiniteQueryOptions<R, Key extends string>(
  client: ClientOf<R>,
  key: CheckedPage<R, Key>,
  input: OptionalInput<RouteInput<R, Key>> | SkipToken,
  ...options: OptionsFor<QueryCallOptions, RouteFields<R, Key>>
): RouteInfiniteQueryOptions<RoutePage<R, Key>, RouteError<R, Key>, SkipToken>;
export function infiniteQueryOptions<R, Key extends string>(
  client: ClientOf<R>,
  key: Alone<Key, {}, RouteFields<R, Key>>,
  input: OptionalInput<RouteInput<R, Key>> | SkipToken,
  ...none: NothingIfRequired<RouteFields<R, Key>>
): RouteInfiniteQueryOptions<RoutePage<R, Key>, RouteError<R, Key>>;
export function infiniteQueryOptions(
  client: ClientOf<unknown>,
  key: string,
  input?: unknown,
  options?: object,
): object {
  return {
    // the key differs from that of a plain query for the same route, because the data has a different shape
    queryKey: [...toInputKey(key, input), "infinite"],
    queryFn: isSkipped(input)
      ? input
      : async ({
          pageParam,
          signal,
        }: {
          readonly pageParam: object;
          readonly signal: AbortSignal;
        }) => {
          const all = { ...(input as object), ...pageParam };
          const [page] = await fetchReply(client, key, all, { ...options, signal });
          return page;
        },
    initialPageParam: {},
    getNextPageParam: toNextPage,
  };
}

/** Options for `useMutation` and the like. */
export interface RouteMutationOptions<Input, Data, Failure = Error> extends Failing<Failure> {
  readonly mutationKey: RouteQueryKey;
  readonly mutationFn: (input: Variables<Input>) => Promise<Data>;
}

/** The argument of `mutate`, which may be omitted if no field of the input is required. */
// oxlint-disable-next-line typescript/no-invalid-void-type -- only `void` makes an argument optional
type Variables<Input> = {} extends Input ? Input | void : Input;

/** The options of a mutation's calls, or a function that returns them for an input. */
type MutationArgument<Input, Options> = Options | ((input: Variables<Input>) => Options);

/**
 * Returns the options for a mutation, whose input is the argument of `mutate`.
 *
 * @param options the options for the calls, or a function that returns them for an input; required if the route
 * requires header fields, such as `if-match`
 * @example
 * const { mutate } = useMutation({
 *   ...mutationOptions(client, "post /v1/users"),
 *   onSuccess: () => queryClient.invalidateQueries({ queryKey: queryKey("/v1/users") }),
 * });
 */
export function mutationOptions<R, Key extends string>(
  client: ClientOf<R>,
  key: Alone<CheckedKey<R, Key>, {}, RouteFields<R, Key>>,
): RouteMutationOptions<RouteInput<R, Key>, RouteData<R, Key>, RouteError<R, Key>>;
export function mutationOptions<R, Key extends string>(
  client: ClientOf<R>,
  key: CheckedKey<R, Key>,
  options: MutationArgument<RouteInput<R, Key>, OptionsFor<CallOptions, RouteFields<R, Key>>[0]>,
): RouteMutationOptions<RouteInput<R, Key>, RouteData<R, Key>, RouteError<R, Key>>;
export function mutationOptions(
  client: ClientOf<unknown>,
  key: string,
  options?: object | ((input: unknown) => object | undefined),
): object {
  return {
    mutationKey: queryKey(key),
    mutationFn: async (input: unknown): Promise<unknown> => {
      const given = typeof options === "function" ? options(input) : options;
      const [data] = await fetchReply(client, key, input, { ...given });
      return data;
    },
  };
}
