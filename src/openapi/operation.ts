import { toStatusText } from "../http/status.ts";
import { compact } from "./json.ts";
import type { OperationPlace } from "./operation-place.ts";
import type { JsonObject, OpenApiOverride } from "./options.ts";
import { toParameters } from "./parameters.ts";
import { placeInput } from "./placement.ts";
import { toRequestBody } from "./request-body.ts";
import { toResponses, type ResponseContext } from "./responses.ts";
import type { SecuritySchemes } from "./security-schemes.ts";

/** The tools and settings for writing operations. */
export interface OperationContext extends ResponseContext {
  readonly security: SecuritySchemes;
  readonly override: OpenApiOverride["operation"];
}

/** Writes an operation. */
export const toOperation = (place: OperationPlace, context: OperationContext): JsonObject => {
  const { endpoint, operationId, method, path } = place;
  const { components } = context;
  const placement = placeInput(place, components);
  const parameters = toParameters(placement, place, components);
  const operation = compact({
    operationId,
    summary: endpoint.shortDescription,
    description: endpoint.description,
    tags: endpoint.tags.length > 0 ? endpoint.tags : undefined,
    deprecated: endpoint.isDeprecated ? true : undefined,
    security: context.security.write(place),
    parameters: parameters.length > 0 ? parameters : undefined,
    requestBody: toRequestBody(placement, place, components),
    responses: toResponses(place, context),
  });
  return context.override?.({ method, path, endpoint, operation }) ?? operation;
};

/** Writes the HEAD operation for a GET operation: the same, but without response bodies. */
export const toHeadOperation = (
  operation: JsonObject,
  operationId: string,
  place: OperationPlace,
  override: OpenApiOverride["operation"],
): JsonObject => {
  const { responses } = operation as { readonly responses: Record<string, JsonObject> };
  const head: JsonObject = {
    ...operation,
    operationId,
    responses: Object.fromEntries(
      Object.entries(responses).map(([status, { content: _content, ...response }]) => [
        status,
        "$ref" in response ? { description: toStatusText(Number(status)) } : response,
      ]),
    ),
  };
  const { method: _get, ...rest } = place;
  return override?.({ ...rest, method: "head", operation: head }) ?? head;
};
