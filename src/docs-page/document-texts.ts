import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { stringify } from "yaml";
import { writeDocument } from "../openapi/generate-openapi.ts";
import type { DocumentedConfig } from "../api/operation.ts";
import type { OpenApiDocument, OpenApiInfo } from "../openapi/options.ts";
import type { EndpointEntry } from "../routing/walk-routing.ts";
import type { DocsOptions } from "./docs-options.ts";

/** Bytes to send, and their ETag. */
export interface Content {
  readonly type: string;
  readonly bytes: Buffer;
  readonly etag: string;
}

/** Prepares a string or bytes for sending. */
export const toContent = (type: string, body: string | Buffer): Content => {
  const bytes = Buffer.from(body as string);
  const etag = `"${createHash("sha256").update(bytes).digest("base64url").slice(0, 27)}"`;
  return { type, bytes, etag };
};

/** The document of an API, generated when first requested. */
export class DocumentTexts {
  readonly #write: () => OpenApiDocument;
  #document: OpenApiDocument | undefined;
  readonly #contents = new Map<string, Content>();

  constructor(
    entries: readonly EndpointEntry[],
    config: DocumentedConfig,
    { servers, openapi, tags, webhooks, head, override, info = readInfo() }: DocsOptions,
  ) {
    this.#write = () =>
      writeDocument(entries, {
        ...{ config, info, servers, openapi, tags, webhooks, head, override },
      });
  }

  /** @throws OpenApiError when the API cannot be documented. */
  get document(): OpenApiDocument {
    return (this.#document ??= this.#write());
  }

  /**
   * Returns the document in the given format, ready to be sent.
   *
   * @throws OpenApiError when the API cannot be documented.
   */
  find(format: "json" | "yaml"): Content {
    const content =
      this.#contents.get(format) ??
      (format === "json"
        ? toContent("application/json; charset=utf-8", JSON.stringify(this.document))
        : toContent("application/yaml; charset=utf-8", toYaml(this.document)));
    this.#contents.set(format, content);
    return content;
  }
}

/** Writes a document as YAML without anchors, which some readers do not support. */
export const toYaml = (document: object): string =>
  stringify(document, { aliasDuplicateObjects: false, lineWidth: 0 });

/** Reads the name, version and description of the API from the package.json in the working directory. */
export const readInfo = (folder: string = process.cwd()): OpenApiInfo => {
  const info = { title: "API", version: "0.0.0" };
  let read: Readonly<Record<string, unknown>>;
  try {
    read = JSON.parse(readFileSync(`${folder}/package.json`, "utf8")) as typeof read;
  } catch {
    return info;
  }
  const { name, version, description } = read;
  return {
    title: typeof name === "string" ? name : info.title,
    version: typeof version === "string" ? version : info.version,
    ...(typeof description === "string" && { description }),
  };
};
