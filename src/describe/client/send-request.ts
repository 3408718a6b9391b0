import { isStreamed, type BuiltRequest } from "./build-request.ts";
import type {
  Attempt,
  Call,
  Fetch,
  HeaderFields,
  RetryOptions,
  SharedOptions,
  UploadProgress,
} from "./call-options.ts";
import {
  AbortedError,
  NetworkError,
  RedirectError,
  TimeoutError,
  type CallRoute,
} from "./client-errors.ts";
import { idempotentMethods, isSafe } from "./method-patterns.ts";

interface ProgressRequest {
  responseType: string;
  withCredentials: boolean;
  readonly upload: {
    addEventListener(name: "progress", listener: (progress: UploadProgress) => void): void;
  };
  readonly response: Blob;
  readonly status: number;
  readonly statusText: string;
  addEventListener(name: "loadend", listener: () => void): void;
  open(method: string, url: string): void;
  setRequestHeader(name: string, value: string): void;
  send(body: unknown): void;
  abort(): void;
  getAllResponseHeaders(): string;
}

/** Returns a `fetch` that reports how much of the body it has sent, if there is a listener and `XMLHttpRequest`. */
const toProgressFetch = (
  onProgress: "" | ((progress: UploadProgress) => void) | undefined,
): Fetch | undefined => {
  const { XMLHttpRequest: Request } = globalThis as unknown as {
    readonly XMLHttpRequest?: new () => ProgressRequest;
  };
  if (!Request || !onProgress) return undefined;
  return (url, { method, headers, body, credentials, signal }) =>
    new Promise((resolve, reject) => {
      if (signal?.aborted) throw signal.reason;
      const request = new Request();
      request.open(method as string, url);
      request.responseType = "blob";
      request.withCredentials = credentials === "include";
      (headers as Headers).forEach((value, name) => request.setRequestHeader(name, value));
      request.upload.addEventListener("progress", onProgress);
      request.addEventListener("loadend", () => {
        // after an error or an abort, there is no status
        if (request.status) resolve(toResponse(request));
        else reject(new TypeError("The upload failed"));
      });
      signal?.addEventListener("abort", () => request.abort());
      request.send(body);
    });
};

const toResponse = (request: ProgressRequest): Response => {
  const { status, statusText } = request;
  const fields = request.getAllResponseHeaders().matchAll(/^([^:\r\n]+):(.*)$/gm);
  const headers = new Headers(Array.from(fields, (field) => field.slice(1) as [string, string]));
  const body = [204, 205, 304].includes(status) ? null : request.response;
  return new Response(body, { status, statusText, headers });
};

/**
 * Sends a request with `redirect: "manual"`, and follows redirects within its origin as `fetch` does.
 *
 * @see https://fetch.spec.whatwg.org/#http-redirect-fetch
 */
const followRedirects = async (
  route: CallRoute,
  send: Fetch,
  url: string,
  { headers, ...init }: RequestInit & { readonly headers: Headers },
): Promise<Response> => {
  for (let redirects = 0; ; redirects++) {
    const response = await send(url, { ...init, headers });
    if (response.type === "opaqueredirect")
      throw new RedirectError(route, "an origin that browsers hide");
    const { status } = response;
    const location = response.headers.get("location");
    if (location === null || !/^30[12378]$/.test(String(status))) return response;
    await response.body?.cancel?.();
    // a `fetch` for tests may accept a path alone
    const from = new URL(response.url || url, "http://localhost");
    const to = new URL(location, from);
    if (to.origin !== from.origin) throw new RedirectError(route, to.origin);
    // the limit of `fetch`
    if (redirects === 20) throw new TypeError("too many redirects");
    if (status === 303 || (status < 303 && init.method === "POST")) {
      init.method = "GET";
      init.body = null;
      headers.delete("content-type");
    }
    url = to.href;
  }
};

/** The longest time that timers accept, roughly, in milliseconds. */
const maxTime = 2e9;

export const readOption = <Name extends keyof SharedOptions>(
  { options, client }: Call,
  name: Name,
): SharedOptions[Name] => options[name] ?? client[name];

