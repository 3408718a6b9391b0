import type { ZodSchema } from "../schemas/schema.ts";
import type { Components } from "./components.ts";
import { compact } from "./json.ts";
import type { JsonObject, OpenApiOptions, Webhook } from "./options.ts";
import type { OperationIds } from "./path-templates.ts";

/** Registers the ids of the webhooks, so that generated ids of operations never collide with them. */
export const reserveIds = (webhooks: OpenApiOptions["webhooks"] = {}, ids: OperationIds): void => {
  for (const [name, { method = "post", operationId = name }] of Object.entries(webhooks))
    ids.give(operationId, { method, path: toPlace(name) });
};

const toPlace = (name: string): string => `the webhook ${name}`;

/** Writes the webhooks: the requests that the API sends. */
export const toWebhooks = (
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
  const at = toPlace(name);
  const write = (schema: Webhook["input"], direction: "input" | "output"): JsonObject =>
    components.write(schema as ZodSchema, direction, {
      name: `${name.slice(0, 1).toUpperCase()}${name.slice(1)}`.replaceAll(/[^\w.-]/g, "_"),
      at,
      path: direction,
    });
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
