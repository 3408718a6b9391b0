import { generateOpenApi, type OpenApiOptions } from "sallyport/openapi";
import {
  isObject,
  toApiDescription,
  toView,
  type ApiDescription,
  type Content,
  type Operation as Described,
  type Parameter as DescribedParameter,
  type Direction,
  type Schema,
} from "@sallyport/document";
import { ContractError } from "../errors.ts";
import { readContract, toContract } from "../read/read-contract.ts";
import { isJsonType } from "./body-type.ts";

export interface Parameter {
  readonly name: string;
  readonly in: "path" | "query" | "header" | "cookie";
  readonly isRequired: boolean;
  readonly schema: Schema;
  /** Whether an object is written as `name[field]=value`. */
  readonly isDeep: boolean;
  /** The text before the next parameter of the same segment of a path, which ends the value. */
  readonly end: string | undefined;
  /** Whether it stands for all other parameters. */
  readonly isOthers: boolean;
}

/** The schemas of bodies by media type. */
export type Bodies = Readonly<Record<string, Schema>>;

export interface Reply {
  /** By name, in lower case. */
  readonly headers: Readonly<Record<string, DescribedParameter>>;
  readonly content: Bodies;
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
  /** Undefined if there is none. */
  readonly body: Bodies | undefined;
  readonly isBodyRequired: boolean;
  readonly replies: Readonly<Record<string, Reply>>;
  /** Alternative sets of schemes; none if nobody needs to log in. */
  readonly security: Described["security"];
}

export interface Api {
  readonly operations: readonly Operation[];
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
      operation: ({ path, operation }) => {
        operation.operationId = path;
      },
    },
  });
  const marked: unknown = JSON.parse(JSON.stringify(document), markOpen);
  return toApi(toApiDescription(marked, "the document of the API"), true);
};

/** The further fields of an object that the document allows; the normal form leaves out what restricts nothing. */
const anything = { type: ["array", "boolean", "null", "number", "object", "string"] };

/** Marks the objects whose further fields are declared: the others of this framework have none. */
const markOpen = (_key: string, value: unknown): unknown => {
  if (!isObject(value) || value["type"] !== "object") return value;
  const { properties, additionalProperties: others } = value;
  const isOpen =
    others === undefined
      ? properties === undefined
      : others === true || (isObject(others) && Object.keys(others).length === 0);
  return isOpen ? { ...value, additionalProperties: anything } : value;
};

/**
 * Reads what the document of a server declares, from a file or as it is.
 *
 * @throws {@link ContractError} when it cannot be read, or is not OpenAPI 3.
 */
export const readServer = (given: string | object): Api => {
  const isFile = typeof given === "string";
  const api = toApi(isFile ? readContract(given) : toContract(given, "The document"), false);
  if (api.operations.length > 0) return api;
  throw new ContractError(`${isFile ? given : "The document"} has no operations.`);
};

/** What is read comes before what is written, and that before what is deleted. */
const order = ["get", "head", "query", "options", "post", "put", "patch", "delete"];

const toApi = ({ operations }: ApiDescription, isFramework: boolean): Api => {
  const all = Object.values(operations).map((one) => toOperation(one, isFramework));
  const toRank = ({ method }: Operation): number => order.indexOf(method);
  return {
    operations: all.toSorted((one, other) =>
      one.path === other.path ? toRank(one) - toRank(other) : one.path < other.path ? -1 : 1,
    ),
    isFramework,
  };
};

const toOperation = (described: Described, isFramework: boolean): Operation => {
  const { path, operationId, parameters, body, responses, security } = described;
  const method = described.method.toLowerCase();
  const route = (isFramework ? operationId : undefined) ?? path;
  return {
    key: `${method} ${route}`,
    ...{ method, route, path, security },
    parameters: Object.values(parameters).map((one) => toParameter(one, path)),
    body: body && toBodies(body.content, "request"),
    isBodyRequired: body?.required === true,
    replies: Object.fromEntries(
      Object.entries(responses).map(([status, { headers, content }]) => [
        status,
        { headers, content: toBodies(content, "response") },
      ]),
    ),
  };
};

const toParameter = (
  { name, in: place, required, schema = {}, style, explode }: DescribedParameter,
  path: string,
): Parameter => ({
  name,
  end: place === "path" ? findEnd(path, name) : undefined,
  in: place as Parameter["in"],
  isRequired: required === true,
  schema,
  isDeep: style === "deepObject",
  isOthers:
    place === "query" && style === "form" && explode && schema.types?.includes("object") === true,
});

/** Finds the text between a parameter of a path and the next one of the same segment. */
const findEnd = (path: string, name: string): string | undefined => {
  const start = path.indexOf(`{${name}}`) + name.length + 2;
  return /^([^{/]+)\{/.exec(path.slice(start))?.[1];
};

const bytes: Schema = { types: ["string"], format: "binary" };

/** Keeps the schemas of media; that of each event takes the place of that of a stream. */
const toBodies = (content: Content, direction: Direction): Bodies =>
  Object.fromEntries(
    Object.entries(content).map(([type, { schema, itemSchema }]) => [
      type,
      toView(itemSchema ?? schema ?? (isJsonType(type) ? {} : bytes), direction),
    ]),
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
export const isProtected = ({ security }: Operation): boolean => security.length > 0;

/** Whether a header field is declared, by its name in lower case. */
export const hasHeader = (operation: Operation, name: string): boolean =>
  findParameter(operation, "header", name) !== undefined;
