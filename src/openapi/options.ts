import type { InputSources } from "../endpoint/input-sources.ts";
import type { AnyEndpoint } from "../endpoint/endpoint.ts";
import type { Method } from "../http/method.ts";
import type { AnyResultHandler } from "../results/result-handler.ts";
import type { Routing } from "../routing/routing.ts";
import type { WalkOptions } from "../routing/walk-routing.ts";
import type { AnySchema, ZodSchema } from "../schemas/schema.ts";

/** The versions of OpenAPI that can be written. */
export type OpenApiVersion = "3.0" | "3.1" | "3.2";

/** An object of JSON, such as a part of a document. */
// oxlint-disable-next-line typescript/consistent-indexed-object-style -- shown by name where it is hovered over
export interface JsonObject {
  [key: string]: unknown;
}

/** Which side of a schema: what it takes, or what it gives. */
export type Direction = "input" | "output";

/** What a document says of the API as a whole. */
export interface OpenApiInfo {
  readonly title: string;
  /** The version of the API, not of OpenAPI. */
  readonly version: string;
  /** Markdown. */
  readonly description?: string | undefined;
  /** One line; left out in 3.0, which has no place for it. */
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

/** Where the API is served. */
export interface OpenApiServer {
  readonly url: string;
  readonly description?: string | undefined;
  readonly variables?: Readonly<Record<string, JsonObject>> | undefined;
}

/** What a document says of a tag. */
export interface OpenApiTag {
  readonly description: string;
  /** A page with more about it. */
  readonly url?: string | undefined;
}

/** A request that the API sends to its users. */
export interface Webhook {
  /** @default "post" */
  readonly method?: Method | undefined;
  /** Schema of the body that is sent. */
  readonly input?: AnySchema | undefined;
  /**
   * Schema of the JSON that is expected in return.
   *
   * @default the answer has no body that matters
   */
  readonly output?: AnySchema | undefined;
  readonly shortDescription?: string | undefined;
  readonly description?: string | undefined;
  readonly tag?: string | readonly string[] | undefined;
  readonly operationId?: string | undefined;
}

/** What `override.schema` receives for each schema of Zod that is written. */
export interface WrittenSchema {
  /** The schema of Zod. */
  readonly schema: ZodSchema;
  /** Its JSON Schema, in the dialect of 3.1 whatever the version; change it, or return another one. */
  readonly json: JsonObject;
  readonly direction: Direction;
}

/** What `override.operation` receives for each operation. */
export interface WrittenOperation {
  readonly method: Method | "head";
  /** As in the routing, such as `/users/:id`. */
  readonly path: string;
  readonly endpoint: AnyEndpoint;
  /** Change it, or return another one; schemas are in the dialect of 3.1 whatever the version. */
  readonly operation: JsonObject;
}

/** What a team wants otherwise. */
export interface OpenApiOverride {
  /** Called for each schema that is written; what it returns replaces the JSON Schema. */
  readonly schema?: ((written: WrittenSchema) => JsonObject | undefined | void) | undefined;
  /** Called for each operation that is written; what it returns replaces the operation. */
  readonly operation?: ((written: WrittenOperation) => JsonObject | undefined | void) | undefined;
}

/** What a document needs to know of a configuration; that of `createConfig` fits. */
export interface DocumentedConfig extends WalkOptions {
  readonly inputSources?:
    | { readonly [M in keyof InputSources]?: InputSources[M] | undefined }
    | undefined;
  readonly upload?: unknown;
  readonly queryParser?: unknown;
  readonly app?: unknown;
  readonly requestTimeout?: number | undefined;
  readonly handlerTimeout?: number | undefined;
  readonly errorHandler?: AnyResultHandler | undefined;
}

/** The argument of `generateOpenApi`. */
export interface OpenApiOptions {
  readonly routing: Routing;
  /**
   * The configuration of the server, which decides where the fields of an input come from.
   *
   * @default that of a server without options
   */
  readonly config?: DocumentedConfig | undefined;
  readonly info: OpenApiInfo;
  /**
   * Where the API is served: URLs or server objects.
   *
   * @default where the document is served, `/`
   */
  readonly servers?: string | OpenApiServer | readonly (string | OpenApiServer)[] | undefined;
  /** @default "3.1" */
  readonly openapi?: OpenApiVersion | undefined;
  /** What the tags of endpoints stand for, in the order in which pages show them. */
  readonly tags?: Readonly<Record<string, string | OpenApiTag>> | undefined;
  /** The requests that the API sends, by name; in 3.0 as the extension `x-webhooks`. */
  readonly webhooks?: Readonly<Record<string, Webhook>> | undefined;
  /**
   * Whether the HEAD of each GET is an operation of its own.
   *
   * @default false, since HTTP defines HEAD by GET
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
