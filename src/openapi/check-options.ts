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
const webhookNames: readonly string[] = [
  ...["method", "input", "output", "shortDescription", "description", "tag", "operationId"],
];

/** @throws {@link OpenApiError} when an option is unknown, or an option that describes the document is invalid. */
export const assertOptions = (options: Omit<OpenApiOptions, "routing">): void => {
  if (!isObject(options)) throw wrong("the argument must be an object of options");
  assertKnown("generateOpenApi", options, names);
  const given: JsonObject = options;
  const { info, openapi = "3.1", routes = "/", servers = [], webhooks = {}, override = {} } = given;
  if (!isObject(info) || typeof info["title"] !== "string" || typeof info["version"] !== "string")
    throw wrong(
      '`info` must have a `title` and a `version`, as in { title: "Users", version: "1.0.0" }',
    );
  const isVersion = ["3.0", "3.1", "3.2"].includes(openapi as string);
  assert(isVersion, "`openapi`", '"3.0", "3.1" or "3.2"', openapi);
  const isSelection = typeof routes === "function" || String(routes).startsWith("/");
  assert(isSelection, "`routes`", 'a path, such as "/v1", or a function', routes);
  for (const server of [servers].flat()) assertServer(server);
  assert(isObject(webhooks), "`webhooks`", "an object", webhooks);
  for (const [name, webhook] of Object.entries(webhooks as object))
    assertWebhook(`\`webhooks\`, ${JSON.stringify(name)}`, webhook);
  assertKeys("`override`", override, ["schema", "operation"]);
  for (const [name, value] of Object.entries(override as object)) {
    const isRight = value === undefined || typeof value === "function";
    assert(isRight, `\`override.${name}\``, "a function", value);
  }
};

const assertServer = (server: unknown): void => {
  if (typeof server === "string") return;
  const extensions = Object.keys(Object(server) as object).filter((name) => name.startsWith("x-"));
  assertKeys("`servers`", server, ["url", "description", "variables", ...extensions]);
  const { url } = server as JsonObject;
  if (typeof url !== "string")
    throw wrong(`a server must have a \`url\`, such as "/v1"; got ${show(url)}`);
};

const assertWebhook = (where: string, webhook: unknown): void => {
  assertKeys(where, webhook, webhookNames);
  const { method = "post", input, output } = webhook as JsonObject;
  const methods = `one of ${endpointMethods.join(", ")}`;
  assert(isMethod(method as string), `${where}: \`method\``, methods, method);
  for (const [name, schema] of Object.entries({ input, output })) {
    const isRight = schema === undefined || isSchema(schema);
    assert(isRight, `${where}: \`${name}\``, "a Zod 4 schema", schema);
  }
};

const assertKeys = (where: string, value: unknown, known: readonly string[]): void => {
  assert(isObject(value), where, "an object", value);
  assertKnown(`generateOpenApi: ${where}`, value as object, known);
};

const assertKnown = (where: string, value: object, known: readonly string[]): void => {
  const unknown = describeUnknownKey("option", value, known, { where });
  if (unknown !== undefined) throw new OpenApiError("SLP_OPENAPI_OPTION", unknown, {});
};

const assert = (isRight: boolean, name: string, expected: string, value: unknown): void => {
  if (!isRight) throw wrong(`${name} must be ${expected}; got ${show(value)}`);
};

const wrong = (text: string): OpenApiError =>
  new OpenApiError("SLP_OPENAPI_OPTION", `generateOpenApi: ${text}.`, {});
