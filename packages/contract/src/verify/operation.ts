import { generateOpenApi, type OpenApiOptions } from "sallyport/openapi";
import { isObject, toText, type Json, type JsonObject } from "../lock/json.ts";
import { Schemas } from "./schemas.ts";

export interface Parameter {
  readonly name: string;
  readonly in: "path" | "query" | "header" | "cookie";
  readonly isRequired: boolean;
  readonly schema: JsonObject;
  /** Whether an object is written as `name[field]=value`. */
  readonly isDeep: boolean;
  /** The text before the next parameter of the same segment of a path, which ends the value. */
  readonly end: string | undefined;
  /** Whether it stands for all other parameters. */
  readonly isOthers: boolean;
}

export interface Reply {
  readonly headers: Readonly<Record<string, JsonObject>>;
  /** The schemas by media type. */
  readonly content: Readonly<Record<string, JsonObject>>;
}

/** An operation, with what the document declares of it. */
export interface Operation {
  /** The route as in reports, such as `get /users/:id`. */
  readonly key: string;
  readonly method: string;
  /** The path as in the routing map. */
  readonly route: string;
  /** The path as in the document, such as `/users/{id}`. */
  readonly path: string;
  readonly parameters: readonly Parameter[];
  /** The schemas of the body by media type; undefined if there is none. */
  readonly body: Readonly<Record<string, JsonObject>> | undefined;
  readonly isBodyRequired: boolean;
  readonly replies: Readonly<Record<string, Reply>>;
  /** Alternative sets of schemes, each with its scopes. */
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
}

export interface Api {
  readonly operations: readonly Operation[];
  readonly schemas: Schemas;
  readonly schemes: Readonly<Record<string, JsonObject>>;
}

/** Reads what the OpenAPI document of an API declares. */
export const readApi = (
  routing: OpenApiOptions["routing"],
  config: OpenApiOptions["config"],
): Api => {
  const document = JSON.parse(
    JSON.stringify(
      generateOpenApi({
        routing,
        config,
        info: { title: "API", version: "1" },
        override: {
          operation: ({ method, path, operation }) => {
            operation["x-route"] = { method, path };
          },
        },
      }),
    ),
  ) as JsonObject;
  const schemas = new Schemas(document);
  const operations = entries(document["paths"]).flatMap(([path, item]) =>
    entries(item).flatMap(([, operation]) =>
      isObject(operation) && isObject(operation["x-route"])
        ? toOperation(path, operation, schemas)
        : [],
    ),
  );
  const { securitySchemes } = schemas.resolve(document["components"]);
  return { operations, schemas, schemes: schemas.resolve(securitySchemes) as Api["schemes"] };
};

const entries = (value: Json | undefined): readonly (readonly [string, Json])[] =>
  isObject(value) ? Object.entries(value) : [];

const toOperation = (path: string, json: JsonObject, schemas: Schemas): Operation => {
  const { method, path: route } = json["x-route"] as { readonly method: string; path: string };
  const { parameters = [], requestBody, responses, security = [] } = json;
  const body = schemas.resolve(requestBody);
  return {
    key: `${method} ${route}`,
    ...{ method, route, path },
    parameters: (parameters as readonly JsonObject[]).map((one) => ({
      name: toText(one["name"]),
      end: one["in"] === "path" ? findEnd(path, toText(one["name"])) : undefined,
      in: one["in"] as Parameter["in"],
      isRequired: one["required"] === true,
      schema: schemas.resolve(one["schema"]),
      isDeep: one["style"] === "deepObject",
      isOthers:
        one["in"] === "query" &&
        one["style"] === "form" &&
        schemas.resolve(one["schema"])["type"] === "object",
    })),
    body: isObject(body["content"]) ? toContent(body["content"]) : undefined,
    isBodyRequired: body["required"] === true,
    replies: Object.fromEntries(
      entries(responses).map(([status, one]) => [status, toReply(schemas.resolve(one), schemas)]),
    ),
    security: security as Operation["security"],
  };
};

/** Finds the text between a parameter of a path and the next one of the same segment. */
const findEnd = (path: string, name: string): string | undefined => {
  const start = path.indexOf(`{${name}}`) + name.length + 2;
  return /^([^{/]+)\{/.exec(path.slice(start))?.[1];
};

const toReply = (json: JsonObject, schemas: Schemas): Reply => ({
  headers: Object.fromEntries(
    entries(json["headers"]).map(([name, header]) => [name, schemas.resolve(header)]),
  ),
  content: toContent(schemas.resolve(json["content"])),
});

/** Keeps the schemas of media; that of each event takes the place of that of a stream. */
const toContent = (content: JsonObject): Readonly<Record<string, JsonObject>> =>
  Object.fromEntries(
    entries(content).map(([type, media]) => {
      const { schema, "x-itemSchema": item } = media as JsonObject;
      return [type.toLowerCase(), (item ?? schema ?? {}) as JsonObject];
    }),
  );

/** Finds what is declared for a status: by itself, for its class, or for all others. */
export const findReply = ({ replies }: Operation, status: number): Reply | undefined =>
  replies[status] ?? replies[`${Math.trunc(status / 100)}XX`] ?? replies["default"];

/** Whether replies to an operation are events. */
export const isStream = ({ replies }: Operation): boolean =>
  Object.values(replies).some(({ content }) => "text/event-stream" in content);

/** Finds a parameter; header fields are named in lower case. */
export const findParameter = (
  { parameters }: Operation,
  place: Parameter["in"],
  name: string,
): Parameter | undefined =>
  parameters.find((one) => one.in === place && one.name.toLowerCase() === name);

/** Whether the application needs to know who calls. */
export const isProtected = ({ security }: Operation): boolean =>
  security.length > 0 && security.every((one) => Object.keys(one).length > 0);

/** Whether a header field is declared, by its name in lower case. */
export const hasHeader = (operation: Operation, name: string): boolean =>
  findParameter(operation, "header", name) !== undefined;
