import { ContractError } from "../errors.ts";
import { isObject, type Json, type JsonObject } from "./json.ts";

/** Reads the document at a path that a reference names, relative to another document. */
export type ReadOther = (
  path: string,
  from: string,
) => { readonly file: string; readonly document: Json };

/** Follows the references of a document, and of those in other files. */
export class Resolver {
  readonly #documents: Map<string, Json>;
  readonly #readOther: ReadOther | undefined;

  constructor(document: Json, file: string, readOther?: ReadOther) {
    this.#documents = new Map([[file, document]]);
    this.#readOther = readOther;
  }

  /**
   * Returns what a value refers to, or the value itself if it is no reference, and the file that it is in.
   *
   * @throws {@link ContractError} when a reference leads nowhere, or to itself.
   */
  resolve(given: JsonObject, file: string): readonly [value: Json, file: string] {
    let [value, place]: readonly [Json, string] = [given, file];
    const seen = new Set<string>();
    while (isObject(value) && typeof value["$ref"] === "string") {
      const reference: string = value["$ref"];
      const key = `${place} ${reference}`;
      if (seen.has(key))
        throw new ContractError(`${file}: the reference ${reference} leads to itself.`);
      seen.add(key);
      [value, place] = this.#follow(reference, place);
    }
    return [value, place];
  }

  #follow(reference: string, from: string): readonly [Json, string] {
    const at = reference.indexOf("#");
    const path = at < 0 ? reference : reference.slice(0, at);
    const pointer = at < 0 ? "" : reference.slice(at + 1);
    const file = path === "" ? from : this.#open(path, from, reference);
    let value: Json | undefined = this.#documents.get(file);
    for (const part of pointer.split("/").slice(1)) {
      const name = decode(part).replaceAll("~1", "/").replaceAll("~0", "~");
      value = readMember(value, name);
    }
    if (value === undefined || (pointer !== "" && !pointer.startsWith("/")))
      throw new ContractError(
        `${from}: the reference ${reference} leads nowhere. Correct or remove it.`,
      );
    return [value, file];
  }

  #open(path: string, from: string, reference: string): string {
    if (!this.#readOther || /^[a-z][a-z\d+.-]+:/i.test(path))
      throw new ContractError(
        `${from}: the reference ${reference} leads out of the document. Bundle the document into one file.`,
      );
    const { file, document } = this.#readOther(path, from);
    if (!this.#documents.has(file)) this.#documents.set(file, document);
    return file;
  }
}

const readMember = (value: Json | undefined, name: string): Json | undefined => {
  if (Array.isArray(value)) return (value as readonly Json[])[Number(name)];
  return isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
};

const decode = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};
