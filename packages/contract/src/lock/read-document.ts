import {
  DocumentError,
  normalise,
  parseText,
  readSource,
  type ApiDescription,
  type Source,
} from "@sallyport/document";
import { toUsageError } from "../errors.ts";
import { isRevision, readText, resolvePlace } from "./read-text.ts";

/**
 * Reads an OpenAPI document in JSON or YAML, and the files that it refers to; also of a revision in Git.
 *
 * @throws {@link ContractError} when a file cannot be read, or is no such document.
 */
export const readContract = (file: string): ApiDescription => {
  try {
    return normalise(isRevision(file) ? readRevisionSource(file) : readSource(file));
  } catch (error) {
    if (error instanceof DocumentError) throw toUsageError(error.message);
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
