import { defaults } from "../../basics/defaults.ts";
import { listOperations, type Operation } from "../api/operation.ts";
import { documentChecks } from "../api/document-checks.ts";
import { OperationIds } from "../api/operation-ids.ts";
import { capitalise } from "../api/words.ts";
import { OpenApiError } from "../../basics/errors.ts";
import { anything, checkOptions, isObject } from "../../basics/messages/option-checks.ts";
import { listRoutes, type EndpointEntry } from "../../define/routing/walk-routing.ts";
import type { ZodSchema } from "../../basics/schemas/schema.ts";
import { Components } from "./components.ts";
import { compact, mapValues, nonEmpty } from "./map-json.ts";
import { toLink } from "./operation-links.ts";
import { toHeadOperation, toOperation, toSummary } from "./to-operation.ts";
import type { Method } from "../../basics/http/method.ts";
import type {
  JsonObject,
  OpenApiDocument,
  OpenApiOperation,
  OpenApiOptions,
  OpenApiVersion,
  Webhook,
} from "./options.ts";
import { toVersion } from "./nullable-dialect.ts";
import { idHeader, type WriteContext } from "./responses.ts";
import { SecuritySchemes } from "./security-schemes.ts";

/**
 * Generates the OpenAPI document of an API: a plain object, to be written as JSON or YAML.
 *
 * The document is generated from the routing and the configuration, and describes what is sent over the wire: inputs
 * before their transformation, outputs after it. Static files and preflight requests are left out.
 *
 * @throws {@link OpenApiError} when something cannot be documented; the message names the place and the fix.
 * @throws RoutingError when the routing is invalid.
 * @example
 * const document = generateOpenApi({ routing, config, info: { title: "Users", version: "1.0.0" } });
 */
export const generateOpenApi = (options: OpenApiOptions): OpenApiDocument => {
  assertOptions(options);
  return writeDocument(listRoutes(options.routing, options.config ?? {}).endpoints, options);
};

/** @throws {@link OpenApiError} when an option is unknown, or an option that describes the document is invalid. */
const assertOptions = (options: unknown): void => {
  const { info = null } = Object(options) as { readonly info?: unknown };
  const given = isObject(options) ? { ...options, info } : options;
  checkOptions(
    "generateOpenApi",
    given,
    { routing: anything, config: anything, ...documentChecks },
    (text) => new OpenApiError("SLP_OPENAPI_OPTION", text, {}),
  );
};

/** Generates the document from a list of routes, with options that have been checked. */
export const writeDocument = (
  entries: readonly EndpointEntry[],
  options: Omit<OpenApiOptions, "routing">,
): OpenApiDocument => {
  const { config = {}, openapi = defaults.docs.openapi, webhooks: sent = {} } = options;
  const operations = selectOperations(listOperations(entries, config), options.routes);
  const components = new Components(options.override?.schema);
  const security = new SecuritySchemes(operations);
  const ids = new OperationIds(operations);
  // generated ids of operations never collide with those of webhooks
  for (const [name, { method = defaults.webhook.method, operationId = name }] of Object.entries(
    sent,
  ))
    ids.give(operationId, method, toWebhookPlace(name));
  const link = (target: string, from: Operation) => toLink(target, from, operations, ids);
  const paths = toPaths(operations, options, ids, { components, security, version: openapi, link });
  const webhooks = mapValues(sent, (webhook, name) =>
    toWebhook(name, webhook, components, openapi),
  );
  const securitySchemes = nonEmpty(security.toComponents());
  const hasIds = operations.some(({ idField }) => idField !== undefined);
  const headers = hasIds ? { RequestId: idHeader } : undefined;
  const document = components.finish(
    compact({
      openapi: versions[openapi],
      info: toInfo(options.info, openapi),
      servers: toServers(options.servers),
      tags: toTags(options.tags, paths, webhooks),
      security: security.isUsed ? undefined : [],
      paths,
      [openapi === "3.0" ? "x-webhooks" : "webhooks"]: nonEmpty(webhooks),
      components: nonEmpty(compact({ headers, securitySchemes })),
    }),
  );
  return toVersion(document, openapi) as OpenApiDocument;
};

const versions: Readonly<Record<OpenApiVersion, string>> = {
  "3.0": "3.0.4",
  "3.1": "3.1.2",
  "3.2": "3.2.0",
};

/** @throws {@link OpenApiError} when there is no route at a path or below it. */
const selectOperations = (
  operations: readonly Operation[],
  routes: OpenApiOptions["routes"],
): readonly Operation[] => {
  if (routes === undefined) return operations;
  if (typeof routes === "function")
    return operations.filter(({ method, path, endpoint }) =>
      routes({ method, path, tags: endpoint.tags, endpoint }),
    );
  const below = routes.endsWith("/") ? routes : `${routes}/`;
  const selected = operations.filter(({ path }) => `${path}/`.startsWith(below));
  if (selected.length === 0)
    throw new OpenApiError(
      "SLP_OPENAPI_OPTION",
      `generateOpenApi: \`routes\`: there is no route at ${JSON.stringify(routes)} or below it.`,
      {},
    );
  return selected;
};

