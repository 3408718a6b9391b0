import type { CallOptions, OptionsFor, SubscribeOptions } from "./call-options.ts";
import type { ReplyErrorOf } from "./client-errors.ts";
import type { Pages } from "./client.ts";
import type { HasMore, PayloadOf } from "./pages.ts";

/**
 * The type of the key in a call without input: the key itself, or a {@link MissingInput} if some of the input is
 * required.
 */
export type Alone<Key, Input, Fields = {}> = {} extends Fields
  ? {} extends Input
    ? Key
    : MissingInput<Input>
  : MissingInput<{
      readonly headers: {
        [Name in keyof Fields as {} extends Pick<Fields, Name> ? never : Name]: Fields[Name];
      };
    }>;

/** What follows the input in the overload that only reports missing header fields: too much for any other call. */
export type NothingIfRequired<Fields> = {} extends Fields ? [never, never] : [];

/** The type that shows the missing input in a compile error. */
export interface MissingInput<Input> {
  readonly "~input": Input;
}

/** The header fields that a route declares. */
export type FieldsOf<Route> = "headers" extends keyof Route ? Route["headers"] : {};

/** One of the types of a route; `never` if the route does not have it. */
export type PartOf<Route, Name> = Name extends keyof Route ? Route[Name] : never;

/** What a key whose route lacks a type is replaced with, after the key. */
export interface Lacks {
  readonly page: "returns no pages";
  readonly event: "is not an event stream";
}

/** The key itself, or a message if the route does not have the named type. */
export type KeyWith<Routes, Key extends keyof Routes & string, Name> = Name extends keyof Lacks
  ? [PartOf<Routes[Key], Name>] extends [never]
    ? `${Key} ${Lacks[Name]}`
    : Key
  : Key;

/** The types of the routes of a generated client, which exist only for the compiler. */
export interface GeneratedRoutes<Routes> {
  readonly "~generated": Routes;
}

/** What the functions of a client return for a route. */
interface Results<Route> {
  readonly body: Promise<PartOf<Route, "body">>;
  readonly reply: Promise<PartOf<Route, "reply">>;
  readonly response: Promise<Response>;
  readonly page: Pages<PartOf<Route, "item">, PartOf<Route, "page">>;
  readonly event: AsyncGenerator<PartOf<Route, "event">, void, undefined>;
}

/** A function that calls a route and returns what `Name` says; the input may be missing if nothing is required. */
// oxlint-disable-next-line typescript/consistent-type-definitions -- editors would show an interface by name
type Caller<Routes, Name extends keyof Results<unknown>, Options = CallOptions> = {
  <Key extends keyof Routes & string>(
    key: Alone<KeyWith<Routes, Key, Name>, PartOf<Routes[Key], "input">, FieldsOf<Routes[Key]>>,
  ): Results<Routes[Key]>[Name];
  <Key extends keyof Routes & string>(
    key: KeyWith<Routes, Key, Name>,
    input: PartOf<Routes[Key], "input">,
    ...options: OptionsFor<Options, FieldsOf<Routes[Key]>>
  ): Results<Routes[Key]>[Name];
  <Key extends keyof Routes & string>(
    key: Alone<Key, {}, FieldsOf<Routes[Key]>>,
    input: PartOf<Routes[Key], "input">,
    ...none: NothingIfRequired<FieldsOf<Routes[Key]>>
  ): Results<Routes[Key]>[Name];
};

/** The functions of a client. */
// oxlint-disable-next-line typescript/consistent-type-definitions -- editors would show an interface, with all routes, before each function on hover
export type ClientFunctions<Provide, Request, Download, Iterate, Subscribe> = {
  /**
   * Sends a request and resolves to the body of the reply, for successes and errors.
   *
   * @param key method and path, such as `"get /v1/users/:id"`
   * @throws {@link UnsendableInputError}, {@link NetworkError}, {@link TimeoutError}, {@link AbortedError},
   * {@link RedirectError}, {@link UnexpectedBodyError}.
   */
  readonly provide: Provide;
  /**
   * Sends a request and resolves to the reply: status, header fields and body, discriminated by `ok` and `status`.
   *
   * @param key method and path, such as `"get /v1/users/:id"`
   * @throws {@link UnsendableInputError}, {@link NetworkError}, {@link TimeoutError}, {@link AbortedError},
   * {@link RedirectError}.
   */
  readonly request: Request;
  /**
   * Sends a request and resolves to the successful response, whose body has not been read: use `body`, its stream, or
   * `blob()`. `timeout` covers the time until the header fields arrive, and `signal` also aborts the body.
   *
   * @param key method and path, such as `"get /v1/files/:id"`
   * @throws {@link ReplyError} when the API responds with an error, and the errors of `provide`.
   */
  readonly download: Download;
  /**
   * Iterates over the items of all pages, starting with the given one; `pages()` iterates over the pages.
   *
   * A page is fetched when its first item is needed; a loop that ends early fetches no further pages.
   *
   * @param key method and path of a route that returns pages
   * @throws {@link ReplyError} during the iteration when the API responds with an error, {@link PageError} when a page
   * brings no progress, and the errors of `provide`.
   */
  readonly iterate: Iterate;
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
  readonly subscribe: Subscribe;
  /** Returns whether there are more pages after the result of `provide`, the page in it, or the result of `request`. */
  readonly hasMore: HasMore;
};

/**
 * A client with generated types. `Routes` contains, under the key of each route, its `input`, its `success` (the body
 * of a successful reply), the `body` of any reply, and the `reply`; depending on the route, also its `page` and the
 * page's `item`, or its `event`.
 *
 * The client's functions are bound, so they can be destructured.
 */
export interface GeneratedClient<Routes> extends ClientFunctions<
  Caller<Routes, "body">,
  Caller<Routes, "reply">,
  Caller<Routes, "response">,
  Caller<Routes, "page">,
  Caller<Routes, "event", SubscribeOptions>
> {
  /** Type information only. */
  readonly "~routes"?: GeneratedRoutes<Routes>;
}

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
