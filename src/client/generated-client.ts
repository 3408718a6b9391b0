import type { CallOptions, SubscribeOptions } from "./call-options.ts";
import type { Pages } from "./client.ts";

/** Where a key stands alone: the key, unless something in its input is required. */
export type Alone<Key, Input> = {} extends Input ? Key : MissingInput<Input>;

/** Says in an error of the compiler what the input must have. */
export interface MissingInput<Input> {
  readonly "~input": Input;
}

/** A part of what is known of a route; never where it has none. */
export type PartOf<Route, Name> = Name extends keyof Route ? Route[Name] : never;

/** The key itself, or what is wrong with it. */
type KeyWith<Routes, Key extends keyof Routes & string, Name, Lack extends string> = [
  PartOf<Routes[Key], Name>,
] extends [never]
  ? `${Key} ${Lack}`
  : Key;

/** Tells the compiler the routes of a generated client. */
export interface GeneratedRoutes<Routes> {
  readonly "~generated": Routes;
}

/**
 * A client whose types are generated: of each route, by its key, the `input`, the body of a `success`, the `body` of any reply,
 * and the `reply`; and the `page` and its `item` or the `event` where it has these.
 *
 * Its functions are bound: they may be taken off.
 */
export interface GeneratedClient<Routes> {
  /** Exists for the compiler only. */
  readonly "~routes"?: GeneratedRoutes<Routes>;
  /**
   * Sends a request and resolves to the body of its reply: of a success as well as of an error.
   *
   * @param key method and path, such as `"get /v1/users/:id"`
   * @throws {@link UnsendableInputError}, {@link NetworkError}, {@link TimeoutError}, {@link AbortedError},
   * {@link UnexpectedBodyError}.
   */
  readonly provide: {
    <Key extends keyof Routes & string>(
      key: Alone<Key, PartOf<Routes[Key], "input">>,
    ): Promise<PartOf<Routes[Key], "body">>;
    <Key extends keyof Routes & string>(
      key: Key,
      input: PartOf<Routes[Key], "input">,
      options?: CallOptions,
    ): Promise<PartOf<Routes[Key], "body">>;
  };
  /**
   * Sends a request and resolves to its reply: status, header fields and body, told apart by `ok` and `status`.
   *
   * @param key method and path, such as `"get /v1/users/:id"`
   * @throws {@link UnsendableInputError}, {@link NetworkError}, {@link TimeoutError}, {@link AbortedError}.
   */
  readonly request: {
    <Key extends keyof Routes & string>(
      key: Alone<Key, PartOf<Routes[Key], "input">>,
    ): Promise<PartOf<Routes[Key], "reply">>;
    <Key extends keyof Routes & string>(
      key: Key,
      input: PartOf<Routes[Key], "input">,
      options?: CallOptions,
    ): Promise<PartOf<Routes[Key], "reply">>;
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
    <Key extends keyof Routes & string>(
      key: Alone<KeyWith<Routes, Key, "page", "gives no pages">, PartOf<Routes[Key], "input">>,
    ): Pages<PartOf<Routes[Key], "item">, PartOf<Routes[Key], "page">>;
    <Key extends keyof Routes & string>(
      key: KeyWith<Routes, Key, "page", "gives no pages">,
      input: PartOf<Routes[Key], "input">,
      options?: CallOptions,
    ): Pages<PartOf<Routes[Key], "item">, PartOf<Routes[Key], "page">>;
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
    <Key extends keyof Routes & string>(
      key: Alone<KeyWith<Routes, Key, "event", "is no event stream">, PartOf<Routes[Key], "input">>,
    ): AsyncGenerator<PartOf<Routes[Key], "event">, void, undefined>;
    <Key extends keyof Routes & string>(
      key: KeyWith<Routes, Key, "event", "is no event stream">,
      input: PartOf<Routes[Key], "input">,
      options?: SubscribeOptions,
    ): AsyncGenerator<PartOf<Routes[Key], "event">, void, undefined>;
  };
  /**
   * Tells whether there are more pages after one.
   *
   * @param response what `provide` resolves to, the page inside, or what `request` resolves to
   */
  readonly hasMore: (response: unknown) => boolean;
}
