import { buildRequest } from "./build-request.ts";
import type {
  Call,
  CallOptions,
  ClientOptions,
  RoutePlans,
  SubscribeOptions,
} from "./call-options.ts";
import { ReplyError, UnexpectedBodyError } from "./client-errors.ts";
import { hasMore, listItems, toNextPage, toPayload } from "./pages.ts";
import { readReply, type Reply } from "./read-reply.ts";
import { reportError, sendRequest } from "./send-request.ts";
import { subscribe, type ReceivedEvent } from "./subscribe.ts";

/** The items of all pages, or the pages themselves. */
export interface Pages<Item, Page> extends AsyncIterable<Item> {
  /** Gives the pages instead of their items. */
  readonly pages: () => AsyncIterable<Page>;
}

/** A client without types: what the clients with types are at run time. */
export class PlainClient {
  readonly #options: ClientOptions;
  readonly #plans: RoutePlans | undefined;

  constructor(options: ClientOptions, plans?: RoutePlans) {
    this.#options = options;
    this.#plans = plans;
  }

  /** Tells whether there are more pages after one. */
  static readonly hasMore: (response: unknown) => boolean = hasMore;

  /** Tells whether there are more pages after one. */
  readonly hasMore: (response: unknown) => boolean = hasMore;

  /** Sends a request and resolves to its reply, whatever the status. */
  readonly request = async (key: string, input?: unknown, options?: CallOptions): Promise<Reply> =>
    this.#send(this.#toCall(key, options), input);

  /** Sends a request and resolves to the body of its reply, whatever the status. */
  readonly provide = async (
    key: string,
    input?: unknown,
    options?: CallOptions,
  ): Promise<unknown> => {
    const call = this.#toCall(key, options);
    const { body, response, isForeign } = await this.#send(call, input);
    if (!isForeign) return body;
    const error = new UnexpectedBodyError(call, response, body);
    await reportError(call, error);
    throw error;
  };

  /** Gives the items of all pages, one after the other; the next page is fetched when its first item is asked for. */
  readonly iterate = (
    key: string,
    input?: unknown,
    options?: CallOptions,
  ): Pages<unknown, unknown> => {
    const call = this.#toCall(key, options);
    const fetchPages = (): AsyncGenerator<unknown, void, undefined> => this.#walkPages(call, input);
    return {
      pages: fetchPages,
      async *[Symbol.asyncIterator]() {
        for await (const page of fetchPages()) yield* listItems(page, call.plan?.items);
      },
    };
  };

  /** Receives the events of a stream, which is opened anew when it ends or breaks off. */
  readonly subscribe = (
    key: string,
    input?: unknown,
    options: SubscribeOptions = {},
  ): AsyncGenerator<ReceivedEvent, void, undefined> => {
    const call = { ...this.#toCall(key), options };
    return subscribe(call, buildRequest(call, input));
  };

  async *#walkPages(call: Call, input: unknown): AsyncGenerator<unknown, void, undefined> {
    let next: object | undefined = {};
    while (next) {
      const { ok, body, response } = await this.#send(call, { ...(input as object), ...next });
      if (!ok) throw new ReplyError(call, response, body);
      yield toPayload(body);
      next = toNextPage(body);
    }
  }

  async #send(call: Call, input: unknown): Promise<Reply> {
    try {
      return await sendRequest(call, buildRequest(call, input), (response) =>
        readReply(call, response),
      );
    } catch (error) {
      await reportError(call, error);
      throw error;
    }
  }

  #toCall(key: string, options: CallOptions = {}): Call {
    const at = key.indexOf(" ");
    return {
      method: key.slice(0, at).toUpperCase(),
      path: key.slice(at + 1),
      options,
      client: this.#options,
      plan: this.#plans?.[key],
    };
  }
}
