import { buildRequest } from "./build-request.ts";
import type {
  Call,
  CallOptions,
  ClientOptions,
  RoutePlans,
  SubscribeOptions,
} from "./call-options.ts";
import { PageError, ReplyError, UnexpectedBodyError } from "./client-errors.ts";
import { hasMore, listItems, toNextPage, toPayload } from "./pages.ts";
import { readReply, type Reply } from "./read-reply.ts";
import { fail, sendRequest } from "./send-request.ts";
import { subscribe, type ReceivedEvent } from "./subscribe.ts";

/** The items of all pages, or the pages themselves. */
export interface Pages<Item, Page> extends AsyncIterable<Item> {
  /** Returns the pages instead of their items. */
  readonly pages: () => AsyncIterable<Page>;
}

/** A client without types, which is what all typed clients are at run time. */
export interface PlainClient {
  readonly hasMore: (response: unknown) => boolean;
  readonly request: (key: string, input?: unknown, options?: CallOptions) => Promise<Reply>;
  readonly provide: (key: string, input?: unknown, options?: CallOptions) => Promise<unknown>;
  readonly iterate: (
    key: string,
    input?: unknown,
    options?: CallOptions,
  ) => Pages<unknown, unknown>;
  readonly subscribe: (
    key: string,
    input?: unknown,
    options?: SubscribeOptions,
  ) => AsyncGenerator<ReceivedEvent, void, undefined>;
}

export const createPlainClient = (client: ClientOptions, plans?: RoutePlans): PlainClient => {
  const toCall = (key: string, options: CallOptions = {}): Call => {
    const at = key.indexOf(" ");
    const method = key.slice(0, at).toUpperCase();
    return { method, path: key.slice(at + 1), options, client, plan: plans?.[key] };
  };
  const send = async <Result>(
    call: Call,
    input: unknown,
    use: (reply: Reply) => Result,
  ): Promise<Result> => {
    try {
      const request = buildRequest(call, input);
      return use(await sendRequest(call, request, (response) => readReply(call, response)));
    } catch (error) {
      return await fail(call, error);
    }
  };
  async function* walkPages(call: Call, input: unknown): AsyncGenerator<unknown, void, undefined> {
    let last = "";
    for (let next: object | undefined = {}; next;) {
      const body: unknown = await send(
        call,
        { ...(input as object), ...next },
        ({ ok, body, response }) => {
          if (ok) return body;
          throw new ReplyError(call, response, body);
        },
      );
      yield toPayload(body);
      next = toNextPage(body);
      const place = JSON.stringify(next);
      if (place === last) await fail(call, new PageError(call, place));
      last = place;
    }
  }
  return {
    hasMore,
    request: (key, input, options) => send(toCall(key, options), input, (reply) => reply),
    provide: (key, input, options) => {
      const call = toCall(key, options);
      return send(call, input, ({ body, response, isForeign }) => {
        if (isForeign) throw new UnexpectedBodyError(call, response, body);
        return body;
      });
    },
    iterate: (key, input, options) => {
      const call = toCall(key, options);
      const pages = (): AsyncIterable<unknown> => walkPages(call, input);
      return {
        pages,
        async *[Symbol.asyncIterator]() {
          for await (const page of pages()) yield* listItems(page, call.plan?.items);
        },
      };
    },
    subscribe: (key, input, options) => {
      const call = toCall(key, options);
      return subscribe(call, buildRequest(call, input));
    },
  };
};
