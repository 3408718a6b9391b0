export { generateOpenApi } from "./generate-openapi.ts";
export { toYaml } from "./to-yaml.ts";
export { OpenApiError } from "../errors.ts";
export type { OpenApiErrorCode } from "../errors.ts";
export type { DocumentedConfig } from "../api/operation.ts";
export type {
  OpenApiBody,
  OpenApiMedia,
  OpenApiOperation,
  OpenApiParameter,
  OpenApiReference,
  OpenApiResponse,
} from "./open-api-operation.ts";
export type {
  Direction,
  DocumentedRoute,
  JsonObject,
  OpenApiDocument,
  OpenApiInfo,
  OpenApiOptions,
  OpenApiOverride,
  OpenApiServer,
  OpenApiTag,
  OpenApiVersion,
  Webhook,
  WrittenOperation,
  WrittenSchema,
} from "./options.ts";
