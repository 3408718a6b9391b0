import { normalise } from "./api/normalise-document.ts";
import type { ApiDescription } from "./api/api-description.ts";
import { readSource } from "./read/read-source.ts";
import { Resolver } from "./read/resolver.ts";
import type { Json } from "./json.ts";
import { SchemaNormaliser } from "./schema/normalise-schema.ts";
import type { Schema } from "./schema/schema.ts";

/**
 * Reads an OpenAPI document of version 3.0, 3.1 or 3.2 from a file in JSON or YAML.
 *
 * @throws {@link DocumentError} when the file cannot be read, is no such document, or has a reference that leads nowhere
 * or out of its folder.
 */
export const readDocument = (file: string): ApiDescription => normalise(readSource(file));

/**
 * Reads an OpenAPI document that is in memory.
 *
 * @param name what messages call the document
 * @throws {@link DocumentError} when it is no such document, or has a reference that leads nowhere.
 */
export const toApiDescription = (document: unknown, name: string): ApiDescription =>
  normalise({ document: document as Json, file: name });

/** Returns what converts single schemas of a document to normal form. */
export const toNormaliser = (document: Json, name: string): ((schema: Json) => Schema) => {
  const schemas = new SchemaNormaliser(new Resolver({ document, file: name }));
  return (given) => {
    const schema = schemas.convert(given, name);
    schemas.finish();
    return schema;
  };
};
