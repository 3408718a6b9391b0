import { readFileSync } from "node:fs";
import type { OpenApiInfo, OpenApiOptions } from "../openapi/options.ts";
import type { GuardFactory } from "../../define/routing/static-files.ts";

/** Options for serving the documentation of an API, in addition to those of `generateOpenApi`. */
export interface DocsOptions extends Omit<OpenApiOptions, "config" | "info" | "routing"> {
  /**
   * The path of the page; the document is below it, as `openapi.json` and `openapi.yaml`.
   *
   * @default "/docs"
   */
  readonly path?: string | undefined;
  /** @default the name, version and description from the package.json in the working directory */
  readonly info?: OpenApiInfo | undefined;
  /**
   * The user interface, from the package `swagger-ui-dist` or `@scalar/api-reference`, which must be installed.
   *
   * @default "swagger"
   */
  readonly ui?: "scalar" | "swagger" | undefined;
  /**
   * A factory whose middlewares run before any of the documentation is sent, and whose result handler sends the errors
   * that they throw. With a factory, the documentation is also served in production.
   */
  readonly factory?: GuardFactory | undefined;
  /**
   * Says that everybody may read the documentation, for `access: "explicit"` of the configuration.
   *
   * @default undecided, or what the `factory` says
   */
  readonly access?: "public" | undefined;
  /**
   * Whether to serve the documentation if NODE_ENV is `production`.
   *
   * @default false, unless there is a `factory`
   */
  readonly production?: boolean | undefined;
}

/** Returns those of the options that describe the document. */
export const toDocumentOptions = ({
  path: _path,
  ui: _ui,
  access: _access,
  factory: _factory,
  production: _production,
  info = readInfo(),
  ...options
}: DocsOptions) => ({ info, ...options });

/** Reads the name, version and description of the API from the package.json in the working directory. */
const readInfo = (): OpenApiInfo => {
  let read: unknown;
  try {
    read = JSON.parse(readFileSync(`${process.cwd()}/package.json`, "utf8"));
  } catch {
    // there is no file, or not one that describes a package
  }
  const { name, version, description } = Object(read) as Readonly<Record<string, unknown>>;
  return {
    title: typeof name === "string" ? name : "API",
    version: typeof version === "string" ? version : "0.0.0",
    ...(typeof description === "string" && description !== "" && { description }),
  };
};