export const fail = async (call: Call, error: unknown): Promise<never> => {
  for (const { onError } of [call.client, call.options]) await onError?.(error, call);
  throw error;
};

/**
 * Sends a request, retries it if that may help, and reads its response.
 *
 * @param read reads the response within the time limit of the attempt
 */
export const sendRequest = async <Result extends { readonly response: Response }>(
  call: Call,
  request: BuiltRequest,
  read: (response: Response) => Promise<Result>,
): Promise<Result> => {
  const { method, path } = call;
  const retry = readOption(call, "retry") ?? 0;
  const hasKey = readOption(call, "idempotency") && !idempotentMethods.includes(method);
  const {
    limit = Number(retry),
    delay = 300,
    maxDelay = 30_000,
    methods = hasKey ? [method] : idempotentMethods,
  } = retry as Partial<RetryOptions>;
  // no method's name is part of another's
  const retries = methods.join().toUpperCase().includes(method) ? limit : 0;
  // browsers have `crypto.randomUUID` only on pages with HTTPS and on localhost
  const key = hasKey && crypto.getRandomValues(new Uint32Array(4)).join("-");
  const defaults = { ...request.defaults, ...(key && { "idempotency-key": key }) };
  for (let number = 1; ; number++) {
    let least = 0;
    const attempt = { method, path, url: request.url, headers: new Headers(), attempt: number };
    // a write that has succeeded no longer meets its conditions
    const isLast = (): boolean =>
      !(number <= retries) ||
      // it has been read
      isStreamed(request.body) ||
      least > maxDelay ||
      (methods === idempotentMethods &&
        !isSafe(method) &&
        toEntries(attempt.headers).some(([name]) => name.startsWith("if-")));
    try {
      const result = await runWithin(call, (signal) =>
        exchange(call, { ...request, defaults }, attempt, signal, (response) => {
          // now, because the body may break off
          if (isTemporary(response, hasKey)) least = toAskedTime(response);
          return read(response);
        }),
      );
      if (!isTemporary(result.response, hasKey) || isLast()) return result;
    } catch (error) {
      if (!isTransient(error, call) || isLast()) throw error;
    }
    await waitFor(Math.max(least, toWait(delay, maxDelay, number - 1)), call.options.signal);
  }
};

/** Checks whether a request may succeed later; a 409 may say that an earlier attempt with the key is still running. */
export const isTemporary = ({ status, headers }: Response, hasKey?: boolean): boolean | undefined =>
  /408|42[59]|50[2-4]|52[0-4]/.test(String(status)) ||
  (hasKey && status === 409 && headers.has("retry-after"));

/** Returns how long a response asks to wait, in milliseconds. */
export const toAskedTime = ({ headers }: Response): number => {
  const asked = headers.get("retry-after") ?? "";
  // two proxies may both have asked
  return parseFloat(asked) * 1000 || Date.parse(asked) - Date.now() || 0;
};

/** Checks whether an error is a temporary failure of a call, and not of another one that a hook has made. */
export const isTransient = (error: unknown, { method, path }: CallRoute): boolean =>
  (error instanceof NetworkError || error instanceof TimeoutError) &&
  error.method === method &&
  error.path === path;

/** Returns a random delay, so that clients rejected together do not retry together. */
export const toWait = (delay: number, maxDelay: number, failures: number): number =>
  Math.random() * Math.min(maxDelay, delay * 2 ** failures);

/** Waits for a result, if there is one, but only until a time has passed or a signal is aborted. */
export const waitFor = async <Result>(
  milliseconds: number,
  signal: AbortSignal | null | undefined,
  result?: Promise<Result>,
): Promise<Result | undefined> => {
  let end!: (ended?: unknown) => void;
  const ended = new Promise<undefined>((resolve) => (end = () => resolve(undefined)));
  // longer times would end at once
  const timer =
    milliseconds === Infinity ? undefined : setTimeout(end, Math.min(milliseconds, maxTime));
  signal?.addEventListener("abort", end);
  if (signal?.aborted) end();
  try {
    return await Promise.race([ended, result ?? ended]);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", end);
  }
};

