import { parse } from "yaml";
import type { Contract } from "./contract.ts";
import { ContractError } from "../errors.ts";
import type { Json } from "./json.ts";
import { readText, resolvePlace } from "./read-text.ts";
import { normalise } from "./normalise-document.ts";

/**
 * Reads an OpenAPI document in JSON or YAML, and the files that it refers to.
 *
 * @throws {@link ContractError} when a file cannot be read, or is no such document.
 */
export const readContract = (file: string): Contract =>
  normalise(readFileDocument(file), file, (path, from) => {
    const other = resolvePlace(path, from);
    return { file: other, document: readFileDocument(other) };
  });

/**
 * Reads a file in JSON or YAML.
 *
 * @throws {@link ContractError} when it cannot be read.
 */
export const readFileDocument = (file: string): Json => {
  try {
    const text = readText(file);
    // JSON is YAML, too, but takes much longer to read as such; documents of generators may have many aliases
    return file.endsWith(".json")
      ? (JSON.parse(text) as Json)
      : (parse(text, { logLevel: "error", maxAliasCount: -1, merge: true }) as Json);
  } catch (error) {
    const reason = error instanceof Error ? error.message.split("\n")[0] : String(error);
    throw new ContractError(`${file} cannot be read: ${reason}`);
  }
};
