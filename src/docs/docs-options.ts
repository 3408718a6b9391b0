import type { OpenApiInfo, OpenApiOptions } from "../openapi/options.ts";
import type { GuardFactory } from "../routing/static-files.ts";

/** How the documentation of an API is served; beside what `generateOpenApi` takes. */
export interface DocsOptions extends Pick<
  OpenApiOptions,
  "servers" | "openapi" | "tags" | "webhooks" | "head" | "override"
> {
  /**
   * Where the page is; the document is beneath, as `openapi.json` and `openapi.yaml`.
   *
   * @default "/docs"
   */
  readonly path?: string | undefined;
  /** @default the name, version and description of the package.json of the working directory */
  readonly info?: OpenApiInfo | undefined;
  /**
   * The page: of the package `@scalar/api-reference` or of `swagger-ui-dist`, which must be installed.
   *
   * @default "scalar"
   */
  readonly ui?: "scalar" | "swagger" | undefined;
  /**
   * Its middlewares run before anything of the documentation is sent, and its result handler answers what they throw.
   *
   * With a factory the documentation is served in production, too.
   */
  readonly factory?: GuardFactory | undefined;
  /**
   * Whether it is served with NODE_ENV=production.
   *
   * @default false, unless there is a `factory`
   */
  readonly production?: boolean | undefined;
}
