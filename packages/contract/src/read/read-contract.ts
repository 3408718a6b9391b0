import {
  DocumentError,
  normalise,
  parseText,
  readSource,
  type ApiDescription,
  type Json,
  type Source,
} from "@sallyport/document";
import { ContractError } from "../errors.ts";
import { isRevision, readText, resolvePlace } from "./read-text.ts";

/**
 * Reads an OpenAPI document in JSON or YAML, and the files that it refers to; also of a revision in Git.
 *
 * @throws {@link ContractError} when a file cannot be read, or is no such document.
 */
export const readContract = (file: string): ApiDescription =>
  explain(() => normalise(isRevision(file) ? readRevisionSource(file) : readSource(file)));

/**
 * Reads an OpenAPI document that is in memory.
 *
 * @param name what messages call the document
 * @throws {@link ContractError} when it is no such document.
 */
export const toContract = (document: object, name: string): ApiDescription =>
  explain(() => normalise({ document: document as Json, file: name }));

const explain = (read: () => ApiDescription): ApiDescription => {
  try {
    return read();
  } catch (error) {
    if (error instanceof DocumentError) throw new ContractError(error.message);
    // such as a callback that contains itself
    if (error instanceof RangeError)
      throw new ContractError("The document refers to itself without end, or nests too deeply.");
    throw error;
  }
};

const readRevisionSource = (file: string): Source => {
  const read = (place: string): Source["document"] => {
    let text: string;
    try {
      text = readText(place);
    } catch (error) {
      throw new DocumentError(`${place} cannot be read: ${(error as Error).message}`);
    }
    return parseText(text, place);
  };
  return {
    file,
    document: read(file),
    readOther: (path, from) => {
      const other = resolvePlace(path, from);
      return { file: other, document: read(other) };
    },
  };
};
