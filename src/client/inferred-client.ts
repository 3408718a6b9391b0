import type { CallOptions, OptionsFor, SubscribeOptions } from "./call-options.ts";
import type { Pages } from "./client.ts";
import type { HasMore } from "./pages.ts";
import type { Alone } from "./generated-client.ts";
import type { UnexpectedReply } from "./reply-types.ts";
import type { EndpointTypes, NoRoute, Suggested, TypesAt } from "./route-at.ts";
import type {
  BodyAt,
  ErrorReplyAt,
  EventAt,
  FieldsAt,
  InputAt,
  ItemOf,
  PageAt,
  SuccessReplyAt,
} from "./wire-types.ts";

/** The key itself; for an unknown key, the keys suggested instead, or a message. */
export type CheckKey<R, Key, T> = T extends NoRoute ? Instead<R, Key> : Key;

/** The keys suggested in place of an unknown key, which editors also complete; a message if there are none. */
type Instead<R, Key> = NoInfer<
  [Suggested<R, Key>] extends [never] ? `There is no route ${Key & string}` : Suggested<R, Key>
>;

/** The key itself, or a message that the route returns no pages. */
export type CheckPage<R, Key, T> = T extends NoRoute
  ? Instead<R, Key>
  : [PageAt<T>] extends [never]
    ? `${Key & string} returns no pages`
    : Key;

/** The key itself, or a message that the route is not an event stream. */
type CheckStream<R, Key, T> = T extends NoRoute
  ? Instead<R, Key>
  : [EventAt<T>] extends [never]
    ? `${Key & string} is not an event stream`
    : Key;

/** Every reply that an endpoint may send. */
export type ReplyAt<T> = T extends EndpointTypes
  ? SuccessReplyAt<T> | ErrorReplyAt<T> | UnexpectedReply
  : never;

/** A client whose types are inferred from a routing map, or taken from a file that declares them. */
export type Client<R> = R extends FrozenRouting
  ? R["~client"]
  : string extends keyof R
    ? ForgottenClient
    : InferredClient<R>;

/** The type that a file written by `sallyport client --types` exports in place of the routing map. */
export interface FrozenRouting {
  readonly "~client": unknown;
}

type Forgotten =
  "This routing is declared `: Routing`, which loses its keys: use `satisfies Routing`";

type ForgottenCall = (key: Forgotten, ...rest: readonly unknown[]) => never;

/** A client for a routing map whose type has no keys. */
export interface ForgottenClient {
  readonly provide: ForgottenCall;
  readonly request: ForgottenCall;
  readonly download: ForgottenCall;
  readonly iterate: ForgottenCall;
  readonly subscribe: ForgottenCall;
  readonly hasMore: HasMore;
}

/** The routes of a client, which exist only for the compiler. */
export interface RoutesOf<R> {
  /** Type information only. */
  readonly "~routes"?: R;
}

/** A function that calls a route and resolves to what `Name` says; the input may be missing if nothing is required. */
// oxlint-disable-next-line typescript/consistent-type-definitions -- editors would show an interface by name
type Caller<R, Name extends "body" | "reply" | "response"> = {
  <Key extends string>(
    key: Alone<
      CheckKey<R, Key, TypesAt<R, Key>>,
      InputAt<TypesAt<R, Key>, Key>,
      FieldsAt<TypesAt<R, Key>>
    >,
  ): Promise<Results<TypesAt<R, Key>>[Name]>;
  <Key extends string>(
    key: CheckKey<R, Key, TypesAt<R, Key>>,
    input: InputAt<TypesAt<R, Key>, Key>,
    ...options: OptionsFor<CallOptions, FieldsAt<TypesAt<R, Key>>>
  ): Promise<Results<TypesAt<R, Key>>[Name]>;
};

interface Results<T extends EndpointTypes> {
  readonly body: BodyAt<T>;
  readonly reply: ReplyAt<T>;
  readonly response: Response;
}

/**
 * A client for the routes of a routing map.
 *
 * The client's functions are bound, so they can be destructured.
 */
