import type { DataTag, InfiniteData, QueryFunctionContext, SkipToken } from "@tanstack/query-core";
import type { CallOptions, OptionsFor } from "../client/call-options.ts";
import type { createPlainClient } from "../client/client.ts";
import type { CallError, ReplyError } from "../client/client-errors.ts";
import type { GeneratedRoutes, KeyWith } from "../client/generated-client.ts";
import type { CheckKey, RoutesOf } from "../client/inferred-client.ts";
import { toNextPage } from "../client/pages.ts";
import type { TypesAt } from "../client/route-at.ts";
import type {
  RouteData,
  RouteFields,
  RouteInput,
  RoutePage,
  RouteReply,
} from "../client/route-parts.ts";

export type { RouteData, RouteInput, RoutePage } from "../client/route-parts.ts";

/** A query key, or the beginning of one. */
export type RouteQueryKey = readonly unknown[];

/** Random numbers instead of counted ones, because keys may outlive the page in a persisted cache. */
const fileIds = new WeakMap<Blob, number>();

/** Describes a file in a key. Its content, which can only be read later, is represented by the identity of the object. */
const describeFile = (file: Blob): object => {
  const id = fileIds.get(file) ?? Math.random();
  fileIds.set(file, id);
  const { name, size, type } = file as File;
  return { name, size, type, id };
};

/** Replaces the values that JSON cannot represent, and would not distinguish from others. */
const toDistinct = (_: string, value: unknown): unknown => {
  if (typeof value === "bigint" || (typeof value === "number" && !Number.isFinite(value)))
    return String(value);
  if (value instanceof Blob) return describeFile(value);
  if (value instanceof ArrayBuffer) return new Uint8Array(value);
  return value instanceof DataView
    ? new Uint8Array(value.buffer, value.byteOffset, value.byteLength)
    : value;
};

/** Converts an input to a value that TanStack Query can hash and compare, without undefined values. */
const toPlain = (input: unknown): unknown => JSON.parse(JSON.stringify(input ?? {}, toDistinct));

/**
 * Returns the key of a query: the segments of the path, the method and the input.
 *
 * With fewer arguments, it returns a prefix that matches several queries, for example to invalidate them. Without an
 * input, these are all queries for a route; with only a path, all queries for the routes beneath that path.
 *
 * A file in the input is identified by its object: another `File` with the same content has another key.
 *
 * @example
 * queryKey("get /v1/users", { limit: 10 }); // ["v1", "users", "get", { limit: 10 }]
 * await queryClient.invalidateQueries({ queryKey: queryKey("/v1/users") }); // also "get /v1/users/:id"
 */
export const queryKey = (key: string, input?: unknown): RouteQueryKey => {
  const at = key.indexOf("/");
  const method = key.slice(0, Math.max(0, at)).trim();
  const segments = key.slice(at + 1).split("/");
  return [
    ...segments.filter((segment) => segment !== ""),
    ...(method === "" ? [] : [method]),
    ...(input === undefined ? [] : [toPlain(input)]),
  ];
};

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

/** The arguments after the key: the input and the options, each optional if nothing in it is required. */
type Arguments<R, Key extends string> = [
  ...({} extends RouteInput<R, Key> ? [input?: RouteInput<R, Key>] : [input: RouteInput<R, Key>]),
  ...options: OptionsFor<QueryCallOptions, RouteFields<R, Key>>,
];

/** The same arguments, with `skipToken` as a possible input. */
type SkippableArguments<R, Key extends string> = [
  input: RouteInput<R, Key> | SkipToken,
  ...options: OptionsFor<QueryCallOptions, RouteFields<R, Key>>,
];

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

const fetchPayload = <Data>(
  client: ClientOf<unknown>,
  key: string,
  input: unknown,
  options: object,
): Promise<Data> =>
  (client as unknown as PlainClient)["~query"](key, input, options) as Promise<Data>;

/** Tells TanStack Query the type of the errors; the property is never set. */
interface Failing<Failure> {
  readonly retryDelay?: (failures: number, error: Failure) => number;
}

/** Options for the calls; TanStack Query provides the signal. */
export type QueryCallOptions = Omit<CallOptions, "signal">;

/** Options for `useQuery` and the like; `Skipped` is the type of `skipToken` if the input may be that. */
export interface RouteQueryOptions<
  Data,
  Failure = Error,
  Skipped = never,
> extends Failing<Failure> {
  readonly queryKey: DataTag<RouteQueryKey, Data, Failure>;
  readonly queryFn: ((context: Pick<QueryFunctionContext, "signal">) => Promise<Data>) | Skipped;
}

/**
 * Returns the options for a query: its key, and a function that fetches the data of the response.
 *
 * The data is the `data` of the default envelope, or the body of other result handlers. An error response is thrown as
 * a `ReplyError`, which has `status`, `body`, `issues` and `issuesAt`.
 *
 * With `skipToken` as its input, the query waits until it has another.
 *
 * @example
 * const { data, error } = useQuery(queryOptions(client, "get /v1/users/:id", id ? { id } : skipToken));
 */
export function queryOptions<R, Key extends string>(
  client: ClientOf<R>,
  key: CheckedKey<R, Key>,
  ...given: Arguments<R, Key>
): RouteQueryOptions<QueryData<RouteData<R, Key>>, RouteError<R, Key>>;
export function queryOptions<R, Key extends string>(
  client: ClientOf<R>,
  key: CheckedKey<R, Key>,
  ...given: SkippableArguments<R, Key>
): RouteQueryOptions<QueryData<RouteData<R, Key>>, RouteError<R, Key>, SkipToken>;
export function queryOptions(
  client: ClientOf<unknown>,
  key: string,
  input?: unknown,
  options?: object,
): object {
  return {
    queryKey: toInputKey(key, input),
    queryFn: isSkipped(input)
      ? input
      : async ({ signal }: { readonly signal: AbortSignal }) =>
          (await fetchPayload<unknown>(client, key, input, { ...options, signal })) ?? null,
  };
}

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
  key: CheckedPage<R, Key>,
  ...given: Arguments<R, Key>
): RouteInfiniteQueryOptions<RoutePage<R, Key>, RouteError<R, Key>>;
export function infiniteQueryOptions<R, Key extends string>(
  client: ClientOf<R>,
  key: CheckedPage<R, Key>,
  ...given: SkippableArguments<R, Key>
): RouteInfiniteQueryOptions<RoutePage<R, Key>, RouteError<R, Key>, SkipToken>;
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
      : ({ pageParam, signal }: { readonly pageParam: object; readonly signal: AbortSignal }) =>
          fetchPayload(client, key, { ...(input as object), ...pageParam }, { ...options, signal }),
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

/** The options of a mutation's calls, or a function that returns them for an input; required if the options are. */
type MutationArguments<Input, Options extends readonly unknown[]> = Options extends readonly [
  infer Given,
]
  ? [options: Given | ((input: Variables<Input>) => Given)]
  : [options?: Options[0] | ((input: Variables<Input>) => Options[0])];

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
export const mutationOptions = <R, Key extends string>(
  client: ClientOf<R>,
  key: CheckedKey<R, Key>,
  ...[options]: MutationArguments<RouteInput<R, Key>, OptionsFor<CallOptions, RouteFields<R, Key>>>
): RouteMutationOptions<RouteInput<R, Key>, RouteData<R, Key>, RouteError<R, Key>> => ({
  mutationKey: queryKey(key),
  mutationFn: (input) => {
    const given: object | undefined = typeof options === "function" ? options(input) : options;
    return fetchPayload(client, key, input, { ...given });
  },
});
