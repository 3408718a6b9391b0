export { generateOpenApi } from "./generate-openapi.ts";
export { toYaml } from "./to-yaml.ts";
export { OpenApiError } from "../../basics/errors.ts";
export type { OpenApiErrorCode } from "../../basics/errors.ts";
export type { DocumentedConfig } from "../api/operation.ts";
export type {
  Direction,
  DocumentedRoute,
  JsonObject,
  OpenApiBody,
  OpenApiDocument,
  OpenApiInfo,
  OpenApiMedia,
  OpenApiOperation,
  OpenApiOptions,
  OpenApiOverride,
  OpenApiParameter,
  OpenApiReference,
  OpenApiResponse,
  OpenApiServer,
  OpenApiTag,
  OpenApiVersion,
  Webhook,
  WrittenOperation,
  WrittenSchema,
} from "./options.ts";
