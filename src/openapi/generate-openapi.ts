import { listRoutes } from "../routing/list-routes.ts";
import type { EndpointEntry } from "../routing/walk-routing.ts";
import { assertDocumentOptions, assertOpenApiOptions } from "./check-options.ts";
import { Components } from "./components.ts";
import { compact } from "./json.ts";
import { NodeWriter } from "./node-writer.ts";
import { toHeadOperation, toOperation, type OperationContext } from "./operation.ts";
import { toOperationPlace } from "./operation-place.ts";
import type { JsonObject, OpenApiDocument, OpenApiOptions, OpenApiVersion } from "./options.ts";
import { groupByPath, OperationIds } from "./path-templates.ts";
import { SecuritySchemes } from "./security-schemes.ts";
import { SharedResponses } from "./shared-responses.ts";
import { toVersion } from "./versions.ts";
import { reserveIds, toWebhooks } from "./webhooks.ts";

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
  const { openapi = "3.1", override = {} } = options;
  const components = new Components(new NodeWriter(override.schema));
  const context: OperationContext = {
    components,
    shared: new SharedResponses(components),
    security: new SecuritySchemes(),
    version: openapi,
    override: override.operation,
  };
  const ids = new OperationIds(entries);
  reserveIds(options.webhooks, ids);
  const paths = toPaths(entries, options, ids, context);
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
  entries: readonly EndpointEntry[],
  { config = {}, head = false }: Omit<OpenApiOptions, "routing">,
  ids: OperationIds,
  context: OperationContext,
): JsonObject => {
  const paths: JsonObject = {};
  for (const [template, group] of groupByPath(entries)) {
    const item: JsonObject = {};
    for (const entry of group) {
      const place = toOperationPlace(entry, ids.find(entry), config);
      const operation = toOperation(place, context);
      item[entry.method] = operation;
      if (head && entry.method === "get")
        item["head"] = toHeadOperation(
          operation,
          ids.make("head", entry.path),
          place,
          context.override,
        );
    }
    paths[template] = item;
  }
  return paths;
};

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
