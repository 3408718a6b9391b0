import { defaultEndpointsFactory as factory, type Routing } from "sallyport";
import { generateOpenApi, type JsonObject, type OpenApiOptions } from "sallyport/openapi";
import { z } from "zod";

/** The part of an operation that tests inspect. */
export interface Operation {
  readonly operationId: string;
  readonly parameters?: readonly (JsonObject & { readonly name: string; readonly in: string })[];
  readonly requestBody?: {
    readonly required?: boolean;
    readonly content: Readonly<Record<string, JsonObject & { readonly schema: JsonObject }>>;
  };
  readonly responses: Readonly<
    Record<
      string,
      {
        readonly $ref?: string;
        readonly description: string;
        readonly headers?: JsonObject;
        readonly content?: Readonly<Record<string, JsonObject & { readonly schema: JsonObject }>>;
      }
    >
  >;
  readonly security?: readonly JsonObject[];
  readonly tags?: readonly string[];
}

/** Generates a document, with defaults for options that the test does not set. */
export const generate = (routing: Routing, options: Partial<OpenApiOptions> = {}) =>
  generateOpenApi({ routing, info: { title: "Test", version: "1" }, ...options });

/** Finds an operation, such as `GET /users/{id}`. */
export const findOperation = (document: { readonly paths: JsonObject }, at: string): Operation => {
  const [method = "", path = ""] = at.split(" ");
  const item = document.paths[path] as Readonly<Record<string, Operation>> | undefined;
  const operation = item?.[method.toLowerCase()];
  if (!operation)
    throw new Error(`There is no ${at}; paths are ${Object.keys(document.paths).join()}`);
  return operation;
};

/** Generates the document of one endpoint, and returns its operation. */
export const generateOne = (at: string, routing: Routing, options: Partial<OpenApiOptions> = {}) =>
  findOperation(generate(routing, options), at);

/** Returns the places of the parameters and body fields of an operation, by name. */
export const placesOf = ({ parameters = [], requestBody }: Operation): Record<string, string> => {
  const [media] = Object.values(requestBody?.content ?? {});
  return Object.fromEntries([
    ...parameters.map((parameter) => [parameter.name, parameter.in]),
    ...Object.keys(media?.schema["properties"] ?? {}).map((name) => [name, "body"]),
  ]) as Record<string, string>;
};

const fieldOf = (schema: JsonObject | undefined, name: string): JsonObject => {
  const field = (schema?.["properties"] as Record<string, JsonObject> | undefined)?.[name];
  if (!field) throw new Error(`There is no ${name} in ${JSON.stringify(schema)}`);
  return field;
};

/** Returns the JSON Schema that documents a field in a request body. */
export const inputOf = (schema: z.ZodType, options: Partial<OpenApiOptions> = {}) => {
  const endpoint = factory.build({ input: z.object({ value: schema }), handler: () => ({}) });
  const { requestBody } = generateOne("POST /a", { "post /a": endpoint }, options);
  return fieldOf(Object.values(requestBody?.content ?? {})[0]?.schema, "value");
};

/** Returns the JSON Schema that documents a field in an output. */
export const outputOf = (value: z.ZodType, options: Partial<OpenApiOptions> = {}) => {
  const output = z.object({ value });
  const endpoint = factory.build({ output, handler: () => ({}) as never });
  const { responses } = generateOne("GET /a", { a: endpoint }, options);
  const schema = responses["200"]?.content?.["application/json"]?.schema;
  return fieldOf(fieldOf(schema, "data"), "value");
};
