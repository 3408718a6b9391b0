import type { EndpointDescription } from "./endpoint.ts";
import type { DefinitionBase } from "./endpoint-definition.ts";
import type { Method } from "../http/method.ts";
import type { InputSchema } from "../schemas/schema.ts";
import { toList } from "./check-definition.ts";

/** Extracts the parts of a definition that generated documents show. */
export const toDescription = ({
  shortDescription,
  description,
  tag,
  scope,
  operationId,
  deprecated = false,
}: Pick<
  DefinitionBase<Method, InputSchema>,
  "shortDescription" | "description" | "tag" | "scope" | "operationId" | "deprecated"
>): EndpointDescription => ({
  shortDescription,
  description,
  tags: toList(tag),
  scopes: toList(scope),
  operationId,
  isDeprecated: deprecated,
});
