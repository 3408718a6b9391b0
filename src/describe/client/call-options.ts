import type { CallRoute } from "./client-errors.ts";

/** A function that sends a request, like the global `fetch`. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** Header fields; undefined ones are left out. */
export type HeaderFields = Headers | Readonly<Record<string, string | undefined>>;

/** Header fields, or a function that returns them for each attempt. */
export type HeaderSource = HeaderFields | (() => HeaderFields | Promise<HeaderFields>);

/** Options for retries. */
export interface RetryOptions {
  /** The maximum number of retries, not counting the first attempt. */
  readonly limit: number;
  /**
   * The upper bound of the first wait, in milliseconds. The bound doubles with each retry, and each wait is a random
   * time below it.
   *
   * @default 300
   */
  readonly delay?: number | undefined;
  /**
   * The longest wait, in milliseconds. A response with a longer `Retry-After` is returned without a retry.
   *
   * @default 30000
   */
  readonly maxDelay?: number | undefined;
  /**
   * The methods to retry.
   *
   * @default ["get", "put", "delete", "query"], which are idempotent, except writes with `If-Match`, `If-None-Match` or
   * `If-Unmodified-Since`
   */
  readonly methods?: readonly string[] | undefined;
}

/** One attempt at a call, as hooks see it. */
export interface Attempt extends CallRoute {
  readonly url: string;
  /** The header fields of the request; `onRequest` may change them. */
  readonly headers: Headers;
  /** The number of the attempt, counted from 1. */
  readonly attempt: number;
}

/** How much of a request's body has been sent, in bytes. */
export interface UploadProgress {
  readonly loaded: number;
  readonly total: number;
}

/** The options that can be set for all calls or for a single call. */
export interface SharedOptions {
  /** Header fields to send; the fields of a call override the client's. */
  readonly headers?: HeaderSource | undefined;
  /**
   * Sends the requests.
   *
   * @default the global `fetch`
   */
  readonly fetch?: Fetch | undefined;
  /** Whether cookies are sent to and accepted from other origins. */
  readonly credentials?: "include" | "omit" | "same-origin" | undefined;
  /**
   * Whether redirects to other origins are followed even if the request has header fields, a body or
   * `credentials: "include"`, which the other origin then receives as `fetch` decides. Browsers do not reveal where a
   * redirect leads, so there, such a request follows no redirect at all without this option.
   *
   * @default false
   */
  readonly crossOriginRedirects?: boolean | undefined;
  /**
   * The time limit of an attempt, in milliseconds. The time includes reading the response, except for an event stream,
   * which only has to begin in time. `Infinity` means no limit, for example to override the client's limit in a call.
   *
   * @default no limit
   */
  readonly timeout?: number | undefined;
  /**
   * How many times a request is retried after a network error, a timeout or a status of 408, 425, 429, 502, 503, 504
   * or 520 to 524, which CDNs send if they cannot reach the server.
   *
   * @default 0
   */
  readonly retry?: number | RetryOptions | undefined;
  /**
   * Whether POST and PATCH carry an `Idempotency-Key`, the same in each attempt, and are therefore retried as well. A
   * key in `headers` takes precedence; a function there must return the same key for each attempt. The API must know
   * such keys, or a retry may do the work twice.
   *
   * @default false
   */
  readonly idempotency?: boolean | undefined;
  /** Runs before each attempt. */
  readonly onRequest?: ((attempt: Attempt) => unknown) | undefined;
  /** Runs with each response, before its body is read. */
  readonly onResponse?: ((attempt: Attempt, response: Response) => unknown) | undefined;
  /** Runs before an error of the call is thrown. */
  readonly onError?: ((error: unknown, route: CallRoute) => unknown) | undefined;
}

/** What the API says about a deprecated route. */
export interface RouteDeprecation extends CallRoute {
  /** Since when the route is deprecated. */
  readonly since: Date | undefined;
  /** From when the route may no longer respond. */
  readonly sunset: Date | undefined;
  /** The URL or the path of what replaces the route. */
  readonly replacement: string | undefined;
}

/** Options for one call. */
export interface CallOptions extends SharedOptions {
  /** Aborts the call. */
  readonly signal?: AbortSignal | null | undefined;
  /**
   * Called with the number of body bytes sent, on platforms with `XMLHttpRequest`, such as browsers. The request is
   * then sent with `XMLHttpRequest` instead of `fetch`.
   */
  readonly onUploadProgress?: ((progress: UploadProgress) => void) | undefined;
}

