import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { writeDocument } from "../openapi/generate-openapi.ts";
import type { DocumentedConfig } from "../api/operation.ts";
import type { OpenApiDocument, OpenApiInfo } from "../openapi/options.ts";
import { toYaml } from "../openapi/to-yaml.ts";
import type { EndpointEntry } from "../routing/walk-routing.ts";
import type { DocsOptions } from "./docs-options.ts";

export interface Content {
  readonly type: string;
  readonly bytes: Buffer;
  readonly etag: string;
}

export const toContent = (type: string, body: string | Buffer): Content => {
  const bytes = Buffer.from(body as string);
  const etag = `"${createHash("sha256").update(bytes).digest("base64url").slice(0, 27)}"`;
  return { type, bytes, etag };
};

/** The document of an API, generated when first requested; throws OpenApiError when the API cannot be documented. */
export class DocumentTexts {
  readonly #write: () => OpenApiDocument;
  #document: OpenApiDocument | undefined;
  readonly #contents = new Map<string, Content>();

  constructor(entries: readonly EndpointEntry[], config: DocumentedConfig, options: DocsOptions) {
    const documented = { config, ...toDocumentOptions(options) };
    this.#write = () => writeDocument(() => entries, documented);
  }

  get document(): OpenApiDocument {
    return (this.#document ??= this.#write());
  }

  /** Returns the document in the given format, ready to be sent. */
  find(format: "json" | "yaml"): Content {
    const write = format === "json" ? JSON.stringify : toYaml;
    const content =
      this.#contents.get(format) ??
      toContent(`application/${format}; charset=utf-8`, write(this.document));
    this.#contents.set(format, content);
    return content;
  }
}

/** Returns those of the options that describe the document. */
export const toDocumentOptions = ({
  path: _path,
  ui: _ui,
  factory: _factory,
  production: _production,
  info = readInfo(),
  ...options
}: DocsOptions) => ({ info, ...options });

/** Reads the name, version and description of the API from the package.json in the working directory. */
export const readInfo = (folder: string = process.cwd()): OpenApiInfo => {
  let read: unknown;
  try {
    read = JSON.parse(readFileSync(`${folder}/package.json`, "utf8"));
  } catch {
    // there is no file, or not one that describes a package
  }
  const { name, version, description } = Object(read) as Readonly<Record<string, unknown>>;
  return {
    title: typeof name === "string" ? name : "API",
    version: typeof version === "string" ? version : "0.0.0",
    ...(typeof description === "string" && { description }),
  };
};
