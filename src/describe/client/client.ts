import { buildRequest } from "./build-request.ts";
import type {
  Call,
  CallOptions,
  ClientOptions,
  RoutePlans,
  SubscribeOptions,
} from "./call-options.ts";
import { PageError, ReplyError, UnexpectedBodyError } from "./client-errors.ts";
import { findItems, hasMore, toNextPage, toPayload } from "./pages.ts";
import { readReply, type Reply } from "./read-reply.ts";
import { fail, sendRequest } from "./send-request.ts";
import { subscribe } from "./subscribe.ts";

/** The items of all pages, or the pages themselves. */
export interface Pages<Item, Page> extends AsyncIterable<Item> {
  /** Returns the pages instead of their items. */
  readonly pages: () => AsyncIterable<Page>;
}

/** Returns the body of a successful reply, which must be a page if `isPage` says so, and throws all others. */
const toBody = (
  { ok, body, response, isForeign }: Reply,
  call: Call,
  isPage?: boolean,
): unknown => {
  if (ok && (!isPage || findItems(body, call.plan?.items))) return body;
  throw new (ok || isForeign ? UnexpectedBodyError : ReplyError)(call, response, body);
};

/**
 * The number of consecutive empty pages, each with a new cursor, after which an iteration ends. Databases that filter
 * after reading send some, rarely a hundred; an API that counts its cursors up would send them for ever.
 */
const maxEmptyPages = 100;

/**
 * Creates a client without types, which is what all typed clients are at run time.
 *
 * @throws {@link TypeError} when there is no usable `baseUrl`, or `idempotency` is not a boolean.
 */
export const createPlainClient = (client: ClientOptions, plans?: RoutePlans) => {
  // the paths of the routes are added to its end
  const url: unknown = client?.baseUrl;
  if (typeof url !== "string" || !/^$|^\/|:\/\//.test(url) || /[?#]/.test(url))
    throw new TypeError(
      "createClient: `baseUrl` must be a URL, such as https://api.example.com or /api, without ? or #",
    );
  if (typeof (client.idempotency ?? true) !== "boolean")
    throw new TypeError("createClient: `idempotency` is not a boolean");
  const told = new Set<string>();
  const toCall = (key: string, options: CallOptions = {}): Call => {
    const at = key.indexOf(" ");
    const method = key.slice(0, at).toUpperCase();
    return { method, path: key.slice(at + 1), options, client, plan: plans?.[key], told };
  };
  const send = async <Result>(
    call: Call,
    input: unknown,
    use: (reply: Reply, call: Call) => Result,
  ): Promise<Result> => {
    try {
      const reply = await sendRequest(call, buildRequest(call, input), async (response) =>
        call.isOpen && response.ok
          ? ({ ok: true, body: response, response } as unknown as Reply)
          : readReply(call, response),
      );
      return use(reply, call);
    } catch (error) {
      return await fail(call, error);
    }
  };
  const toCaller =
    <Result>(use: (reply: Reply, call: Call) => Result, isOpen?: boolean) =>
    (key: string, input?: unknown, options?: CallOptions): Promise<Result> =>
      send({ ...toCall(key, options), isOpen }, input, use);
  async function* walkPages(call: Call, input: unknown): AsyncGenerator<unknown, void, undefined> {
    let next: object | undefined = {};
    let [last, marked, empty] = ["", "", 0];
    for (let count = 1; ; count++) {
      const body = await send(call, { ...(input as object), ...next }, (reply) =>
        toBody(reply, call, true),
      );
      yield toPayload(body);
      next = toNextPage(body);
      if (!next) return;
      const place = JSON.stringify(next);
      empty = findItems(body, call.plan?.items)?.length === 0 ? empty + 1 : 0;
      const isEmpty = empty > ("cursor" in next ? maxEmptyPages : 0);
      if (isEmpty || place === last || place === marked)
        await fail(call, new PageError(call, place, isEmpty));
      last = place;
      // finds a cycle of any length without remembering all pages
      if ((count & (count - 1)) === 0) marked = place;
    }
  }
  return {
    hasMore,
    request: toCaller((reply) => reply),
    provide: toCaller((reply, call) => (reply.isForeign ? toBody(reply, call) : reply.body)),
    download: toCaller(toBody, true),
    /** Resolves to the data and the header fields of a successful reply, and throws all others, as queries need it. */
    "~query": toCaller((reply, call) => [toPayload(toBody(reply, call)), reply.headers] as const),
    iterate: (key: string, input?: unknown, options?: CallOptions): Pages<unknown, unknown> => {
      const call = toCall(key, options);
      const pages = (): AsyncIterable<unknown> => walkPages(call, input);
      return {
        pages,
        async *[Symbol.asyncIterator]() {
          for await (const page of pages()) yield* findItems(page, call.plan?.items) ?? [];
        },
      };
    },
    async *subscribe(
      key: string,
      input?: unknown,
      options?: SubscribeOptions,
    ): AsyncGenerator<unknown, void, undefined> {
      const call = toCall(key, options);
      try {
        yield* subscribe(call, buildRequest(call, input));
      } catch (error) {
        await fail(call, error);
      }
    },
  };
};