/** Names the field of a path item that describes a method; before 3.2, there is none for QUERY. */
const toField = (method: Method | "head", version: OpenApiVersion): string =>
  method === "query" && version !== "3.2" ? "x-query" : method;

const toPaths = (
  operations: readonly Operation[],
  { head = false, override }: Pick<OpenApiOptions, "head" | "override">,
  ids: OperationIds,
  context: WriteContext,
): JsonObject => {
  const paths: JsonObject = {};
  for (const group of groupByPath(operations)) {
    const item: JsonObject = {};
    for (const operation of group) {
      const { method, path, route, endpoint, isRetrieval } = operation;
      const add = (name: Method | "head", json: OpenApiOperation): OpenApiOperation => {
        const written = override?.operation?.({ method: name, path, endpoint, operation: json });
        item[toField(name, context.version)] = written ?? json;
        return written ?? json;
      };
      const id = ids.find(operation);
      const place = { name: toName(id), at: route, method, route: path, path: "input" };
      const json = add(method, toOperation(operation, place, id, context));
      if (head && isRetrieval) add("head", toHeadOperation(json, ids.make(operation, "head")));
      paths[toTemplate(operation)] = item;
    }
  }
  return paths;
};

/** Writes a path with its parameters in braces, such as `/users/{id}`. */
const toTemplate = ({ segments }: Operation): string => {
  const parts = segments.map(({ names, around }) =>
    around
      .map((text, at) => encodeText(text) + (at < names.length ? `{${names[at]}}` : ""))
      .join(""),
  );
  return `/${parts.join("/")}`;
};

const encodeText = (text: string): string =>
  encodeURIComponent(text).replaceAll(/%(?:2[1-9AaCc]|3[ABDabd]|40)/g, (code) =>
    decodeURIComponent(code),
  );

/** @throws {@link OpenApiError} when two paths differ only in the names of their parameters, which OpenAPI ignores. */
const groupByPath = (operations: readonly Operation[]): readonly (readonly Operation[])[] => {
  const groups = new Map<string, readonly Operation[]>();
  for (const operation of operations) {
    const shape = JSON.stringify(operation.segments.map(({ around }) => around));
    const group = groups.get(shape) ?? [];
    const [known = operation] = group;
    if (toTemplate(known) !== toTemplate(operation))
      throw new OpenApiError(
        "SLP_OPENAPI_PATHS",
        `${known.route} and ${operation.route} are the same path in OpenAPI, because only the names of their parameters differ. Give the parameters the same names, or add literal text to one of the paths.`,
        { method: operation.method, route: operation.path },
      );
    groups.set(shape, [...group, operation]);
  }
  return [...groups.values()];
};

const toName = (id: string): string => capitalise(id).replaceAll(/[^\w.-]/g, "_");

const toInfo = (
  { summary, ...info }: OpenApiOptions["info"],
  version: OpenApiVersion,
): JsonObject =>
  compact({
    ...info,
    summary: version === "3.0" ? undefined : summary,
    contact: info.contact && compact(info.contact),
    license:
      info.license &&
      compact({ ...info.license, ...(version === "3.0" && { identifier: undefined }) }),
  });

const toServers = (servers: OpenApiOptions["servers"] = "/"): readonly JsonObject[] =>
  [servers]
    .flat()
    .map((server) => (typeof server === "string" ? { url: server } : compact({ ...server })));

const toWebhookPlace = (name: string): string => `the webhook ${name}`;

const toWebhook = (
  name: string,
  webhook: Webhook,
  components: Components,
  version: OpenApiVersion,
): JsonObject => {
  const { method = defaults.webhook.method, tag, operationId = name } = webhook;
  const toContent = (path: "input" | "output"): JsonObject | undefined => {
    const place = { name: toName(name), at: toWebhookPlace(name), path };
    const schema = webhook[path] as ZodSchema | undefined;
    return schema && { "application/json": { schema: components.write(schema, path, place) } };
  };
  const body = toContent("input");
  return {
    [toField(method, version)]: compact({
      operationId,
      summary: webhook.shortDescription ?? toSummary(webhook.description),
      description: webhook.description,
      tags: tag === undefined ? undefined : [tag].flat(),
      requestBody: body && { required: true, content: body },
      responses: {
        "2XX": compact({ description: "Received", content: toContent("output") }),
      },
    }),
  };
};

/** Lists the tags: first the described ones, in their order, then the others in use. */
const toTags = (
  described: OpenApiOptions["tags"] = {},
  ...groups: readonly JsonObject[]
): readonly JsonObject[] | undefined => {
  const used = groups
    .flatMap((group) => Object.values(group))
    .flatMap((item) => Object.values(item as JsonObject))
    .flatMap((operation) => (operation as { readonly tags?: readonly string[] }).tags ?? []);
  const names = [...new Set([...Object.keys(described), ...used])];
  if (names.length === 0) return undefined;
  return names.map((name) => {
    const tag = described[name];
    if (tag === undefined) return { name };
    const { description, url } = typeof tag === "string" ? { description: tag } : tag;
    return compact({ name, description, externalDocs: url === undefined ? undefined : { url } });
  });
};
