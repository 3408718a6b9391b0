import type { MarkedEndpoint } from "../../define/endpoint/endpoint.ts";
import {
  anyObject,
  anything,
  checkOptions,
  group,
  type Checks,
} from "../../basics/messages/option-checks.ts";
import { DefinitionError } from "../../basics/errors.ts";
import type { Request } from "../../basics/http/express-objects.ts";
import type { Method } from "../../basics/http/method.ts";
import type { ServerConfig } from "../server/config/config.ts";
import type { LoggerMock, ResponseMock } from "./mocks.ts";

/** The request for a test: any property of an Express request, as the handler should see it. */
export interface RequestProps {
  /**
   * The method, in upper or lower case.
   *
   * @default GET if the endpoint declares it, otherwise the first declared method; with a `body`, the first declared
   * method that takes one
   */
  readonly method?: Uppercase<Method> | Method | "HEAD" | "OPTIONS" | undefined;
  /**
   * The request target, such as `/users?limit=5`; it determines `query` unless `query` is set.
   *
   * @default ""
   */
  readonly url?: string | undefined;
  readonly query?: Readonly<Record<string, unknown>> | undefined;
  /**
   * The body in its parsed form.
   *
   * @default {}
   */
  readonly body?: unknown;
  readonly params?: Readonly<Record<string, string | string[]>> | undefined;
  /** The headers; `content-type` defaults to `application/json`. */
  readonly headers?: Readonly<Record<string, string | readonly string[] | undefined>> | undefined;
  /** The files by name, as an upload would provide them: with `name`, `data`, `size`, `mimetype` and `mv`. */
  readonly files?: Readonly<Record<string, unknown>> | undefined;
  readonly [property: string]: unknown;
}

/** The options that `testEndpoint` and `testMiddleware` share. */
export interface TestOptions<LoggerProps extends object = object> {
  /** The request. */
  readonly requestProps?: RequestProps | undefined;
  /** The `locals` of the response. */
  readonly responseOptions?: { readonly locals?: Readonly<Record<string, unknown>> } | undefined;
  /**
   * The configuration; only options that affect a single endpoint have an effect.
   *
   * @default { cors: false, cookies: true }
   */
  readonly configProps?: Partial<ServerConfig> | undefined;
  /** Further members of the logger. The methods of its four severities always record. */
  readonly loggerProps?: LoggerProps | undefined;
  /**
   * Disconnects the client when aborted, as with `AbortSignal.timeout(100)` for an endless stream; at the earliest when
   * the request has arrived.
   */
  readonly signal?: AbortSignal | undefined;
}

/** Options for `testEndpoint`. */
export interface TestEndpointOptions<
  LoggerProps extends object = object,
> extends TestOptions<LoggerProps> {
  /** The endpoint under test. */
  readonly endpoint: MarkedEndpoint;
  /**
   * The context that the handler receives. No middleware runs, native and `around` ones included; the fields of the input
   * that only middlewares declare are taken as the request has them. Compilers do not check it, because the type of an
   * endpoint does not contain its context.
   *
   * @default what the middlewares return
   */
  readonly ctx?: object | undefined;
}

/** The result of a test. */
export interface TestResult<LoggerProps extends object = object> {
  /** The Express request that the handler saw. */
  readonly requestMock: Request;
  /** The Express response that the handler saw, with what the client received. */
  readonly responseMock: ResponseMock;
  readonly loggerMock: LoggerMock<LoggerProps>;
}

export const refuseTest = (where: string, text: string): never => {
  throw new DefinitionError("SLP_TEST_OPTIONS", `${where}: ${text}`);
};

const optionChecks: Checks = {
  requestProps: anyObject,
  responseOptions: group({ locals: anyObject }),
  configProps: anyObject,
  loggerProps: anyObject,
  signal: anything,
};

export const assertTestOptions = (where: string, options: object, own: Checks): void =>
  checkOptions(
    where,
    options,
    { ...own, ...optionChecks },
    (text) => new DefinitionError("SLP_TEST_OPTIONS", text),
  );