/** Runs an attempt, but only until its time has passed or the call is aborted. */
const runWithin = async <Result>(
  call: Call,
  attempt: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> => {
  const { signal } = call.options;
  if (signal?.aborted) throw new AbortedError(call, signal.reason);
  const timeout = readOption(call, "timeout") || Infinity;
  const controller = new AbortController();
  const stop = (): void => controller.abort();
  // a `fetch` or a hook that ignores the signal must not block the caller
  const waiting = waitFor(timeout, signal, attempt(controller.signal));
  if (call.isOpen) signal?.addEventListener("abort", stop);
  const result = await waiting;
  if (result) return result;
  stop();
  throw signal?.aborted ? new AbortedError(call, signal.reason) : new TimeoutError(call, timeout);
};

const exchange = async <Result>(
  call: Call,
  { body, defaults, headers: own }: BuiltRequest,
  attempt: Attempt,
  signal: AbortSignal,
  read: (response: Response) => Promise<Result>,
): Promise<Result> => {
  const { options, client } = call;
  const { method, url, headers } = attempt;
  const both: readonly SharedOptions[] = [client, options];
  for (const source of [defaults, client.headers, options.headers, own])
    for (const [name, value] of toEntries(typeof source === "function" ? await source() : source))
      if (value !== undefined) headers.set(name, value);
  for (const { onRequest } of both) await onRequest?.(attempt);
  const credentials = readOption(call, "credentials");
  // the global `fetch` is looked up late, because tests replace it
  const send =
    toProgressFetch(body && options.onUploadProgress) ?? readOption(call, "fetch") ?? fetch;
  // `fetch` ignores members that are undefined
  // a stream needs `duplex`, which nothing else minds
  const init = { method, headers, signal, body, credentials, duplex: "half" } as RequestInit & {
    readonly headers: Headers;
  };
  const isBare = !body && credentials !== "include" && toEntries(headers).length === 0;
  const response = await toNetworkError(call, () =>
    isBare || readOption(call, "crossOriginRedirects")
      ? send(url, init)
      : followRedirects(call, send, url, { ...init, redirect: "manual" }),
  );
  await tellDeprecation(call, response);
  for (const { onResponse } of both) await onResponse?.(attempt, response);
  return read(response);
};

/** Calls `onDeprecated` for the first response that says that its route is deprecated. */
const tellDeprecation = async (
  { method, path, client: { onDeprecated }, told }: Call,
  { headers }: Response,
): Promise<void> => {
  const since = headers.get("deprecation");
  const key = `${method} ${path}`;
  if (!onDeprecated || since === null || told.has(key)) return;
  told.add(key);
  const toDate = (time: number | string): Date | undefined => {
    const date = new Date(time);
    return date.getTime() ? date : undefined;
  };
  await onDeprecated({
    ...{ method, path },
    since: toDate(Number(since.slice(1)) * 1000),
    sunset: toDate(headers.get("sunset") ?? ""),
    replacement: headers
      .get("link")
      ?.split("<")
      .find((link) =>
        /; ?rel="?([^",;]+)/
          .exec(link.toLowerCase())?.[1]
          ?.split(" ")
          .includes("successor-version"),
      )
      ?.split(">")[0],
  });
};

/** @throws {@link RedirectError}, or {@link NetworkError} with the function's error as its cause. */
export const toNetworkError = async <Result>(
  call: Call,
  work: () => Promise<Result>,
): Promise<Result> => {
  try {
    return await work();
  } catch (error) {
    throw error instanceof RedirectError ? error : new NetworkError(call, error);
  }
};

/** Lists header fields; the `Headers` may be of another implementation, and some are not iterable. */
const toEntries = (
  fields: HeaderFields = {},
): readonly (readonly [string, string | undefined])[] => {
  if (typeof fields.forEach !== "function") return Object.entries(fields);
  const entries: [string, string][] = [];
  (fields as Headers).forEach((value, name) => entries.push([name, value]));
  return entries;
};
