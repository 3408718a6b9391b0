import type { Json } from "../json.ts";
import type { Lifecycle } from "../schema/lifecycle.ts";
import type { Schema } from "../schema/schema.ts";

/**
 * An API in normal form: what clients depend on, and the examples of its document.
 *
 * @typeParam Of what schemas are: objects, or their JSON
 */
export interface ApiDescription<Of = Schema> {
  readonly servers: readonly string[];
  /** By method and path, such as `GET /users/{}`: the names of path parameters mean nothing on the wire. */
  readonly operations: Readonly<Record<string, Operation<Of>>>;
  /** By method and name. */
  readonly webhooks: Readonly<Record<string, Operation<Of>>>;
}

export interface Operation<Of = Schema> extends Lifecycle {
  /** As written, such as `GET /users/{id}`. */
  readonly name: string;
  /** In capitals. */
  readonly method: string;
  /** As written, such as `/users/{id}`; that of a webhook is its name. */
  readonly path: string;
  readonly operationId?: string;
  /** The servers of this operation, if they are not those of the API. */
  readonly servers?: readonly string[];
  readonly tags: readonly string[];
  /** The alternatives of credentials; empty if none are needed. */
  readonly security: readonly Credentials[];
  /** By place and name, such as `query limit`. */
  readonly parameters: Readonly<Record<string, Parameter<Of>>>;
  readonly body?: Body<Of>;
  readonly responses: Readonly<Record<string, Response<Of>>>;
  /** By name, expression and method. */
  readonly callbacks: Readonly<Record<string, Operation<Of>>>;
}

/** The schemes of which a caller needs all. */
export type Credentials = readonly Requirement[];

export interface Requirement {
  /** The name of the scheme in the document, which means nothing to clients. */
  readonly name: string;
  readonly scheme: SecurityScheme;
  readonly scopes: readonly string[];
}

export interface SecurityScheme {
  readonly type: "apiKey" | "http" | "mutualTLS" | "oauth2" | "openIdConnect" | "unknown";
  /** Of `http`, in lower case, such as `bearer`. */
  readonly scheme?: string;
  /** Of `apiKey`: where the key is, and its name; in lower case for header fields. */
  readonly in?: string;
  readonly key?: string;
  /** Of `oauth2` by flow, and of `openIdConnect`: where clients get their tokens. */
  readonly urls?: Readonly<Record<string, string>>;
}

/** A parameter, or a header of a response. */
export interface Parameter<Of = Schema> extends Lifecycle {
  readonly name: string;
  /** Such as `query`; that of a header of a response is `header`. */
  readonly in: string;
  readonly required?: true;
  readonly style: string;
  readonly explode: boolean;
  readonly allowReserved?: true;
  readonly allowEmptyValue?: true;
  /** The media type of a parameter with `content`. */
  readonly mediaType?: string;
  readonly schema?: Of;
  readonly examples?: Examples;
}

/** Values that a document shows, by name, or by number if they have none. */
export type Examples = Readonly<Record<string, Json>>;

export interface Body<Of = Schema> {
  readonly required?: true;
  readonly content: Content<Of>;
}

/** By media type. */
export type Content<Of = Schema> = Readonly<Record<string, Media<Of>>>;

export interface Media<Of = Schema> {
  readonly schema?: Of;
  /** The schema of each item of a stream. */
  readonly itemSchema?: Of;
  /** By property, such as `text/plain`, or a style. */
  readonly encoding: Readonly<Record<string, string>>;
  readonly examples?: Examples;
}

export interface Response<Of = Schema> {
  readonly content: Content<Of>;
  readonly headers: Readonly<Record<string, Parameter<Of>>>;
}

/** Replaces the schemas of an API. */
export const mapSchemas = <From, To>(
  { servers, operations, webhooks }: ApiDescription<From>,
  replace: (schema: From) => To,
): ApiDescription<To> => {
  const ofField = ({ schema, ...rest }: Parameter<From>): Parameter<To> => ({
    ...rest,
    ...(schema !== undefined && { schema: replace(schema) }),
  });
  const ofMedia = ({ schema, itemSchema, ...rest }: Media<From>): Media<To> => ({
    ...rest,
    ...(schema !== undefined && { schema: replace(schema) }),
    ...(itemSchema !== undefined && { itemSchema: replace(itemSchema) }),
  });
  const ofOperation = (operation: Operation<From>): Operation<To> => {
    const { parameters, body, responses, callbacks, ...rest } = operation;
    return {
      ...rest,
      parameters: mapValues(parameters, ofField),
      ...(body && { body: { ...body, content: mapValues(body.content, ofMedia) } }),
      responses: mapValues(responses, ({ content, headers }) => ({
        content: mapValues(content, ofMedia),
        headers: mapValues(headers, ofField),
      })),
      callbacks: mapValues(callbacks, ofOperation),
    };
  };
  return {
    servers,
    operations: mapValues(operations, ofOperation),
    webhooks: mapValues(webhooks, ofOperation),
  };
};

const mapValues = <From, To>(
  values: Readonly<Record<string, From>>,
  convert: (value: From) => To,
): Readonly<Record<string, To>> =>
  Object.fromEntries(Object.entries(values).map(([key, value]) => [key, convert(value)]));

/** Lists the schemas that are directly in an API. */
export const listSchemas = (api: ApiDescription): readonly Schema[] => {
  const schemas: Schema[] = [];
  mapSchemas(api, (schema) => schemas.push(schema));
  return schemas;
};