/** The header fields to send with a call: those that the route declares, and any others. */
type RouteFields<Fields> = {
  readonly [Name in keyof Fields]: Fields[Name] extends string | undefined
    ? Fields[Name]
    : number | string;
} & Readonly<Record<string, number | string | undefined>>;

type RouteHeaders<Fields> =
  | RouteFields<Fields>
  | (() => RouteFields<Fields> | Promise<RouteFields<Fields>>);

/** The options of a call to a route that declares header fields; required if one of the fields is. */
export type OptionsFor<Options, Fields> = {} extends Fields
  ? [
      options?: keyof Fields extends never
        ? Options
        : Omit<Options, "headers"> & { readonly headers?: RouteHeaders<Fields> | undefined },
    ]
  : [options: Omit<Options, "headers"> & { readonly headers: RouteHeaders<Fields> }];

/** Options for a subscription. */
export interface SubscribeOptions extends Omit<CallOptions, "onUploadProgress" | "retry"> {
  /** The id of the last event received by an earlier subscription; the stream continues after this event. */
  readonly lastEventId?: string | undefined;
  /**
   * The shortest wait before the stream is reopened, in milliseconds. If the server sends a longer `retry`, that is the
   * shortest wait. A random time is added, below a bound that begins at the shortest wait and doubles with each
   * consecutive connection without events.
   *
   * @default 1000
   */
  readonly delay?: number | undefined;
  /**
   * The maximum of the random time that is added, in milliseconds.
   *
   * @default 30000
   */
  readonly maxDelay?: number | undefined;
  /**
   * The maximum size of an event, in characters; a larger event ends the subscription with an {@link EventSizeError}.
   *
   * @default 1048576
   */
  readonly maxEventSize?: number | undefined;
}

/** A part of a request from which an endpoint reads its input. */
export type SourceName =
  | ("body" | "cookies" | "files" | "headers" | "params")
  | ("query" | "signedCookies");

/** Options for a client. */
export interface ClientOptions extends SharedOptions {
  /** The URL of the API, such as `https://api.example.com` or `/api`; a path in it is kept. */
  readonly baseUrl: string;
  /**
   * The input sources that differ from the defaults: by method, as in the API's configuration, or by route, such as
   * `"get /v1/users"`, as in the endpoint's definition.
   */
  readonly inputSources?: Readonly<Record<string, readonly SourceName[]>> | undefined;
  /**
   * How the API parses queries.
   *
   * @default "simple"
   */
  readonly queryParser?: "extended" | "simple" | undefined;
  /**
   * Runs with the first response of each route whose header fields say that the route is deprecated. From another
   * origin, scripts in browsers see only fields that the API exposes. An error that it throws ends the call, as with
   * the other hooks.
   */
  readonly onDeprecated?: ((deprecation: RouteDeprecation) => unknown) | undefined;
  /**
   * Media types of responses to expect besides the usual ones, such as `text/plain` or `image/*`.
   *
   * Errors are expected to be JSON, and successes anything but HTML. Other responses, such as a proxy's error page, are
   * treated as unexpected. A generated client knows the media types and needs no such list.
   */
  readonly mediaTypes?: readonly string[] | undefined;
}

/** How the body of a response is read. */
export type BodyKind = "blob" | "json" | "none" | "text";

/** The run-time description of a route in a generated client. */
export interface RoutePlan {
  readonly sources?: readonly SourceName[];
  /** How the body is sent if it is not JSON; for a raw body, its media type. */
  readonly body?: string;
  /** The possible kinds of body, by declared status. */
  readonly replies?: Readonly<Record<number, readonly BodyKind[]>>;
  /** The name of the array of items in a page. */
  readonly items?: string;
}

/** The run-time descriptions of a generated client's routes, by keys such as `get /v1/users`. */
export type RoutePlans = Readonly<Record<string, RoutePlan>>;

/** A call to be sent. */
export interface Call extends CallRoute {
  readonly options: CallOptions;
  readonly client: ClientOptions;
  readonly plan: RoutePlan | undefined;
  /** The deprecated routes that `onDeprecated` has been told of. */
  readonly told: Set<string>;
  /** Whether `signal` must also abort the body, which is read after the call. */
  readonly isOpen?: boolean | undefined;
}
