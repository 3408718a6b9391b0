import { createServer as createHttpServer } from "node:http";
import type { Request, Response } from "express";
import { DefinitionError } from "../errors.ts";
import { endpointMethods, type Method } from "../http/method.ts";
import { defaultInputSources, type InputSource } from "../endpoint/input-sources.ts";
import { isAbandoned, isTaken } from "../pipeline/response-state.ts";
import { createAppObjects } from "../server/assemble-server.ts";
import { checkServerConfig } from "../server/check-server-config.ts";
import type { ServerConfig } from "../server/config.ts";
import { connect } from "../server/express-objects.ts";
import { prepare, type Prepared } from "../server/prepare.ts";
import { collect, exchange, maxHeaderSize, type Received } from "./exchange.ts";
import { createLoggerMock, toResponseMock } from "./mocks.ts";
import type { RequestProps, TestOptions, TestResult } from "./test-options.ts";

/** A request on its way, for what is under test. */
export interface Scene {
  readonly config: ServerConfig;
  readonly prepared: Prepared;
  readonly request: Request;
  readonly response: Response;
  readonly method: Method;
  readonly sources: readonly InputSource[];
  readonly isPreflight: boolean;
}

const knownMethods = [...endpointMethods.map((method) => method.toUpperCase()), "HEAD", "OPTIONS"];

/** @throws {@link DefinitionError} when the method is none. */
const toMethod = (where: string, method: unknown): string => {
  const upper = typeof method === "string" ? method.toUpperCase() : undefined;
  if (upper !== undefined && knownMethods.includes(upper)) return upper;
  throw new DefinitionError(
    "SLP_TEST_METHOD",
    `${where}: requestProps.method must be one of ${knownMethods.join(", ")}; got ${JSON.stringify(method)}.`,
  );
};

/**
 * Runs what is under test between a client and a server of node:http that are connected within this process.
 *
 * @param declared the methods that are declared, where some are
 * @throws {@link DefinitionError} when the method is wrong, ConfigError when the configuration is.
 */
export const runInMemory = async <LoggerProps extends object>(
  where: string,
  options: TestOptions<LoggerProps>,
  declared: readonly Method[] | undefined,
  act: (scene: Scene) => Promise<void>,
): Promise<TestResult<LoggerProps>> => {
  const props = options.requestProps ?? {};
  const byDefault = !declared || declared.includes("get") ? "get" : declared[0];
  const sent = toMethod(where, props.method ?? byDefault);
  const isPreflight = sent === "OPTIONS";
  const method = (sent === "HEAD" || isPreflight ? "get" : sent.toLowerCase()) as Method;
  if (declared && !isPreflight && !declared.includes(method))
    throw new DefinitionError(
      "SLP_TEST_METHOD",
      `${where}: the endpoint answers ${declared.join(", ").toUpperCase()} only, and requestProps.method is ${sent}; a server would answer 405.`,
    );

  const loggerMock = createLoggerMock(options.loggerProps);
  const config: ServerConfig = {
    cors: false,
    accessLogger: null,
    ...options.configProps,
    logger: loggerMock,
  };
  checkServerConfig(config);
  const prepared = prepare(config, {});
  const classes = createAppObjects(prepared, config);
  let requestMock: Request | undefined;
  let responseMock: Response | undefined;
  let acting: Promise<boolean> | undefined;
  const serverOptions = { ...classes, maxHeaderSize };
  const server = createHttpServer(serverOptions, (message, reply) => {
    const request = (requestMock = message as Request);
    const response = (responseMock = reply as Response);
    connect(request, response);
    applyProps(request, props);
    Object.assign(response.locals, options.responseOptions?.locals);
    const sources = config.inputSources?.[method] ?? defaultInputSources[method];
    acting = perform(act, {
      ...{ config, prepared, request, response, method, sources, isPreflight },
    });
  });
  let receiving: Promise<Received> | undefined;
  const headers = { Host: "localhost", ...toSentHeaders(props.headers) };
  const { signal } = options;
  try {
    await exchange(server, { method: sent, target: "/", headers, signal }, (message) => {
      receiving = collect(message);
    });
  } catch (error) {
    if (!signal?.aborted) throw error;
  }
  const received = await receiving;
  const isSent = (await acting) ?? false;
  return {
    requestMock: requestMock as Request,
    responseMock: toResponseMock(responseMock as Response, received, isSent),
    loggerMock,
  };
};

/** @returns false where nothing was sent, as by most middlewares */
const perform = async (act: (scene: Scene) => Promise<void>, scene: Scene): Promise<boolean> => {
  const { prepared, request, response } = scene;
  try {
    // as a server does: where there is nothing to wait for, the handler begins before anything else is done
    const beginning = prepared.begin(request, response);
    if (beginning) await beginning;
    await act(scene);
  } catch (error) {
    await prepared.dispatcher.fail(error, request, response);
  }
  if (isTaken(response) || isAbandoned(response)) return true;
  response.destroy();
  return false;
};

/** Fields that say how a message is framed; the handler sees them, but the connection must not act on them. */
const framingHeaders: ReadonlySet<string> = new Set([
  ...["connection", "content-length", "expect", "keep-alive", "te", "trailer"],
  ...["transfer-encoding", "upgrade"],
]);

type Headers = Record<string, string | readonly string[]>;

const toSentHeaders = (given: RequestProps["headers"] = {}): Headers =>
  Object.fromEntries([
    ["content-type", "application/json"],
    ...Object.entries(given)
      .map(([name, value]): [string, string | readonly string[]] => [name.toLowerCase(), value])
      .filter(([name]) => !framingHeaders.has(name)),
  ]);

const applyProps = (request: Request, { headers, ...props }: RequestProps): void => {
  for (const name of framingHeaders) delete request.headers[name];
  for (const [name, value] of Object.entries(headers ?? {}))
    if (framingHeaders.has(name.toLowerCase()))
      request.headers[name.toLowerCase()] = value as string | string[];
  const { method: _method, url = "", body = {}, params = {}, ...others } = props;
  request.url = url;
  request.originalUrl = url;
  request.body = body;
  // without a length there is no body for Express' `request.is`
  if (props.body !== undefined && !request.headers["transfer-encoding"])
    request.headers["content-length"] ??= toLength(body);
  request.params = params as Request["params"];
  // many properties of an Express request are getters
  for (const [name, value] of Object.entries(others))
    if (value !== undefined)
      Object.defineProperty(request, name, {
        ...{ value, configurable: true, enumerable: true, writable: true },
      });
};

/** The length that a body would have on the wire. */
const toLength = (body: unknown): string | undefined => {
  if (Buffer.isBuffer(body)) return String(body.length);
  try {
    return String(Buffer.byteLength(typeof body === "string" ? body : JSON.stringify(body)));
  } catch {
    return undefined;
  }
};
