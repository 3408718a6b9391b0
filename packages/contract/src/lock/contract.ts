import type { Schema } from "./schema.ts";

/**
 * An API in normal form: what clients depend on, and nothing else.
 *
 * @typeParam Of what schemas are: objects, or their JSON
 */
export interface Contract<Of = Schema> {
  readonly servers: readonly string[];
  /** By method and path, such as `GET /users/{}`: the names of path parameters mean nothing on the wire. */
  readonly operations: Readonly<Record<string, Operation<Of>>>;
  /** By method and name. */
  readonly webhooks: Readonly<Record<string, Operation<Of>>>;
}

export interface Operation<Of = Schema> extends Lifecycle {
  /** As written, such as `GET /users/{id}`. */
  readonly name: string;
  readonly operationId?: string;
  readonly tags: readonly string[];
  /** The alternatives of credentials; each is a list of `scheme` and `scheme:scope`. Empty if none are needed. */
  readonly security: readonly (readonly string[])[];
  /** By place and name, such as `query limit`. */
  readonly parameters: Readonly<Record<string, Parameter<Of>>>;
  readonly body?: Body<Of>;
  readonly responses: Readonly<Record<string, Response<Of>>>;
  /** By name, expression and method. */
  readonly callbacks: Readonly<Record<string, Operation<Of>>>;
}

export interface Lifecycle {
  readonly deprecated?: true;
  readonly sunset?: string;
  /** What `x-stability-level` says, unless it is `stable`. */
  readonly stability?: string;
}

/** A parameter, or a header of a response. */
export interface Parameter<Of = Schema> extends Lifecycle {
  readonly name: string;
  readonly required?: true;
  readonly style: string;
  readonly explode: boolean;
  readonly allowReserved?: true;
  readonly allowEmptyValue?: true;
  /** The media type of a parameter with `content`. */
  readonly mediaType?: string;
  readonly schema?: Of;
}

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
}

export interface Response<Of = Schema> {
  readonly content: Content<Of>;
  readonly headers: Readonly<Record<string, Parameter<Of>>>;
}

/** Replaces the schemas of a contract. */
export const mapSchemas = <From, To>(
  { servers, operations, webhooks }: Contract<From>,
  replace: (schema: From) => To,
): Contract<To> => {
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

/** Lists the schemas directly in a contract. */
export const listSchemas = (contract: Contract): readonly Schema[] => {
  const schemas: Schema[] = [];
  mapSchemas(contract, (schema) => schemas.push(schema));
  return schemas;
};
