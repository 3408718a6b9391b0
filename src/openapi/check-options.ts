import { describeUnknownKey } from "../checks/unknown-names.ts";
import { show } from "../checks/show.ts";
import { OpenApiError } from "../errors.ts";
import { isObject } from "./json.ts";
import type { OpenApiOptions } from "./options.ts";

const names: readonly string[] = [
  ...["routing", "config", "info", "servers", "openapi", "tags", "webhooks", "head", "override"],
];

/** @throws {@link OpenApiError} when an option is unknown or invalid. */
export const assertOpenApiOptions = (options: OpenApiOptions): void => {
  if (!isObject(options)) throw wrong("the argument must be an object of options");
  const where = "generateOpenApi";
  const unknown = describeUnknownKey("option", options, names, { where });
  if (unknown !== undefined) throw new OpenApiError("SLP_OPENAPI_OPTION", unknown, {});
  const { info, openapi = "3.1" } = options as Readonly<Record<string, unknown>>;
  if (!isObject(info) || typeof info["title"] !== "string" || typeof info["version"] !== "string")
    throw wrong(
      '`info` must have a `title` and a `version`, as in { title: "Users", version: "1.0.0" }',
    );
  if (!["3.0", "3.1", "3.2"].includes(openapi as string))
    throw wrong(`\`openapi\` must be "3.0", "3.1" or "3.2"; got ${show(openapi)}`);
};

const wrong = (text: string): OpenApiError =>
  new OpenApiError("SLP_OPENAPI_OPTION", `generateOpenApi: ${text}.`, {});
