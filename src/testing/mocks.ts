import type { Response } from "express";
import { severities, type Logger, type Severity } from "../logger/logger.ts";
import type { Received } from "./exchange.ts";

/** The arguments of each call, by severity. */
export type Logs = Readonly<Record<Severity, unknown[][]>>;

/** A logger that remembers its lines. */
export type LoggerMock<Props extends object = object> = Logger &
  Omit<Props, Severity> & {
    /** Gives the lines so far: a list of arguments for each. */
    readonly _getLogs: () => Logs;
  };

/** Makes a logger that remembers its lines; other members than the four severities are those of `props`. */
export const createLoggerMock = <Props extends object = object>(
  props?: Props,
): LoggerMock<Props> => {
  const logs: Logs = { debug: [], info: [], warn: [], error: [] };
  const recorders: object = {
    ...Object.fromEntries(
      severities.map((severity) => [
        severity,
        (...line: unknown[]) => void logs[severity].push(line),
      ]),
    ),
    _getLogs: () => logs,
  };
  if (!props) return recorders as LoggerMock<Props>;
  const isInstance = ![null, Object.prototype].includes(Object.getPrototypeOf(props) as object);
  return new Proxy(recorders, {
    get: (_target, key): unknown => {
      if (Object.hasOwn(recorders, key)) return Reflect.get(recorders, key);
      const value: unknown = Reflect.get(props, key);
      // private members are those of the instance; a plain object writes its lines to the mock
      return typeof value === "function" && isInstance ? (value.bind(props) as unknown) : value;
    },
    has: (_target, key) => Object.hasOwn(recorders, key) || Reflect.has(props, key),
    getPrototypeOf: () => Reflect.getPrototypeOf(props),
    ownKeys: () => [...new Set([...Reflect.ownKeys(recorders), ...Reflect.ownKeys(props)])],
    getOwnPropertyDescriptor: (_target, key) => {
      const own = [recorders, props].find((one) => Object.hasOwn(one, key));
      return (
        own && { value: Reflect.get(own, key) as unknown, configurable: true, enumerable: true }
      );
    },
  }) as LoggerMock<Props>;
};

/** What a client has received, beside the response as the application has seen it. */
export interface ResponseMockMethods {
  /** The status. */
  readonly _getStatusCode: () => number;
  /** The body parsed as JSON. @throws Error when it is none */
  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- what a test expects, instead of a cast
  readonly _getJSONData: <Data = unknown>() => Data;
  /** The headers by their names in lower case, without those of the connection. */
  readonly _getHeaders: () => Readonly<Record<string, string | string[]>>;
  /** The body as text. */
  readonly _getData: () => string;
  /** The body as bytes. */
  readonly _getBuffer: () => Buffer;
  /** Whether the body is declared to be JSON. */
  readonly _isJSON: () => boolean;
  /** Whether the response was ended. */
  readonly _isEndCalled: () => boolean;
  /** Whether the response was broken off, so that the client has not received all of it. */
  readonly _isCut: () => boolean;
  /** Where the response redirects to; empty where it does not. */
  readonly _getRedirectUrl: () => string;
}

/** The response of a test, an Express response with what the client has received. */
export type ResponseMock = Response & ResponseMockMethods;

/** Fields of the connection, which node:http adds, and the date, which differs each time. */
const connectionHeaders: ReadonlySet<string> = new Set([
  "connection",
  "date",
  "keep-alive",
  "transfer-encoding",
]);

/**
 * Adds what the client has received.
 *
 * @param isSent false where nobody has meant to send anything
 */
export const toResponseMock = (
  response: Response,
  received: Received | undefined,
  isSent: boolean,
): ResponseMock => {
  const text = (): string => received?.body.toString() ?? "";
  const status = received?.status ?? response.statusCode;
  const all = received?.headers ?? toTexts(response.getHeaders());
  const isShown = ([name]: [string, unknown]): boolean =>
    !connectionHeaders.has(name) || response.hasHeader(name);
  const headers = Object.fromEntries(Object.entries(all).filter(isShown));
  const methods: ResponseMockMethods = {
    _getStatusCode: () => status,
    // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- as declared
    _getJSONData: <Data>() => parseJson(text()) as Data,
    _getHeaders: () => headers,
    _getData: text,
    _getBuffer: () => received?.body ?? Buffer.alloc(0),
    _isJSON: () => /^application\/(?:[^;]*\+)?json *(?:;|$)/i.test(String(headers["content-type"])),
    _isEndCalled: () => response.writableEnded,
    _isCut: () => received?.isCut ?? isSent,
    _getRedirectUrl: () => (isRedirect(status) ? String(headers["location"] ?? "") : ""),
  };
  return Object.assign(response, methods);
};

/** A `Location` says as well where a new thing is. */
const isRedirect = (status: number): boolean => status >= 300 && status < 400;

const toTexts = (headers: object): Received["headers"] =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]: [string, unknown]) => [
      name,
      Array.isArray(value)
        ? value.map(String)
        : name === "set-cookie"
          ? [String(value)]
          : String(value),
    ]),
  );

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch (cause) {
    const shown = text.length > 200 ? `${text.slice(0, 200)}…` : text;
    throw new Error(
      `The body of the response is no JSON; read it with _getData(). It is: ${shown === "" ? "(empty)" : shown}`,
      { cause },
    );
  }
};
