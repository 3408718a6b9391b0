import type { EndpointDescription } from "./endpoint.ts";
import type { DefinitionBase } from "./endpoint-definition.ts";
import type { Method } from "../http/method.ts";
import type { InputSchema } from "../schemas/schema.ts";
import { aBoolean, aString, assertValues, toList, type ValueCheck } from "./check-definition.ts";

const labels: ValueCheck = [
  "a string or an array of strings",
  (value) =>
    typeof value === "string" ||
    (Array.isArray(value) && value.every((one) => typeof one === "string")),
];

const checks: Readonly<Record<string, ValueCheck>> = {
  shortDescription: aString,
  description: aString,
  tag: labels,
  scope: labels,
  operationId: [
    "a string, or a function that returns the id for a method",
    (value) => typeof value === "string" || typeof value === "function",
  ],
  deprecated: aBoolean,
};

/**
 * Extracts the parts of a definition that generated documents show.
 *
 * @throws {@link DefinitionError} when one of them is invalid.
 */
export const toDescription = (
  where: string,
  definition: Pick<
    DefinitionBase<Method, InputSchema>,
    "shortDescription" | "description" | "tag" | "scope" | "operationId" | "deprecated"
  >,
): EndpointDescription => {
  assertValues(where, definition, checks);
  const { shortDescription, description, tag, scope, operationId, deprecated } = definition;
  return {
    ...{ shortDescription, description, operationId },
    tags: toList(tag),
    scopes: toList(scope),
    isDeprecated: deprecated ?? false,
  };
};
