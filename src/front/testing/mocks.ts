import type { Response } from "express";
import { severities, type Logger, type Severity } from "../../basics/logger/logger.ts";
import { overlay, type Members } from "../../basics/logger/guard-logger.ts";
import type { Received } from "./exchange-in-memory.ts";

/** The logged lines by severity, each as an array of arguments. */
export type Logs = Readonly<Record<Severity, unknown[][]>>;

/** A logger that records its lines. */
export type LoggerMock<Props extends object = object> = Logger &
  Omit<Props, Severity> & {
    /** Returns the lines logged so far, each as an array of arguments. */
    readonly _getLogs: () => Logs;
  };

/** Creates a logger that records its lines; members other than the four severities come from `props`. */
export const createLoggerMock = <Props extends object = object>(
  props?: Props,
): LoggerMock<Props> => {
  const logs: Logs = { debug: [], info: [], warn: [], error: [] };
  const recorders: Members = { _getLogs: () => logs };
  for (const severity of severities)
    recorders[severity] = (...line: unknown[]) => void logs[severity].push(line);
  return overlay(recorders, props ?? {}) as LoggerMock<Props>;
};

/** A body whose type is not known: every property may be read, and is of this type again. */
export interface JsonData {
  readonly [key: string]: JsonData;
}

/** Methods that return what the client has received. */
export interface ResponseMockMethods {
  /** Returns the status. */
  readonly _getStatusCode: () => number;
  /**
   * Returns the body, parsed as JSON. Name its type, or compare parts of it, as in `_getJSONData().data.id`.
   *
   * @throws Error when the body is not JSON
   */
  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- lets a test name the type without a cast
  readonly _getJSONData: <Data = JsonData>() => Data;
  /** Returns the headers by name in lower case, without connection headers. */
  readonly _getHeaders: () => Readonly<Record<string, string | string[]>>;
  /** Returns the body as a string. */
  readonly _getData: () => string;
  /** Returns the body as bytes. */
  readonly _getBuffer: () => Buffer;
  /** Returns whether the Content-Type declares the body to be JSON. */
  readonly _isJSON: () => boolean;
  /** Returns whether the response was ended. */
  readonly _isEndCalled: () => boolean;
  /** Returns whether the response was cut off before the client had received all of it. */
  readonly _isCut: () => boolean;
  /** Returns the redirect target, or an empty string if the response is not a redirect. */
  readonly _getRedirectUrl: () => string;
}

/** The response of a test: an Express response, with methods that return what the client has received. */
export type ResponseMock = Response & ResponseMockMethods;

/** The headers that a mock omits: those that node:http adds for the connection, and the date, which always differs. */
const connectionHeaders = new Set(["connection", "date", "keep-alive", "transfer-encoding"]);

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
    // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the interface declares it
    _getJSONData: <Data>() => parseJson(text()) as Data,
    _getHeaders: () => headers,
    _getData: text,
    _getBuffer: () => received?.body ?? Buffer.alloc(0),
    _isJSON: () => /^application\/(?:[^;]*\+)?json *(?:;|$)/i.test(String(headers["content-type"])),
    _isEndCalled: () => response.writableEnded,
    _isCut: () => received?.isCut ?? isSent,
    // with other statuses, `Location` may tell where a new resource is
    _getRedirectUrl: () => (status >= 300 && status < 400 ? String(headers["location"] ?? "") : ""),
  };
  return Object.assign(response, methods);
};

const toTexts = (headers: object): Received["headers"] =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]: [string, unknown]) => {
      const isList = Array.isArray(value) || name === "set-cookie";
      return [name, isList ? [value].flat().map(String) : String(value)];
    }),
  );

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch (cause) {
    const shown = text.length > 200 ? `${text.slice(0, 200)}…` : text;
    throw new Error(
      `The body of the response is not JSON; read it with _getData(). It is: ${shown === "" ? "(empty)" : shown}`,
      { cause },
    );
  }
};
