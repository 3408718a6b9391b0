import type { CallOptions, ClientOptions, SubscribeOptions } from "./call-options.ts";
import { PlainClient, type Pages } from "./client.ts";
import type { ErrorReply, ErrorStatus, SuccessReply, SuccessStatus, UnexpectedReply } from "./reply-types.ts";
import type { EndpointAt, Suggested } from "./route-at.ts";
import type { ErrorAt, EventAt, InputAt, ItemOf, PageAt, SuccessAt } from "./wire-types.ts";

/** The input, which may be left out where nothing in it is required, and the options. */
type Arguments<Input, Options> = {} extends Input
  ? [input?: Input, options?: Options]
  : [input: Input, options?: Options];

/** The key itself, or what is wrong with it. */
type CheckKey<R, Key, E> = string extends keyof R
  ? "This routing is declared `: Routing`, which forgets its keys: write `satisfies Routing`"
  : E extends null
    ? `There is no route ${Key & string}` | Suggested<R, Key>
    : Key;

type CheckPlain<R, Key, E> = [EventAt<E>] extends [never]
  ? CheckKey<R, Key, E>
  : `${Key & string} is an event stream: use subscribe`;

type CheckPage<R, Key, E> = E extends null
  ? CheckKey<R, Key, E>
  : [PageAt<E>] extends [never]
    ? `${Key & string} gives no pages`
    : Key;

type CheckStream<R, Key, E> = E extends null
  ? CheckKey<R, Key, E>
  : [EventAt<E>] extends [never]
    ? `${Key & string} is no event stream`
    : Key;

/** Every reply that an endpoint may give. */
export type ReplyAt<E> =
  | SuccessReply<SuccessStatus, SuccessAt<E>>
  | ErrorReply<ErrorStatus, ErrorAt<E>>
  | UnexpectedReply;

/** A client whose types are inferred from a routing map. */
export interface Client<R> {
  readonly provide: <const Key extends string>(
    key: CheckPlain<R, Key, EndpointAt<R, Key>>,
    ...input: Arguments<InputAt<EndpointAt<R, Key>, Key>, CallOptions>
  ) => Promise<SuccessAt<EndpointAt<R, Key>> | ErrorAt<EndpointAt<R, Key>>>;
  readonly request: <const Key extends string>(
    key: CheckPlain<R, Key, EndpointAt<R, Key>>,
    ...input: Arguments<InputAt<EndpointAt<R, Key>, Key>, CallOptions>
  ) => Promise<ReplyAt<EndpointAt<R, Key>>>;
  readonly iterate: <const Key extends string>(
    key: CheckPage<R, Key, EndpointAt<R, Key>>,
    ...input: Arguments<InputAt<EndpointAt<R, Key>, Key>, CallOptions>
  ) => Pages<ItemOf<PageAt<EndpointAt<R, Key>>>, PageAt<EndpointAt<R, Key>>>;
  readonly subscribe: <const Key extends string>(
    key: CheckStream<R, Key, EndpointAt<R, Key>>,
    ...input: Arguments<InputAt<EndpointAt<R, Key>, Key>, SubscribeOptions>
  ) => AsyncGenerator<EventAt<EndpointAt<R, Key>>, void, undefined>;
  readonly hasMore: (response: unknown) => boolean;
}

export const createClient = <R>(options: ClientOptions): Client<R> =>
  new PlainClient(options) as unknown as Client<R>;
