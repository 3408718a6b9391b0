import type { CallOptions, ClientOptions, OptionsFor, SubscribeOptions } from "./call-options.ts";
import { createPlainClient, type Pages } from "./client.ts";
import { hasMore, type HasMore } from "./pages.ts";
import type {
  Alone,
  ClientFunctions,
  GeneratedClient,
  GeneratedRoutes,
  Lacks,
  NothingIfRequired,
} from "./generated-client.ts";
import type { KeyedRoutes } from "./keyed-routes.ts";
import type { UnexpectedReply } from "./reply-types.ts";
import type { EndpointTypes, NoRoute, Suggested, TypesAt } from "./route-at.ts";
import type { BodyAt, ErrorReplyAt } from "./error-types.ts";
import type {
  AttachesKeys,
  EventAt,
  FieldsAt,
  InputAt,
  ItemOf,
  PageAt,
  SuccessAt,
  SuccessReplyAt,
} from "./wire-types.ts";

/** The key itself; for an unknown key, the keys suggested instead; a message if the route lacks what `Name` says. */
export type CheckKey<R, Key, T, Name = "body"> = T extends NoRoute
  ? Instead<R, Key>
  : Name extends keyof Lacks
    ? [InferredParts<T, Key>[Name]] extends [never]
      ? `${Key & string} ${Lacks[Name]}`
      : Key
    : Key;

/** The types of a route, under the names that they have in a generated client. */
export interface InferredParts<T, Key> {
  readonly input: T extends EndpointTypes ? InputAt<T, Key> : never;
  readonly success: SuccessAt<T>;
  readonly reply: ReplyAt<T>;
  readonly page: PageAt<T>;
  readonly event: EventAt<T>;
}

/** The keys suggested in place of an unknown key, which editors also complete; a message if there are none. */
type Instead<R, Key> = NoInfer<
  [Suggested<R, Key>] extends [never]
    ? unknown extends R
      ? "Name the routing map, as in createClient<typeof routing>()"
      : `There is no route ${Key & string}`
    : Suggested<R, Key>
>;

/** Every reply that an endpoint may send. */
export type ReplyAt<T> = T extends EndpointTypes
  ? SuccessReplyAt<T> | ErrorReplyAt<T> | UnexpectedReply
  : never;

/** A client whose types are inferred from a routing map, created by {@link createClient}. */
export type Client<R> = R extends FrozenRouting
  ? R["~client"]
  : string extends keyof R
    ? ForgottenClient
    : InferredClient<R>;

/** The same, for a client that attaches idempotency keys. */
type KeyedClient<R> = R extends FrozenRouting
  ? R["~client"] extends RoutesOf<GeneratedRoutes<infer Routes>>
    ? GeneratedClient<KeyedRoutes<Routes>>
    : never
  : string extends keyof R
    ? ForgottenClient
    : InferredClient<R & AttachesKeys>;

/** The type that a file written by `sallyport client --types` exports in place of the routing map. */
export interface FrozenRouting {
  readonly "~client": unknown;
}

type Forgotten =
  "This routing is declared `: Routing`, which loses its keys: use `satisfies Routing`";

type ForgottenCall = (key: Forgotten, ...rest: readonly unknown[]) => never;

/** A client for a routing map whose type has no keys. */
export interface ForgottenClient extends ClientFunctions<
  ForgottenCall,
  ForgottenCall,
  ForgottenCall,
  ForgottenCall,
  ForgottenCall
> {}

/** The routes of a client, which exist only for the compiler. */
export interface RoutesOf<R> {
  /** Type information only. */
  readonly "~routes"?: R;
}

/** What the functions of a client return for a route. */
interface Results<T extends EndpointTypes> {
  readonly body: Promise<BodyAt<T>>;
  readonly reply: Promise<ReplyAt<T>>;
  readonly response: Promise<Response>;
  readonly page: Pages<ItemOf<PageAt<T>>, PageAt<T>>;
  readonly event: AsyncGenerator<EventAt<T>, void, undefined>;
}

/** A function that calls a route and returns what `Name` says; the input may be missing if nothing is required. */
// oxlint-disable-next-line typescript/consistent-type-definitions -- editors would show an interface by name
type Caller<R, Name extends keyof Results<never>, Options = CallOptions> = {
  <Key extends string>(
    key: Alone<
      CheckKey<R, Key, TypesAt<R, Key>, Name>,
      InputAt<TypesAt<R, Key>, Key>,
      FieldsAt<R, Key, TypesAt<R, Key>>
    >,
  ): Results<TypesAt<R, Key>>[Name];
  <Key extends string>(
    key: CheckKey<R, Key, TypesAt<R, Key>, Name>,
    input: InputAt<TypesAt<R, Key>, Key>,
    ...options: OptionsFor<Options, FieldsAt<R, Key, TypesAt<R, Key>>>
  ): Results<TypesAt<R, Key>>[Name];
  <Key extends string>(
    key: Alone<Key, {}, FieldsAt<R, Key, TypesAt<R, Key>>>,
    input: InputAt<TypesAt<R, Key>, Key>,
    ...none: NothingIfRequired<FieldsAt<R, Key, TypesAt<R, Key>>>
  ): Results<TypesAt<R, Key>>[Name];
};

/**
 * A client for the routes of a routing map.
 *
 * The client's functions are bound, so they can be destructured.
 */
export type InferredClient<R> = RoutesOf<R> &
  ClientFunctions<
    Caller<R, "body">,
    Caller<R, "reply">,
    Caller<R, "response">,
    Caller<R, "page">,
    Caller<R, "event", SubscribeOptions>
  >;

/** Functions that work with any client. */
export const Client: {
  /** Returns whether there are more pages after the result of `provide`, the page in it, or the result of `request`. */
  readonly hasMore: HasMore;
} = { hasMore };

/**
 * Creates a client for an API. The client's types are inferred from the routing map; no server code gets into your
 * bundle.
 *
 * @example
 * import type { routing } from "your-server/routing";
 *
 * const client = createClient<typeof routing>({ baseUrl: "https://api.example.com" });
 * const response = await client.provide("get /v1/users/:id", { id: "7" });
 * if (response.status === "success") console.log(response.data.name);
 */
export function createClient<R>(
  options: ClientOptions & { readonly idempotency: true },
): KeyedClient<R>;
export function createClient<R>(options: ClientOptions): Client<R>;
export function createClient(options: ClientOptions): unknown {
  return createPlainClient(options);
}
