import { Operation, toQueryParser } from "../api/operation.ts";
import { capitalise, OperationIds } from "../api/operation-ids.ts";
import { listRoutes } from "../routing/walk-routing.ts";
import type { EndpointEntry } from "../routing/walk-routing.ts";
import type { ZodSchema } from "../schemas/schema.ts";
import { assertDocumentOptions, assertOpenApiOptions } from "./check-options.ts";
import { Components } from "./components.ts";
import { compact } from "./json.ts";
import { toHeadOperation, toOperation, type OperationContext } from "./operation.ts";
import type {
  JsonObject,
  OpenApiDocument,
  OpenApiOptions,
  OpenApiVersion,
  Webhook,
} from "./options.ts";
import { groupByPath } from "./path-templates.ts";
import { toVersion } from "./nullable-dialect.ts";
import { SharedResponses } from "./responses.ts";
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
  assertOpenApiOptions(options);
  const { routing, config = {} } = options;
  const entries = listRoutes(routing, config).flatMap((entry) =>
    entry.kind === "endpoint" ? entry : [],
  );
  return writeDocument(entries, options);
};

/**
 * Generates the document from a list of routes.
 *
 * @throws OpenApiError when something cannot be documented.
 */
export const writeDocument = (
  entries: readonly EndpointEntry[],
  options: Omit<OpenApiOptions, "routing">,
): OpenApiDocument => {
  assertDocumentOptions(options);
  const { config = {}, openapi = "3.1", override = {} } = options;
  const components = new Components(override.schema);
  const context: OperationContext = {
    components,
    shared: new SharedResponses(components),
    security: new SecuritySchemes(),
    version: openapi,
    queryParser: toQueryParser(config),
    override: override.operation,
  };
  const ids = new OperationIds(entries);
  reserveIds(options.webhooks, ids);
  const paths = toPaths(
    entries.map((entry) => new Operation(entry, config)),
    options,
    ids,
    context,
  );
  const webhooks = toWebhooks(options.webhooks, ids, components);
  const own = compact({
    responses: context.shared.toComponents(),
    securitySchemes: context.security.toComponents(),
  });
  const document = components.finish(
    compact({
      openapi: versions[openapi],
      info: toInfo(options.info, openapi),
      servers: toServers(options.servers),
      tags: toTags(options.tags, paths, webhooks),
      paths,
      [openapi === "3.0" ? "x-webhooks" : "webhooks"]: webhooks,
      components: Object.keys(own).length > 0 ? own : undefined,
    }),
  );
  return toVersion(document, openapi) as OpenApiDocument;
};

const versions: Readonly<Record<OpenApiVersion, string>> = {
  "3.0": "3.0.4",
  "3.1": "3.1.2",
  "3.2": "3.2.0",
};

const toPaths = (
  operations: readonly Operation[],
  { head = false }: Omit<OpenApiOptions, "routing">,
  ids: OperationIds,
  context: OperationContext,
): JsonObject => {
  const paths: JsonObject = {};
  for (const [template, group] of groupByPath(operations)) {
    const item: JsonObject = {};
    for (const operation of group) {
      const { method, path, route } = operation;
      const id = ids.find(operation);
      const place = { name: toName(id), at: route, method, route: path, path: "input" };
      const json = toOperation(operation, place, id, context);
      item[method] = json;
      if (head && method === "get")
        item["head"] = toHeadOperation(
          operation,
          json,
          ids.make({ method: "head", path }),
          context.override,
        );
    }
    paths[template] = item;
  }
  return paths;
};

/** Derives the name of a component from an id. */
const toName = (id: string): string => capitalise(id).replaceAll(/[^\w.-]/g, "_");

const toInfo = (
  { summary, ...info }: OpenApiOptions["info"],
  version: OpenApiVersion,
): JsonObject =>
  compact({
    ...info,
    summary: version === "3.0" ? undefined : summary,
    contact: info.contact && compact(info.contact),
    license: info.license && toLicense(info.license, version),
  });

/** Omits the license identifier for OpenAPI 3.0, which does not have it. */
const toLicense = (
  { identifier, ...license }: NonNullable<OpenApiOptions["info"]["license"]>,
  version: OpenApiVersion,
): JsonObject => compact({ ...license, identifier: version === "3.0" ? undefined : identifier });

const toServers = (servers: OpenApiOptions["servers"] = "/"): readonly JsonObject[] =>
  [servers]
    .flat()
    .map((server) => (typeof server === "string" ? { url: server } : compact({ ...server })));

/** Registers the ids of the webhooks, so that generated ids of operations never collide with them. */
const reserveIds = (webhooks: OpenApiOptions["webhooks"] = {}, ids: OperationIds): void => {
  for (const [name, { method = "post", operationId = name }] of Object.entries(webhooks))
    ids.give(operationId, { method, path: toWebhookPlace(name) });
};

const toWebhookPlace = (name: string): string => `the webhook ${name}`;

/** Writes the webhooks: the requests that the API sends. */
const toWebhooks = (
  webhooks: OpenApiOptions["webhooks"] = {},
  ids: OperationIds,
  components: Components,
): JsonObject | undefined => {
  const entries = Object.entries(webhooks).map(([name, webhook]) => [
    name,
    { [webhook.method ?? "post"]: toWebhook(name, webhook, ids, components) },
  ]);
  return entries.length > 0 ? (Object.fromEntries(entries) as JsonObject) : undefined;
};

const toWebhook = (
  name: string,
  {
    method = "post",
    input,
    output,
    shortDescription,
    description,
    tag,
    operationId = name,
  }: Webhook,
  ids: OperationIds,
  components: Components,
): JsonObject => {
  const at = toWebhookPlace(name);
  const write = (schema: Webhook["input"], direction: "input" | "output"): JsonObject =>
    components.write(schema as ZodSchema, direction, { name: toName(name), at, path: direction });
  return compact({
    operationId: ids.give(operationId, { method, path: at }),
    summary: shortDescription,
    description,
    tags: tag === undefined ? undefined : [tag].flat(),
    requestBody: input && {
      required: true,
      content: { "application/json": { schema: write(input, "input") } },
    },
    responses: {
      "2XX": compact({
        description: "Received",
        content: output && { "application/json": { schema: write(output, "output") } },
      }),
    },
  });
};

/** Lists the tags: first the described ones, in their order, then the others in use. */
const toTags = (
  described: OpenApiOptions["tags"] = {},
  ...groups: readonly (JsonObject | undefined)[]
): readonly JsonObject[] | undefined => {
  const used = groups
    .flatMap((group) => Object.values(group ?? {}))
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
