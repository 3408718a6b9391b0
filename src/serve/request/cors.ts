import type { AnyEndpoint } from "../../define/endpoint/endpoint.ts";
import { isPromiseLike, type MaybePromise } from "../../define/endpoint/handler-arguments.ts";
import { ServerFault } from "../../basics/errors.ts";
import type { Request, Response } from "../../basics/http/express-objects.ts";
import { toAllowed, type Method } from "../../basics/http/method.ts";
import { toErrorStatus } from "../../wire/reply/http-error.ts";
import type { Exchange } from "../../wire/exchange/exchange.ts";
import type { Logger } from "../../basics/logger/logger.ts";

/** The argument of a `cors` function. */
export interface CorsArguments {
  /** The headers that `cors: true` sends. */
  readonly defaultHeaders: Record<string, string>;
  readonly request: Request;
  /**
   * The matched endpoint; for a preflight, the endpoint for the requested method. It is undefined for static files and
   * for paths without an endpoint; these responses need CORS headers too, because browsers would otherwise report a 404
   * as a CORS error.
   */
  readonly endpoint: AnyEndpoint | undefined;
  readonly logger: Logger;
}

/** Returns the CORS headers for a response, which replace the default ones. */
export type CorsFunction = (args: CorsArguments) => MaybePromise<Record<string, string>>;

/** The `cors` option: `true` for the default headers, `false` for none, or a function. */
export type CorsOption = boolean | CorsFunction;

/** The headers that `cors: true` sends. */
export const defaultCorsHeaders: Readonly<Record<string, string>> = {
  "Access-Control-Allow-Origin": "*",
  "Access-Control-Allow-Methods": "GET, POST, PUT, PATCH, DELETE, OPTIONS",
  "Access-Control-Allow-Headers": "Content-Type, Authorization",
};

export const setDefaultCorsHeaders = (response: Response): void => {
  for (const name in defaultCorsHeaders) response.setHeader(name, defaultCorsHeaders[name] ?? "");
};

const methodsField = "Access-Control-Allow-Methods";

/** Adds the methods of a path that the default headers lack, such as QUERY, to a list. */
const addMethods = (list: string, declared: readonly Method[]): string => {
  const known = list.split(", ");
  const names = declared.map((method) => method.toUpperCase());
  return [...known, ...names.filter((name) => !known.includes(name))].join(", ");
};

/**
 * Calls a `cors` function and sets the headers that it returns, with `Vary: Origin` unless the origin is `*`, along
 * with which credentials are never sent. If the function fails, or returns what cannot be sent, no header is set.
 *
 * @param declared the methods of the path, for a preflight
 * @returns the names of the header fields that were set
 * @see Fetch standard, "CORS protocol and credentials"
 */
export const setCorsHeaders = async (
  cors: CorsFunction,
  { request, response, logger }: Exchange,
  endpoint: AnyEndpoint | undefined,
  declared: readonly Method[] = [],
): Promise<Iterable<string>> => {
  const defaultHeaders: Record<string, string> = { ...defaultCorsHeaders };
  if (declared.length > 0)
    defaultHeaders[methodsField] = addMethods(defaultHeaders[methodsField] ?? "", declared);
  const returned = cors({ defaultHeaders, request, endpoint, logger });
  const headers = toHeaders(isPromiseLike(returned) ? await returned : returned);
  const find = (wanted: string): unknown =>
    headers.findLast(([name]) => name.toLowerCase() === wanted)?.[1];
  const isAny = find("access-control-allow-origin") === "*";
  const isRefused = isAny && find("access-control-allow-credentials") === "true";
  if (isRefused) warnOfCredentials(cors, logger);
  const before: (readonly [name: string, value: ReturnType<Response["getHeader"]>])[] = [];
  for (const [name, value] of headers) {
    if (isRefused && name.toLowerCase() === "access-control-allow-credentials") continue;
    try {
      if (typeof value !== "string") throw new TypeError(`The value is no string: ${typeof value}`);
      const known = response.getHeader(name);
      response.setHeader(name, value);
      before.push([name, known]);
    } catch (cause) {
      for (const [one, known] of before)
        if (known === undefined) response.removeHeader(one);
        else response.setHeader(one, known);
      const text = `The cors function returned a header that cannot be sent: ${JSON.stringify(name)}`;
      throw new ServerFault("SLP_CORS_HEADERS", text, cause);
    }
  }
  if (!isAny && response.hasHeader("Vary")) response.vary("Origin");
  else if (!isAny) response.setHeader("Vary", "Origin");
  return before.map(([name]) => name);
};

/**
 * Sets the CORS headers of the response to a request without an endpoint. If the function fails, for example because it
 * relies on `endpoint`, there are none: a 404 is better than the 500 that the error would cause.
 *
 * @returns the names of the header fields that were set
 */
export const setCorsHeadersOfOther = async (
  cors: CorsFunction,
  state: Exchange,
): Promise<Iterable<string>> => {
  try {
    return await setCorsHeaders(cors, state, undefined);
  } catch (error) {
    // a deliberate rejection is not a failure
    if (toErrorStatus(error) < 500 || warnedOfEndpoint.has(cors)) return [];
    warnedOfEndpoint.add(cors);
    state.logger.error(
      "SLP_CORS_ENDPOINT: the cors function failed for a path without an endpoint, for which `endpoint` is undefined, so the response has no CORS headers. Check `endpoint` in the function.",
      { error },
    );
    return [];
  }
};

/**
 * Responds to an OPTIONS request, which usually is a preflight. No middleware runs: a preflight carries no credentials,
 * and must not be counted.
 *
 * @param declared the methods of the path
 * @see https://www.rfc-editor.org/rfc/rfc9110#section-9.3.7
 */
export const sendPreflight = (
  response: Response,
  cors: CorsOption,
  declared: readonly Method[],
): void => {
  // a function has received these methods, and may have left them out
  const list = cors === true && response.getHeader(methodsField);
  if (typeof list === "string") response.setHeader(methodsField, addMethods(list, declared));
  if (!response.hasHeader("Allow")) response.setHeader("Allow", toAllowed(declared, true));
  response.writeHead(200, { "Content-Length": 0 });
  response.end();
};

const warnedOfEndpoint = new WeakSet<CorsFunction>();

const warnedOfCredentials = new WeakSet<CorsFunction>();

const warnOfCredentials = (cors: CorsFunction, logger: Logger): void => {
  if (warnedOfCredentials.has(cors)) return;
  warnedOfCredentials.add(cors);
  logger.error(
    "SLP_CORS_CREDENTIALS: the cors function allows credentials together with the origin *, which browsers reject; the credentials header was dropped. Return an exact origin instead.",
  );
};

/** Lists the names and values of the headers that a `cors` function has returned. */
const toHeaders = (given: unknown): readonly [name: string, value: unknown][] => {
  if (given === undefined || given === null) return [];
  const prototype: unknown = typeof given === "object" && Object.getPrototypeOf(given);
  // the prototype of plain objects, of whatever realm, has none
  if (prototype !== null && Object.getPrototypeOf(prototype) !== null)
    throw new ServerFault(
      "SLP_CORS_HEADERS",
      "The cors function must return a plain object of header names and values",
    );
  return Object.entries(given).filter(([, value]) => value !== undefined);
};
