import {
  aBoolean,
  aFunction,
  anything,
  anyObject,
  aString,
  be,
  group,
  isFunction,
  isObject,
  oneOf,
  type Check,
  type Checks,
} from "../../basics/messages/option-checks.ts";
import { endpointMethods } from "../../basics/http/method.ts";
import { isSchema } from "../../basics/schemas/schema.ts";

const hasTexts = (value: unknown, ...names: readonly string[]): boolean =>
  isObject(value) && names.every((name) => typeof Reflect.get(value, name) === "string");

const isServer = be(
  'a URL, such as "/v1", or an object with a `url`',
  (server) => typeof server === "string" || hasTexts(server, "url"),
);

const someServers: Check = (servers, name, wording) => {
  for (const server of [servers].flat()) {
    if (isObject(server)) {
      const extensions = Object.keys(server).filter((key) => key.startsWith("x-"));
      const known = ["url", "description", "variables", ...extensions];
      group(Object.fromEntries(known.map((key) => [key, anything])))(server, name, wording);
    }
    isServer(server, name, wording);
  }
};

const aSchema = be("a Zod 4 schema", isSchema);

const aWebhook = group({
  method: oneOf(...endpointMethods),
  input: aSchema,
  output: aSchema,
  ...{ shortDescription: aString, description: aString, tag: anything, operationId: aString },
});

/** The options that describe a document, which `generateOpenApi` and the `docs` option share. */
export const documentChecks: Checks = {
  info: be(
    'an object with a `title` and a `version`, such as { title: "Users", version: "1.0.0" }',
    (info) => hasTexts(info, "title", "version"),
  ),
  servers: someServers,
  openapi: oneOf("3.0", "3.1", "3.2"),
  tags: anyObject,
  webhooks: (webhooks, name, wording) => {
    anyObject(webhooks, name, wording);
    for (const [key, webhook] of Object.entries(webhooks as object))
      aWebhook(webhook, `${name}.${key}`, wording);
  },
  head: aBoolean,
  override: group({ schema: aFunction, operation: aFunction }),
  routes: be(
    'a path, such as "/v1", or a function',
    (routes) => isFunction(routes) || (typeof routes === "string" && routes.startsWith("/")),
  ),
};
