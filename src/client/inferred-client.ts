import type { CallOptions, SubscribeOptions } from "./call-options.ts";
import type { Pages } from "./client.ts";
import type { Alone } from "./generated-client.ts";
import type {
  ErrorReply,
  ErrorStatus,
  SuccessReply,
  SuccessStatus,
  UnexpectedReply,
} from "./reply-types.ts";
import type { EndpointTypes, NoRoute, Suggested, TypesAt } from "./route-at.ts";
import type {
  BodyAt,
  DataErrorsAt,
  ErrorAt,
  EventAt,
  InputAt,
  ItemOf,
  PageAt,
  SuccessAt,
} from "./wire-types.ts";

/** The key itself, or what is wrong with it. */
export type CheckKey<R, Key, T> = T extends NoRoute ? Instead<R, Key> : Key;

/** What is suggested is completed, too; so the text stands only where nothing is. */
type Instead<R, Key> = NoInfer<
  [Suggested<R, Key>] extends [never] ? `There is no route ${Key & string}` : Suggested<R, Key>
>;

/** The key itself, or what is wrong with it as that of a page. */
export type CheckPage<R, Key, T> = T extends NoRoute
  ? Instead<R, Key>
  : [PageAt<T>] extends [never]
    ? `${Key & string} gives no pages`
    : Key;

/** The key itself, or what is wrong with it as that of an event stream. */
type CheckStream<R, Key, T> = T extends NoRoute
  ? Instead<R, Key>
  : [EventAt<T>] extends [never]
    ? `${Key & string} is no event stream`
    : Key;

type StatusAt<T> = T extends EndpointTypes
  ? number extends T["statusCode"]
    ? SuccessStatus
    : T["statusCode"]
  : never;

/** Every reply that an endpoint may give. */
export type ReplyAt<T> = T extends EndpointTypes
  ?
      | SuccessReply<StatusAt<T>, SuccessAt<T>>
      | { [S in keyof DataErrorsAt<T>]: ErrorReply<S, DataErrorsAt<T>[S]> }[keyof DataErrorsAt<T>]
      | ErrorReply<Exclude<ErrorStatus, keyof DataErrorsAt<T>>, ErrorAt<T>>
      | UnexpectedReply
  : never;

/** A client whose types are inferred from a routing map, or those of the file that stands for it. */
export type Client<R> = R extends FrozenRouting
  ? R["~client"]
  : string extends keyof R
    ? ForgottenClient
    : InferredClient<R>;

/** What a file of `sallyport client --types` exports as the routing map. */
export interface FrozenRouting {
  readonly "~client": unknown;
}

type Forgotten =
  "This routing is declared `: Routing`, which forgets its keys: write `satisfies Routing`";

/** A client of a routing map whose type has no keys. */
export interface ForgottenClient {
  readonly provide: (key: Forgotten) => never;
  readonly request: (key: Forgotten) => never;
  readonly iterate: (key: Forgotten) => never;
  readonly subscribe: (key: Forgotten) => never;
  readonly hasMore: (response: unknown) => boolean;
}

/** Tells the compiler the routes of a client. */
export interface RoutesOf<R> {
  /** Exists for the compiler only. */
  readonly "~routes"?: R;
}

/**
 * A client of a routing map.
 *
 * Its functions are bound: they may be taken off.
 */
// oxlint-disable-next-line typescript/consistent-type-definitions -- an interface would be shown, with all routes, before each function
export type InferredClient<R> = RoutesOf<R> & {
  /**
   * Sends a request and resolves to the body of its reply: of a success as well as of an error.
   *
   * @param key method and path, such as `"get /v1/users/:id"`
   * @throws {@link UnsendableInputError}, {@link NetworkError}, {@link TimeoutError}, {@link AbortedError},
   * {@link UnexpectedBodyError}.
   */
  readonly provide: {
    <Key extends string>(
      key: Alone<CheckKey<R, Key, TypesAt<R, Key>>, InputAt<TypesAt<R, Key>, Key>>,
    ): Promise<BodyAt<TypesAt<R, Key>>>;
    <Key extends string>(
      key: CheckKey<R, Key, TypesAt<R, Key>>,
      input: InputAt<TypesAt<R, Key>, Key>,
      options?: CallOptions,
    ): Promise<BodyAt<TypesAt<R, Key>>>;
  };
  /**
   * Sends a request and resolves to its reply: status, header fields and body, told apart by `ok` and `status`.
   *
   * @param key method and path, such as `"get /v1/users/:id"`
   * @throws {@link UnsendableInputError}, {@link NetworkError}, {@link TimeoutError}, {@link AbortedError}.
   */
  readonly request: {
    <Key extends string>(
      key: Alone<CheckKey<R, Key, TypesAt<R, Key>>, InputAt<TypesAt<R, Key>, Key>>,
    ): Promise<ReplyAt<TypesAt<R, Key>>>;
    <Key extends string>(
      key: CheckKey<R, Key, TypesAt<R, Key>>,
      input: InputAt<TypesAt<R, Key>, Key>,
      options?: CallOptions,
    ): Promise<ReplyAt<TypesAt<R, Key>>>;
  };
  /**
   * Gives the items of all pages from the given one on, one after the other; `pages()` gives the pages.
   *
   * A page is fetched when its first item is asked for; a loop that ends early fetches no more.
   *
   * @param key method and path of a route that gives pages
   * @throws {@link ReplyError} while it runs, when the API answers with an error; else as `request`.
   */
  readonly iterate: {
    <Key extends string>(
      key: Alone<CheckPage<R, Key, TypesAt<R, Key>>, InputAt<TypesAt<R, Key>, Key>>,
    ): Pages<ItemOf<PageAt<TypesAt<R, Key>>>, PageAt<TypesAt<R, Key>>>;
    <Key extends string>(
      key: CheckPage<R, Key, TypesAt<R, Key>>,
      input: InputAt<TypesAt<R, Key>, Key>,
      options?: CallOptions,
    ): Pages<ItemOf<PageAt<TypesAt<R, Key>>>, PageAt<TypesAt<R, Key>>>;
  };
  /**
   * Receives the events of a stream, which is opened anew, with `Last-Event-ID`, when it ends or breaks off.
   *
   * It ends with the loop over it, when `signal` is aborted, and when the API answers 204.
   *
   * @param key method and path of an event stream
   * @throws {@link ReplyError} while it runs, when the API answers with 4xx; {@link UnexpectedBodyError} when it sends no
   * events.
   */
  readonly subscribe: {
    <Key extends string>(
      key: Alone<CheckStream<R, Key, TypesAt<R, Key>>, InputAt<TypesAt<R, Key>, Key>>,
    ): AsyncGenerator<EventAt<TypesAt<R, Key>>, void, undefined>;
    <Key extends string>(
      key: CheckStream<R, Key, TypesAt<R, Key>>,
      input: InputAt<TypesAt<R, Key>, Key>,
      options?: SubscribeOptions,
    ): AsyncGenerator<EventAt<TypesAt<R, Key>>, void, undefined>;
  };
  /**
   * Tells whether there are more pages after one.
   *
   * @param response what `provide` resolves to, the page inside, or what `request` resolves to
   */
  readonly hasMore: (response: unknown) => boolean;
};
