import { describeUnknownKey } from "../messages/unknown-names.ts";
import { show } from "../messages/show.ts";
import { OpenApiError } from "../errors.ts";
import { endpointMethods, isMethod } from "../http/method.ts";
import { isSchema } from "../schemas/schema.ts";
import { isObject } from "./json.ts";
import type { JsonObject, OpenApiOptions } from "./options.ts";

const names: readonly string[] = [
  ...["routing", "config", "info", "servers", "openapi", "tags", "webhooks", "head", "override"],
  "routes",
];

/** @throws {@link OpenApiError} when an option is unknown, or an option that describes the document is invalid. */
export const assertOptions = (options: Omit<OpenApiOptions, "routing">): void => {
  if (!isObject(options)) throw wrong("the argument must be an object of options");
  assertKnown("generateOpenApi", options, names);
  const {
    info,
    openapi = "3.1",
    routes = "/",
    servers = [],
    webhooks = {},
    override = {},
  } = options as JsonObject;
  if (!isObject(info) || typeof info["title"] !== "string" || typeof info["version"] !== "string")
    throw wrong(
      '`info` must have a `title` and a `version`, as in { title: "Users", version: "1.0.0" }',
    );
  if (!["3.0", "3.1", "3.2"].includes(openapi as string))
    throw wrong(`\`openapi\` must be "3.0", "3.1" or "3.2"; got ${show(openapi)}`);
  if (typeof routes !== "function" && !String(routes).startsWith("/"))
    throw wrong(`\`routes\` must be a path, such as "/v1", or a function; got ${show(routes)}`);
  for (const server of [servers].flat()) assertServer(server);
  if (!isObject(webhooks)) throw wrong(`\`webhooks\` must be an object; got ${show(webhooks)}`);
  for (const [name, webhook] of Object.entries(webhooks))
    assertWebhook(`\`webhooks\`, ${JSON.stringify(name)}`, webhook);
  assertKeys("`override`", override, ["schema", "operation"]);
  for (const [name, value] of Object.entries(override as object))
    if (value !== undefined && typeof value !== "function")
      throw wrong(`\`override.${name}\` must be a function; got ${show(value)}`);
};

const assertServer = (server: unknown): void => {
  if (typeof server === "string") return;
  assertKeys("`servers`", server, ["url", "description", "variables", ...listExtensions(server)]);
  const { url } = server as JsonObject;
  if (typeof url !== "string")
    throw wrong(`a server must have a \`url\`, such as "/v1"; got ${show(url)}`);
};

const webhookNames = [
  ...["method", "input", "output", "shortDescription", "description", "tag", "operationId"],
];

const assertWebhook = (where: string, webhook: unknown): void => {
  assertKeys(where, webhook, webhookNames);
  const { method = "post", input, output } = webhook as JsonObject;
  if (!isMethod(method as string))
    throw wrong(
      `${where}: \`method\` must be one of ${endpointMethods.join(", ")}; got ${show(method)}`,
    );
  for (const [name, schema] of Object.entries({ input, output }))
    if (schema !== undefined && !isSchema(schema))
      throw wrong(`${where}: \`${name}\` must be a Zod 4 schema; got ${show(schema)}`);
};

const listExtensions = (server: unknown): readonly string[] =>
  Object.keys(Object(server) as object).filter((name) => name.startsWith("x-"));

const assertKeys = (where: string, value: unknown, known: readonly string[]): void => {
  if (!isObject(value)) throw wrong(`${where} must be an object; got ${show(value)}`);
  assertKnown(`generateOpenApi: ${where}`, value, known);
};

const assertKnown = (where: string, value: object, known: readonly string[]): void => {
  const unknown = describeUnknownKey("option", value, known, { where });
  if (unknown !== undefined) throw new OpenApiError("SLP_OPENAPI_OPTION", unknown, {});
};

const wrong = (text: string): OpenApiError =>
  new OpenApiError("SLP_OPENAPI_OPTION", `generateOpenApi: ${text}.`, {});
