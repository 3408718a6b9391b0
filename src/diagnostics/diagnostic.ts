import type { AnyEndpoint } from "../endpoint/endpoint.ts";
import type { InputSource } from "../endpoint/input-sources.ts";
import type { ZodSchema } from "../schemas/schema.ts";
import type { EndpointEntry } from "../routing/walk-routing.ts";

/** A log line about something that is legal but probably unintended. */
export interface Diagnostic {
  /** The stable code with which the message begins. */
  readonly code: `SLP_WARN_${string}`;
  /** The cause, the place and the fix, in one line. */
  readonly text: string;
  readonly meta: object;
}

/** The facts about a server that the routing checks need. */
export interface RoutingFacts {
  readonly toSources: (entry: EndpointEntry) => readonly InputSource[];
  /**
   * How queries are parsed: `simple` to strings and arrays of strings, `extended` also to objects, `unknown` by another
   * function.
   */
  readonly queryParser: "simple" | "extended" | "unknown";
  readonly takesUploads: boolean;
  /** Whether native middlewares before the API may have parsed bodies in their own way. */
  readonly hasNativeParsers: boolean;
}

/** An input schema of an endpoint, and whether it comes from a middleware. */
export interface DeclaredInput {
  readonly schema: ZodSchema;
  readonly isMiddleware: boolean;
}

/** Lists the input schemas of an endpoint, the endpoint's own first. */
export const listInputs = ({ inputSchema, middlewares }: AnyEndpoint): readonly DeclaredInput[] => [
  ...(inputSchema ? [{ schema: inputSchema, isMiddleware: false }] : []),
  ...middlewares.flatMap((middleware) =>
    middleware.inputSchema ? [{ schema: middleware.inputSchema, isMiddleware: true }] : [],
  ),
];

/** Formats a route for use in messages, as in `GET /v1/users`. */
export const toPlace = ({ method, path }: EndpointEntry): string =>
  `${method.toUpperCase()} ${path}`;
