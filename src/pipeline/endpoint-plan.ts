import type { AnyEndpoint } from "../endpoint/endpoint.ts";
import { toMergeOrder, type InputSource } from "../endpoint/input-sources.ts";
import type { AnyMiddleware } from "../endpoint/middleware.ts";
import { toParser, type Parser } from "../schemas/parser.ts";
import { listForeignKeys } from "../schemas/top-level-keys.ts";

/** A middleware with what the pipeline needs to run it. */
export interface MiddlewareStep {
  readonly middleware: AnyMiddleware;
  /** Undefined where the middleware takes no input. */
  readonly parseInput: Parser | undefined;
}

/** Everything about an endpoint and a method that can be settled before the first request. */
export interface EndpointPlan {
  readonly endpoint: AnyEndpoint;
  readonly sources: readonly InputSource[];
  /** Whether the body is among the sources, and so must be parsed. */
  readonly hasBody: boolean;
  readonly middlewares: readonly MiddlewareStep[];
  /** Whether a middleware parses fields of the input, which then join the handler's. */
  readonly hasMiddlewareInput: boolean;
  /** Those that run on preflight requests as well. */
  readonly nativeMiddlewares: readonly MiddlewareStep[];
  readonly parseInput: Parser | undefined;
  /** Keys that only middlewares declare, hidden from the endpoint's own schema. */
  readonly foreignKeys: readonly string[];
  readonly parseOutput: Parser | undefined;
  /** How long the handler may take, in milliseconds; 0 for no limit. */
  readonly timeout: number;
}

/** Settles what can be settled of an endpoint's walk. */
export const planEndpoint = (
  endpoint: AnyEndpoint,
  sources: readonly InputSource[],
  handlerTimeout = 0,
): EndpointPlan => {
  const middlewares = endpoint.middlewares.map((middleware) => ({
    middleware,
    parseInput: middleware.inputSchema && toParser(middleware.inputSchema),
  }));
  const declared = endpoint.middlewares.flatMap(({ inputSchema }) => inputSchema ?? []);
  return Object.freeze({
    endpoint,
    sources: toMergeOrder(sources),
    hasBody: sources.includes("body"),
    middlewares,
    hasMiddlewareInput: declared.length > 0,
    nativeMiddlewares: middlewares.filter(({ middleware }) => middleware.isNative),
    parseInput: endpoint.inputSchema && toParser(endpoint.inputSchema),
    foreignKeys: endpoint.inputSchema ? listForeignKeys(endpoint.inputSchema, declared) : [],
    parseOutput:
      endpoint.outputSchema && !endpoint.isVoid ? toParser(endpoint.outputSchema) : undefined,
    timeout: endpoint.timeout ?? handlerTimeout,
  });
};
