import { ContractError, toUsageError } from "../errors.ts";
import {
  DocumentError,
  isObject,
  readSource,
  type Json,
  type JsonObject,
} from "@sallyport/document";
import { toApi, type Api } from "./operation.ts";

/**
 * Reads what the document of a server declares, from a file or as it is.
 *
 * @throws {@link ContractError} when it cannot be read, or is not OpenAPI 3.
 */
export const readDocument = (given: string | object): Api => {
  const name = typeof given === "string" ? given : "The document";
  const document = typeof given === "string" ? readFile(given) : (given as Json);
  const version = isObject(document) ? document["openapi"] : undefined;
  if (!isObject(document) || typeof version !== "string" || !version.startsWith("3."))
    throw new ContractError(`${name} is not an OpenAPI 3 document: it has no openapi: "3.x".`);
  const [, other] = /"\$ref":"([^"#][^"]*)"/.exec(JSON.stringify(document)) ?? [];
  if (other !== undefined)
    throw new ContractError(
      `${name} refers to ${other}, which verify does not read. Bundle it into one file, as with \`npx @redocly/cli bundle\`.`,
    );
  const upgraded = version.startsWith("3.0") ? (upgrade(document) as JsonObject) : document;
  const api = toApi(upgraded, false);
  if (api.operations.length > 0) return api;
  throw new ContractError(`${name} has no operations.`);
};

const readFile = (file: string): Json => {
  try {
    return readSource(file).document;
  } catch (error) {
    if (error instanceof DocumentError) throw toUsageError(error.message);
    throw error;
  }
};

/** Rewrites what schemas of OpenAPI 3.0 say in another way than those of 3.1. */
const upgrade = (value: Json): Json => {
  if (Array.isArray(value)) return (value as readonly Json[]).map(upgrade);
  if (!isObject(value)) return value;
  const own = Object.fromEntries(Object.entries(value).map(([key, one]) => [key, upgrade(one)]));
  const { nullable, exclusiveMinimum: above, exclusiveMaximum: below, ...rest } = own;
  return {
    ...rest,
    ...toExclusive("Minimum", above, rest),
    ...toExclusive("Maximum", below, rest),
    ...(nullable === true && {
      ...(typeof rest["type"] === "string" && { type: [rest["type"], "null"] }),
      ...(Array.isArray(rest["enum"]) && { enum: [...(rest["enum"] as readonly Json[]), null] }),
    }),
    // a property may have this name
    ...(isObject(nullable) && { nullable }),
  };
};

const toExclusive = (
  name: "Minimum" | "Maximum",
  limit: Json | undefined,
  rest: JsonObject,
): Readonly<Record<string, Json | undefined>> => {
  if (limit === undefined || limit === false) return {};
  const inclusive = name.toLowerCase();
  return limit === true
    ? { [inclusive]: undefined, [`exclusive${name}`]: rest[inclusive] }
    : { [`exclusive${name}`]: limit };
};