// oxlint-disable-next-line typescript/consistent-type-definitions -- editors would show an interface, with all routes, before each function on hover
export type InferredClient<R> = RoutesOf<R> & {
  /**
   * Sends a request and resolves to the body of the reply, for successes and errors.
   *
   * @param key method and path, such as `"get /v1/users/:id"`
   * @throws {@link UnsendableInputError}, {@link NetworkError}, {@link TimeoutError}, {@link AbortedError},
   * {@link RedirectError}, {@link UnexpectedBodyError}.
   */
  readonly provide: Caller<R, "body">;
  /**
   * Sends a request and resolves to the reply: status, header fields and body, discriminated by `ok` and `status`.
   *
   * @param key method and path, such as `"get /v1/users/:id"`
   * @throws {@link UnsendableInputError}, {@link NetworkError}, {@link TimeoutError}, {@link AbortedError},
   * {@link RedirectError}.
   */
  readonly request: Caller<R, "reply">;
  /**
   * Sends a request and resolves to the successful response, whose body has not been read: use `body`, its stream, or
   * `blob()`. `timeout` covers the time until the header fields arrive, and `signal` also aborts the body.
   *
   * @param key method and path, such as `"get /v1/files/:id"`
   * @throws {@link ReplyError} when the API responds with an error, and the errors of `provide`.
   */
  readonly download: Caller<R, "response">;
  /**
   * Iterates over the items of all pages, starting with the given one; `pages()` iterates over the pages.
   *
   * A page is fetched when its first item is needed; a loop that ends early fetches no further pages.
   *
   * @param key method and path of a route that returns pages
   * @throws {@link ReplyError} during the iteration when the API responds with an error, {@link PageError} when a page
   * brings no progress, and the errors of `provide`.
   */
  readonly iterate: {
    <Key extends string>(
      key: Alone<
        CheckPage<R, Key, TypesAt<R, Key>>,
        InputAt<TypesAt<R, Key>, Key>,
        FieldsAt<TypesAt<R, Key>>
      >,
    ): Pages<ItemOf<PageAt<TypesAt<R, Key>>>, PageAt<TypesAt<R, Key>>>;
    <Key extends string>(
      key: CheckPage<R, Key, TypesAt<R, Key>>,
      input: InputAt<TypesAt<R, Key>, Key>,
      ...options: OptionsFor<CallOptions, FieldsAt<TypesAt<R, Key>>>
    ): Pages<ItemOf<PageAt<TypesAt<R, Key>>>, PageAt<TypesAt<R, Key>>>;
  };
  /**
   * Receives the events of a stream. When the stream ends or breaks off, it is reopened with `Last-Event-ID`.
   *
   * The subscription ends when the loop over it ends, when `signal` is aborted, or when the API responds with 204.
   *
   * @param key method and path of an event stream
   * @throws {@link ReplyError} during the iteration when the API responds with a 4xx other than 408, 425 and 429,
   * {@link UnexpectedBodyError} when it sends something other than a stream of JSON events, {@link EventSizeError} when
   * an event is larger than `maxEventSize`, and {@link RedirectError}.
   */
  readonly subscribe: {
    <Key extends string>(
      key: Alone<
        CheckStream<R, Key, TypesAt<R, Key>>,
        InputAt<TypesAt<R, Key>, Key>,
        FieldsAt<TypesAt<R, Key>>
      >,
    ): AsyncGenerator<EventAt<TypesAt<R, Key>>, void, undefined>;
    <Key extends string>(
      key: CheckStream<R, Key, TypesAt<R, Key>>,
      input: InputAt<TypesAt<R, Key>, Key>,
      ...options: OptionsFor<SubscribeOptions, FieldsAt<TypesAt<R, Key>>>
    ): AsyncGenerator<EventAt<TypesAt<R, Key>>, void, undefined>;
  };
  /** Returns whether there are more pages after the result of `provide`, the page in it, or the result of `request`. */
  readonly hasMore: HasMore;
};
