import type { AnyEndpoint } from "../endpoint/endpoint.ts";
import { toEndpointSources, type InputSource } from "../endpoint/input-sources.ts";
import type { Method } from "../http/method.ts";
import type { EndpointEntry } from "../routing/walk-routing.ts";
import type { ZodSchema } from "../schemas/schema.ts";
import type { DocumentedConfig } from "./options.ts";
import type { WritePlace } from "./node-writer.ts";

/** An operation that is being written. */
export interface OperationPlace {
  readonly method: Method;
  /** The path as in the routing map. */
  readonly path: string;
  readonly endpoint: AnyEndpoint;
  readonly operationId: string;
  /** The parts of a request that the input comes from. */
  readonly sources: readonly InputSource[];
  readonly config: DocumentedConfig;
}

/** Determines the place of an operation. */
export const toOperationPlace = (
  { method, path, endpoint }: EndpointEntry,
  operationId: string,
  config: DocumentedConfig,
): OperationPlace => ({
  method,
  path,
  endpoint,
  operationId,
  sources: toEndpointSources(endpoint.inputSources, config.inputSources, method),
  config,
});

/** Formats a route for error messages, such as `GET /users/:id`. */
export const formatRoute = ({
  method,
  path,
}: {
  readonly method: string;
  readonly path: string;
}): string => `${method.toUpperCase()} ${path}`;

/** Returns the place of a schema in an operation. */
export const toWritePlace = (place: OperationPlace, path: string, suffix = ""): WritePlace => ({
  name: `${place.operationId.slice(0, 1).toUpperCase()}${place.operationId.slice(1)}${suffix}`.replace(
    /[^\w.-]/g,
    "_",
  ),
  at: formatRoute(place),
  method: place.method,
  route: place.path,
  path,
});

/** Lists the schemas that parse the input of an endpoint, the endpoint's own last. */
export const listInputSchemas = ({
  middlewares,
  inputSchema,
}: AnyEndpoint): readonly ZodSchema[] => [
  ...middlewares.flatMap((middleware) => middleware.inputSchema ?? []),
  ...(inputSchema ? [inputSchema] : []),
];
