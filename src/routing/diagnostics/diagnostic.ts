import type { AnyEndpoint } from "../../endpoint/endpoint.ts";
import type { InputSource } from "../../endpoint/input-sources.ts";
import type { ZodSchema } from "../../schemas/schema.ts";
import type { EndpointEntry } from "../walk-routing.ts";

/** Something that is legal but hardly meant, as one line of the log. */
export interface Diagnostic {
  /** Stable; the message begins with it. */
  readonly code: `SLP_WARN_${string}`;
  /** The cause, the place and the fix, in one line. */
  readonly text: string;
  readonly meta: object;
}

/** The facts of a server that the checks of its routing need. */
export interface RoutingFacts {
  readonly toSources: (entry: EndpointEntry) => readonly InputSource[];
  /** How queries are parsed: to texts and lists of texts, to objects as well, or by a function that is not known. */
  readonly queryParser: "simple" | "extended" | "unknown";
  readonly takesUploads: boolean;
  /** Whether native middleware before the API may have parsed bodies its own way. */
  readonly hasNativeParsers: boolean;
}

/** An input schema of an endpoint, and who declares it. */
export interface DeclaredInput {
  readonly schema: ZodSchema;
  readonly isMiddleware: boolean;
}

/** Lists the input schemas of an endpoint, its own first. */
export const listInputs = ({ inputSchema, middlewares }: AnyEndpoint): readonly DeclaredInput[] => [
  ...(inputSchema ? [{ schema: inputSchema, isMiddleware: false }] : []),
  ...middlewares.flatMap((middleware) =>
    middleware.inputSchema ? [{ schema: middleware.inputSchema, isMiddleware: true }] : [],
  ),
];

/** Shows where a route is: `GET /v1/users`. */
export const toPlace = ({ method, path }: EndpointEntry): string =>
  `${method.toUpperCase()} ${path}`;
