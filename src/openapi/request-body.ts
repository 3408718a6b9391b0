import { isForm } from "../schemas/form.ts";
import type { Components } from "./components.ts";
import { compact } from "./json.ts";
import { acceptsNothing, viewObject } from "./object-view.ts";
import { listInputSchemas, type OperationPlace } from "./operation-place.ts";
import type { JsonObject } from "./options.ts";
import type { Placement } from "./placement.ts";
import { readRawType } from "../schemas/raw.ts";

/** Writes the body of a request; returns undefined if the request has none. */
export const toRequestBody = (
  { body, bodyKind }: Placement,
  place: OperationPlace,
  components: Components,
): JsonObject | undefined => {
  if (!body) return undefined;
  const { fields } = viewObject(body, components);
  const { description } = components.resolve(body);
  return compact({
    description: typeof description === "string" ? description : undefined,
    // `required` is always written, because express-openapi-validator treats a missing value as true
    required: !acceptsNothing(body, components),
    content: toContent(body, bodyKind, place, fields.get("raw")?.json),
  });
};

const toContent = (
  body: JsonObject,
  kind: Placement["bodyKind"],
  { endpoint }: OperationPlace,
  raw: JsonObject | undefined,
): JsonObject => {
  const schemas = listInputSchemas(endpoint);
  if (kind === "raw") {
    const type = schemas.map(readRawType).find((one) => one !== undefined) ?? "*/*";
    return { [type]: { schema: raw ?? body } };
  }
  if (kind === "files") return { "multipart/form-data": { schema: body } };
  if (schemas.some(isForm)) return { "application/x-www-form-urlencoded": { schema: body } };
  return { "application/json": { schema: body } };
};
