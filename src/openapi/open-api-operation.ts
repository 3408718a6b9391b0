type Json = Record<string, unknown>;

/** An operation of a document. */
export interface OpenApiOperation {
  operationId?: string | undefined;
  summary?: string | undefined;
  /** A longer description, in Markdown. */
  description?: string | undefined;
  tags?: string[] | undefined;
  deprecated?: boolean | undefined;
  /** Alternative sets of schemes, each with its scopes; an empty list if the operation is public. */
  security?: Record<string, string[]>[] | undefined;
  parameters?: OpenApiParameter[] | undefined;
  requestBody?: OpenApiBody | undefined;
  /** The responses by status. Those that many operations have are references to components. */
  responses?: Record<string, OpenApiResponse | OpenApiReference> | undefined;
  callbacks?: Record<string, Json> | undefined;
  externalDocs?: { url: string; description?: string | undefined } | undefined;
  servers?: Json[] | undefined;
  [extension: `x-${string}`]: unknown;
}

/** A parameter of an operation. */
export interface OpenApiParameter {
  name: string;
  in: "path" | "query" | "header" | "cookie";
  description?: string | undefined;
  required?: boolean | undefined;
  deprecated?: boolean | undefined;
  schema?: Json | undefined;
  style?: string | undefined;
  explode?: boolean | undefined;
  allowReserved?: boolean | undefined;
  example?: unknown;
  examples?: Record<string, Json> | undefined;
  [extension: `x-${string}`]: unknown;
}

/** The request body of an operation. */
export interface OpenApiBody {
  description?: string | undefined;
  required?: boolean | undefined;
  /** What is sent, by media type. */
  content: Record<string, OpenApiMedia>;
  [extension: `x-${string}`]: unknown;
}

/** A response of an operation. */
export interface OpenApiResponse {
  description: string;
  /** The headers by name. */
  headers?: Record<string, Json> | undefined;
  /** What is sent, by media type. */
  content?: Record<string, OpenApiMedia> | undefined;
  links?: Record<string, Json> | undefined;
  [extension: `x-${string}`]: unknown;
}

/** A body of one media type. */
export interface OpenApiMedia {
  schema?: Json | undefined;
  example?: unknown;
  examples?: Record<string, Json> | undefined;
  encoding?: Record<string, Json> | undefined;
  /** The schema of each event of a stream, as of OpenAPI 3.2. */
  itemSchema?: Json | undefined;
  [extension: `x-${string}`]: unknown;
}

/** A reference to a component, such as `#/components/responses/BadRequest`. */
export interface OpenApiReference {
  $ref: string;
}
