import { generateOpenApi, type OpenApiOptions } from "sallyport/openapi";
import { isObject, toText, type Json, type JsonObject } from "@sallyport/document";
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
  /** Whether sallyport serves it, whose own statuses and header fields are known. */
  readonly isFramework: boolean;
}

/** Reads what the OpenAPI document of an API declares. */
export const readApi = (
  routing: OpenApiOptions["routing"],
  config: OpenApiOptions["config"],
  routes?: OpenApiOptions["routes"],
): Api => {
  const document = generateOpenApi({
    ...{ routing, config, ...(routes !== undefined && { routes }) },
    info: { title: "API", version: "1" },
    override: {
      operation: ({ method, path, operation }) => {
        operation["x-route"] = { method, path };
      },
    },
  });
  return toApi(JSON.parse(JSON.stringify(document)) as JsonObject, true);
};

const methods: ReadonlySet<string> = new Set([
  ...["get", "put", "post", "delete", "options", "head", "patch", "trace", "query"],
]);

/** Reads what an OpenAPI document declares. */
export const toApi = (document: JsonObject, isFramework: boolean): Api => {
  const schemas = new Schemas(document);
  const operations = entries(document["paths"]).flatMap(([path, reference]) => {
    const item = schemas.resolve(reference);
    return entries(item).flatMap(([method, operation]) =>
      isObject(operation) && (isObject(operation["x-route"]) || methods.has(method))
        ? toOperation({ path, method, item }, operation, document, schemas)
        : [],
    );
  });
  const { securitySchemes } = schemas.resolve(document["components"]);
  const named = Object.entries(schemas.resolve(securitySchemes)).map(([name, one]) => [
    name,
    schemas.resolve(one),
  ]);
  return {
    ...{ operations, schemas, isFramework },
    schemes: Object.fromEntries(named) as Api["schemes"],
  };
};

const entries = (value: Json | undefined): readonly (readonly [string, Json])[] =>
  isObject(value) ? Object.entries(value) : [];

interface Found {
  readonly path: string;
  readonly method: string;
  readonly item: JsonObject;
}

const toOperation = (
  { path, method: key, item }: Found,
  json: JsonObject,
  document: JsonObject,
  schemas: Schemas,
): Operation => {
  const { method, path: route } = (json["x-route"] ?? { method: key, path }) as {
    readonly method: string;
    readonly path: string;
  };
  const { requestBody, responses } = json;
  const security = json["security"] ?? document["security"] ?? [];
  const body = schemas.resolve(requestBody);
  return {
    key: `${method} ${route}`,
    ...{ method, route, path },
    parameters: listParameters(item, json, schemas).map((one) => toParameter(one, path, schemas)),
    body: isObject(body["content"]) ? toContent(body["content"]) : undefined,
    isBodyRequired: body["required"] === true,
    replies: Object.fromEntries(
      entries(responses).map(([status, one]) => [
        status.toUpperCase().replace("DEFAULT", "default"),
        toReply(schemas.resolve(one), schemas),
      ]),
    ),
    security: security as Operation["security"],
  };
};

/** Lists the parameters of an operation, and those of its path that it does not declare itself. */
const listParameters = (
  item: JsonObject,
  operation: JsonObject,
  schemas: Schemas,
): readonly JsonObject[] => {
  const read = ({ parameters = [] }: JsonObject): readonly JsonObject[] =>
    (parameters as readonly Json[]).map((one) => schemas.resolve(one));
  const own = read(operation);
  const isOwn = (one: JsonObject): boolean =>
    own.some((other) => other["name"] === one["name"] && other["in"] === one["in"]);
  return [...read(item).filter((one) => !isOwn(one)), ...own];
};

const toParameter = (one: JsonObject, path: string, schemas: Schemas): Parameter => ({
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
});

/** Finds the text between a parameter of a path and the next one of the same segment. */
const findEnd = (path: string, name: string): string | undefined => {
  const start = path.indexOf(`{${name}}`) + name.length + 2;
  return /^([^{/]+)\{/.exec(path.slice(start))?.[1];
};

const toReply = (json: JsonObject, schemas: Schemas): Reply => ({
  headers: Object.fromEntries(
    entries(json["headers"]).map(([name, header]) => [name.toLowerCase(), schemas.resolve(header)]),
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
