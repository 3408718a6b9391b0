import type { CallRoute } from "./client-errors.ts";

/** Sends a request, as the global `fetch` does. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** Header fields; one that is undefined is left out. */
export type HeaderFields = Headers | Readonly<Record<string, string | undefined>>;

/** Header fields, or a function that gives them for each attempt. */
export type HeaderSource = HeaderFields | (() => HeaderFields | Promise<HeaderFields>);

/** When and how often a request is sent again. */
export interface RetryOptions {
  /** How many times at most, beside the first. */
  readonly limit: number;
  /**
   * The upper bound of the first wait, in milliseconds; it doubles with each, and the wait is random below it.
   *
   * @default 300
   */
  readonly delay?: number | undefined;
  /**
   * The longest wait, in milliseconds. A reply whose `Retry-After` asks for a longer one is returned.
   *
   * @default 30000
   */
  readonly maxDelay?: number | undefined;
  /**
   * Which methods, in lower case.
   *
   * @default ["get", "put", "delete"], which are idempotent
   */
  readonly methods?: readonly string[] | undefined;
}

/** One attempt at a call, as hooks see it. */
export interface Attempt extends CallRoute {
  readonly url: string;
  /** What is sent; `onRequest` may change it. */
  readonly headers: Headers;
  /** Counted from 1. */
  readonly attempt: number;
}

/** How much of a request's body has been sent, in bytes. */
export interface UploadProgress {
  readonly loaded: number;
  readonly total: number;
}

/** What can be set for all calls as well as for a single one. */
export interface SharedOptions {
  /** Header fields to send; those of a call beat those of the client. */
  readonly headers?: HeaderSource | undefined;
  /**
   * What sends the requests.
   *
   * @default the global `fetch`
   */
  readonly fetch?: Fetch | undefined;
  /** Whether cookies are sent to another origin and taken from it. */
  readonly credentials?: "include" | "omit" | "same-origin" | undefined;
  /**
   * How long an attempt may take until its response is read, in milliseconds; that of an event stream, until it begins.
   *
   * @default no limit
   */
  readonly timeout?: number | undefined;
  /**
   * How often a request is sent again after a network error, a timeout or a status of 408, 425, 429, 502, 503 or 504.
   *
   * @default 0
   */
  readonly retry?: number | RetryOptions | undefined;
  /** Runs before each attempt. */
  readonly onRequest?: ((attempt: Attempt) => unknown) | undefined;
  /** Runs with each response, before its body is read. */
  readonly onResponse?: ((attempt: Attempt, response: Response) => unknown) | undefined;
  /** Runs before an error of the call is thrown. */
  readonly onError?: ((error: unknown, route: CallRoute) => unknown) | undefined;
}

/** Options of one call. */
export interface CallOptions extends SharedOptions {
  /** Aborts the call. */
  readonly signal?: AbortSignal | null | undefined;
  /**
   * Told how much of the body has been sent, where the platform has `XMLHttpRequest`, as browsers do.
   *
   * The request is then sent by that, so `fetch` is not used.
   */
  readonly onUploadProgress?: ((progress: UploadProgress) => void) | undefined;
}

/** Options of a subscription. */
export interface SubscribeOptions extends Omit<CallOptions, "onUploadProgress" | "retry"> {
  /** The id of the last event that was received before, to go on after it. */
  readonly lastEventId?: string | undefined;
  /**
   * How long to wait before the stream is opened anew, in milliseconds; what the server asks for beats it. It doubles with
   * each failure in a row, and the wait is random below it.
   *
   * @default 1000
   */
  readonly delay?: number | undefined;
  /**
   * The longest of these waits, in milliseconds.
   *
   * @default 30000
   */
  readonly maxDelay?: number | undefined;
}

/** A part of a request that feeds the input of an endpoint. */
export type SourceName =
  | ("body" | "cookies" | "files" | "headers" | "params")
  | ("query" | "signedCookies");

/** Options of a client. */
export interface ClientOptions extends SharedOptions {
  /** Where the API is, such as `https://api.example.com` or `/api`; a path is kept. */
  readonly baseUrl: string;
  /**
   * The sources of the input where they differ from the defaults, by method, as in the configuration of the API, or by route,
   * such as `"get /v1/users"`, as in the definition of the endpoint.
   */
  readonly inputSources?: Readonly<Record<string, readonly SourceName[]>> | undefined;
  /**
   * How the API parses queries.
   *
   * @default "simple"
   */
  readonly queryParser?: "extended" | "simple" | undefined;
  /**
   * Media types of responses to expect beside the usual ones, such as `text/plain` or `image/*`.
   *
   * Errors are usually JSON, and successes anything but HTML; whatever else comes is taken for the page of a proxy. A
   * generated client knows the media types, and needs no such list.
   */
  readonly mediaTypes?: readonly string[] | undefined;
}

/** What a body is read as. */
export type BodyKind = "blob" | "json" | "none" | "text";

/** What a generated client knows of a route. */
export interface RoutePlan {
  readonly sources?: readonly SourceName[];
  /** How the body is sent where that is not JSON. */
  readonly body?: "form" | "raw";
  /** What each declared status has for a body. */
  readonly replies?: Readonly<Record<number, readonly BodyKind[]>>;
  /** The name of the array in a page. */
  readonly items?: string;
  /** Changes the body of a status, as where dates are revived. */
  readonly revive?: Readonly<Record<number, (body: unknown) => unknown>>;
  /** Changes an event. */
  readonly reviveEvent?: (event: unknown) => unknown;
}

/** What a generated client knows of its routes, by keys such as `get /v1/users`. */
export type RoutePlans = Readonly<Record<string, RoutePlan>>;

/** A call that is to be sent. */
export interface Call extends CallRoute {
  readonly options: CallOptions;
  readonly client: ClientOptions;
  readonly plan: RoutePlan | undefined;
}
