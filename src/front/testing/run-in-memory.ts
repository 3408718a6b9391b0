import { createServer } from "node:http";
import type { Request, Response } from "express";
import type { AnyEndpoint } from "../../define/endpoint/endpoint.ts";
import { show } from "../../basics/messages/show.ts";
import { DefinitionError } from "../../basics/errors.ts";
import {
  endpointMethods,
  methodsByName,
  methodFacts,
  type Method,
} from "../../basics/http/method.ts";
import { RequestState } from "../../serve/pipeline/request-state.ts";
import { checkServerConfig } from "../server/config/check-config.ts";
import type { ServerConfig } from "../server/config/config.ts";
import { createExpressObjects } from "../server/express/express-app.ts";
import { prepareApi, type PreparedApi } from "../server/prepare-api.ts";
import { isExpressLoaded } from "../../basics/lazy/packages.cjs";
import { collect, exchangeInMemory, maxHeaderSize, type Received } from "./exchange-in-memory.ts";
import { createLoggerMock, toResponseMock } from "./mocks.ts";
import { applyRequestProps, defineProps, toSentHeaders } from "./apply-request-props.ts";
import type { TestOptions, TestResult } from "./test-options.ts";

export interface Scene {
  readonly config: ServerConfig;
  readonly prepared: PreparedApi;
  readonly state: RequestState;
  readonly method: Method;
  readonly isPreflight: boolean;
}

const knownMethods = [...endpointMethods.map((method) => method.toUpperCase()), "HEAD", "OPTIONS"];

const toDefaultMethod = (hasBody: boolean, methods: readonly Method[] = endpointMethods) => {
  const taking = methods.find((method) => methodFacts[method].takesBody);
  if (hasBody && taking) return taking;
  return methods.includes("get") ? "get" : methods[0];
};

const toMethod = (where: string, method: unknown): string => {
  const upper = typeof method === "string" ? method.toUpperCase() : undefined;
  if (upper !== undefined && knownMethods.includes(upper)) return upper;
  throw new DefinitionError(
    "SLP_TEST_METHOD",
    `${where}: requestProps.method must be one of ${knownMethods.join(", ")}; got ${show(method)}.`,
  );
};

/** Runs the code under test between a client and a server of node:http, connected within this process. */
export const runInMemory = async <LoggerProps extends object>(
  where: string,
  options: TestOptions<LoggerProps>,
  endpoint: AnyEndpoint | undefined,
  act: (scene: Scene) => Promise<void>,
): Promise<TestResult<LoggerProps>> => {
  const props = options.requestProps ?? {};
  const declared = endpoint?.methods;
  const byDefault = toDefaultMethod(props.body !== undefined, declared);
  const sent = toMethod(where, props.method ?? byDefault);
  const isPreflight = sent === "OPTIONS";
  const method = methodsByName.get(sent) ?? "get";
  if (declared && !isPreflight && !declared.includes(method))
    throw new DefinitionError(
      "SLP_TEST_METHOD",
      `${where}: the endpoint declares only ${declared.join(", ").toUpperCase()}, but requestProps.method is ${sent}; a server would respond with 405.`,
    );

  const loggerMock = createLoggerMock(options.loggerProps);
  const config: ServerConfig = {
    cors: false,
    cookies: true,
    accessLogger: null,
    ...options.configProps,
    logger: loggerMock,
  };
  checkServerConfig(config);
  const classes = createExpressObjects(config);
  const prepared = await prepareApi(
    config,
    { endpoints: [], statics: [], gappedKeys: [] },
    { app: classes.facts },
  );
  if (config.etag || isExpressLoaded()) classes.getApp();
  /** Resolves to false if no response was sent, as with most middlewares. */
  const serve = async (state: RequestState): Promise<boolean> => {
    const { request, response } = state;
    // a test may replace the socket with an incomplete one
    request.on("error", () => undefined);
    Object.assign(response.locals, options.responseOptions?.locals);
    // a body in parsed form has already been read, so its bytes are drained first
    if (props.body !== undefined) await untilRead(request);
    applyRequestProps(request, props);
    try {
      // as on a server, the handler begins at once if there is nothing to wait for
      const begun = prepared.beginRequest(state);
      if (begun) await begun;
      // cookies that a test sets override those that the server would parse
      const { cookies, signedCookies } = props;
      defineProps(request, { cookies, signedCookies });
      await act({ config, prepared, state, method, isPreflight });
    } catch (error) {
      await prepared.dispatcher.refuse(state, error, endpoint?.resultHandler);
    }
    if (state.phase !== "open" || state.hasLeft) return true;
    response.destroy();
    return false;
  };
  let served: RequestState | undefined;
  let serving: Promise<boolean> | undefined;
  const { signal } = options;
  const leaving = new AbortController();
  const leave = (): void => leaving.abort(signal?.reason);
  const server = createServer({ ...classes, maxHeaderSize }, (message, reply) => {
    served = new RequestState(message as Request, reply as Response, prepared.service);
    serving = serve(served);
    // not earlier: without a request, there is nothing to return
    if (signal?.aborted) leave();
    else signal?.addEventListener("abort", leave);
  });
  let received: Received | undefined;
  const headers = { Host: "localhost", ...toSentHeaders(where, props.headers) };
  const request = { method: sent, target: "/", headers, signal: leaving.signal };
  try {
    received = await exchangeInMemory(server, request, collect);
  } catch (error) {
    if (!signal?.aborted) throw error;
  }
  const isSent = (await serving) ?? false;
  signal?.removeEventListener("abort", leave);
  const { request: requestMock, response } = served as unknown as RequestState;
  return { requestMock, responseMock: toResponseMock(response, received, isSent), loggerMock };
};

const untilRead = (request: Request): Promise<void> =>
  new Promise((resolve) => {
    request.resume().once("end", resolve).once("close", resolve);
  });
