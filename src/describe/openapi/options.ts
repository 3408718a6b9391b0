import type { DocumentedConfig } from "../api/operation.ts";
import type { AnyEndpoint } from "../../define/endpoint/endpoint.ts";
import type { Method } from "../../basics/http/method.ts";
import type { Routing } from "../../define/routing/routing.ts";
import type { AnySchema, ZodSchema } from "../../basics/schemas/schema.ts";

/** The supported OpenAPI versions. */
export type OpenApiVersion = "3.0" | "3.1" | "3.2";

/** A JSON object, such as a part of a document. */
// oxlint-disable-next-line typescript/consistent-indexed-object-style -- editors show the name of an interface on hover
export interface JsonObject {
  [key: string]: unknown;
}

/** The side of a schema: what it accepts, or what it returns. */
export type Direction = "input" | "output";

/** The description of the whole API. */
export interface OpenApiInfo {
  readonly title: string;
  /** The version of the API, not of OpenAPI. */
  readonly version: string;
  /** A longer description, in Markdown. */
  readonly description?: string | undefined;
  /** A one-line summary; omitted in 3.0, which has no such field. */
  readonly summary?: string | undefined;
  readonly termsOfService?: string | undefined;
  readonly contact?:
    | {
        readonly name?: string | undefined;
        readonly url?: string | undefined;
        readonly email?: string | undefined;
      }
    | undefined;
  readonly license?:
    | {
        readonly name: string;
        readonly url?: string | undefined;
        readonly identifier?: string | undefined;
      }
    | undefined;
}

/** A server of the API. */
export interface OpenApiServer {
  readonly url: string;
  readonly description?: string | undefined;
  readonly variables?: Readonly<Record<string, JsonObject>> | undefined;
}

/** The description of a tag. */
export interface OpenApiTag {
  readonly description: string;
  /** A page with more information. */
  readonly url?: string | undefined;
}

/** A request that the API sends to its users. */
export interface Webhook {
  /** @default "post" */
  readonly method?: Method | undefined;
  /** The schema of the request body. */
  readonly input?: AnySchema | undefined;
  /**
   * The schema of the JSON expected in the response.
   *
   * @default the response body is ignored
   */
  readonly output?: AnySchema | undefined;
  readonly shortDescription?: string | undefined;
  readonly description?: string | undefined;
  readonly tag?: string | readonly string[] | undefined;
  readonly operationId?: string | undefined;
}

/** The argument of `override.schema`, which is called for each Zod schema that is written. */
export interface WrittenSchema {
  /** The Zod schema. */
  readonly schema: ZodSchema;
  /**
   * The JSON Schema written for the Zod schema, in the dialect of 3.1 for all versions: change it, or return a
   * replacement.
   */
  readonly json: JsonObject;
  readonly direction: Direction;
}

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
  callbacks?: Record<string, JsonObject> | undefined;
  externalDocs?: { url: string; description?: string | undefined } | undefined;
  servers?: JsonObject[] | undefined;
  [extension: `x-${string}`]: unknown;
}

/** A parameter of an operation. */
export interface OpenApiParameter {
  name: string;
  in: "path" | "query" | "header" | "cookie";
  description?: string | undefined;
  required?: boolean | undefined;
  deprecated?: boolean | undefined;
  schema?: JsonObject | undefined;
  style?: string | undefined;
  explode?: boolean | undefined;
  allowReserved?: boolean | undefined;
  example?: unknown;
  examples?: Record<string, JsonObject> | undefined;
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
  headers?: Record<string, JsonObject> | undefined;
  /** What is sent, by media type. */
  content?: Record<string, OpenApiMedia> | undefined;
  links?: Record<string, JsonObject> | undefined;
  [extension: `x-${string}`]: unknown;
}

/** A body of one media type. */
export interface OpenApiMedia {
  schema?: JsonObject | undefined;
  example?: unknown;
  examples?: Record<string, JsonObject> | undefined;
  encoding?: Record<string, JsonObject> | undefined;
  /** The schema of each event of a stream, as of OpenAPI 3.2. */
  itemSchema?: JsonObject | undefined;
  [extension: `x-${string}`]: unknown;
}

/** A reference to a component, such as `#/components/responses/BadRequest`. */
export interface OpenApiReference {
  $ref: string;
}

/** The argument of `override.operation`, which is called for each operation. */
export interface WrittenOperation {
  readonly method: Method | "head";
  /** The whole path as in the routing map, such as `/users/:id`; in the document, it is `/users/{id}`. */
  readonly path: string;
  readonly endpoint: AnyEndpoint;
  /** The generated operation: change it, or return a replacement. Schemas use the dialect of 3.1 for all versions. */
  readonly operation: OpenApiOperation;
}

/** Custom changes to a document. */
export interface OpenApiOverride {
  /** Called for each schema that is written; a returned object replaces the JSON Schema. */
  readonly schema?: ((written: WrittenSchema) => JsonObject | undefined | void) | undefined;
  /** Called for each operation that is written; a returned object replaces the operation. */
  readonly operation?:
    | ((written: WrittenOperation) => OpenApiOperation | undefined | void)
    | undefined;
}

/** A route that a document may include. */
export interface DocumentedRoute {
  readonly method: Method;
  /** The whole path as in the routing map, such as `/v1/users/:id`. */
  readonly path: string;
  readonly tags: readonly string[];
  readonly endpoint: AnyEndpoint;
}

/** The argument of `generateOpenApi`. */
export interface OpenApiOptions {
  readonly routing: Routing;
  /**
   * The configuration of the server, which determines where the fields of an input come from.
   *
   * @default the configuration of a server without options
   */
  readonly config?: DocumentedConfig | undefined;
  readonly info: OpenApiInfo;
  /**
   * The routes to include: those at a path and below it, such as `/v1`, or those for which a function returns true.
   *
   * @default all routes
   */
  readonly routes?: string | ((route: DocumentedRoute) => boolean) | undefined;
  /**
   * The URLs of the API, or server objects.
   *
   * @default `/`, on the host that serves the document
   */
  readonly servers?: string | OpenApiServer | readonly (string | OpenApiServer)[] | undefined;
  /** @default "3.1" */
  readonly openapi?: OpenApiVersion | undefined;
  /** The descriptions of the tags, in the order in which documentation pages show them. */
  readonly tags?: Readonly<Record<string, string | OpenApiTag>> | undefined;
  /** The requests that the API sends, by name; in 3.0, they are written as the extension `x-webhooks`. */
  readonly webhooks?: Readonly<Record<string, Webhook>> | undefined;
  /**
   * Whether each GET operation is also documented as a HEAD operation.
   *
   * @default false, because HTTP defines HEAD through GET
   */
  readonly head?: boolean | undefined;
  readonly override?: OpenApiOverride | undefined;
}

/** An OpenAPI document as a plain object. */
export interface OpenApiDocument extends JsonObject {
  readonly openapi: string;
  readonly info: JsonObject;
  readonly servers: readonly JsonObject[];
  readonly paths: Readonly<Record<string, JsonObject>>;
  readonly components?: Readonly<Record<string, Readonly<Record<string, JsonObject>>>>;
}
