export { generateOpenApi } from "./generate-openapi.ts";
export { OpenApiError } from "../errors.ts";
export type { OpenApiErrorCode } from "../errors.ts";
export type {
  Direction,
  DocumentedConfig,
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
