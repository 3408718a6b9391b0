import { DocumentError } from "../errors.ts";
import { isObject, type Json, type JsonObject } from "../json.ts";
import type { ReadOther, Source } from "./read-source.ts";

/** A value, and the file that it is in. */
export type Located = readonly [value: Json, file: string];

/** Follows the references of a document, and of those in other files. */
export class Resolver {
  readonly #documents: Map<string, Json>;
  readonly #readOther: ReadOther | undefined;
  readonly #anchors = new Map<string, ReadonlyMap<string, Json>>();

  constructor({ document, file, readOther }: Source) {
    this.#documents = new Map([[file, document]]);
    this.#readOther = readOther;
  }

  /**
   * Returns what a value refers to, or the value itself if it is no reference, and the file that it is in.
   *
   * @throws {@link DocumentError} when a reference leads nowhere, to itself, or out of the document.
   */
  resolve(given: JsonObject, file: string): Located {
    let [value, place]: Located = [given, file];
    const seen = new Set<string>();
    while (isObject(value) && typeof value["$ref"] === "string") {
      const reference: string = value["$ref"];
      const key = `${place} ${reference}`;
      if (seen.has(key))
        throw new DocumentError(
          `${file}: the reference ${reference} leads to itself. Correct or remove it.`,
        );
      seen.add(key);
      [value, place] = this.#follow(reference, place);
    }
    return [value, place];
  }

  #follow(reference: string, from: string): Located {
    const at = reference.indexOf("#");
    const path = at < 0 ? reference : reference.slice(0, at);
    const fragment = at < 0 ? "" : reference.slice(at + 1);
    const file = path === "" ? from : this.#open(path, from, reference);
    const document = this.#documents.get(file);
    const [value, place] =
      fragment === "" || fragment.startsWith("/")
        ? this.#findAt(document, fragment, file)
        : [this.#listAnchors(file, document).get(fragment), file];
    if (value === undefined)
      throw new DocumentError(
        `${from}: the reference ${reference} leads nowhere. Correct or remove it.`,
      );
    return [value, place];
  }

  /** Finds what a pointer of RFC 6901 leads to, through references; each part may be percent-encoded. */
  #findAt(
    document: Json | undefined,
    pointer: string,
    from: string,
  ): readonly [value: Json | undefined, file: string] {
    let [value, file]: readonly [Json | undefined, string] = [document, from];
    for (const part of pointer.split("/").slice(1)) {
      const names = [unescape(decode(part)), unescape(part)];
      const isThrough =
        isObject(value) && !names.some((name) => Object.hasOwn(value as object, name));
      if (isThrough) [value, file] = this.resolve(value as JsonObject, file);
      value = names.map((name) => readMember(value, name)).find((one) => one !== undefined);
    }
    return [value, file];
  }

  #open(path: string, from: string, reference: string): string {
    if (!this.#readOther || /^[a-z][a-z\d+.-]*:|^\/\//i.test(path))
      throw new DocumentError(
        `${from}: the reference ${reference} leads out of the document. Bundle the document into one file.`,
      );
    const { file, document } = this.#readOther(decode(path), from);
    if (!this.#documents.has(file)) this.#documents.set(file, document);
    return file;
  }

  /** Lists what `$anchor` names in a file. */
  #listAnchors(file: string, document: Json | undefined): ReadonlyMap<string, Json> {
    const known = this.#anchors.get(file);
    if (known) return known;
    const anchors = new Map<string, Json>();
    const seen = new Set<object>();
    const waiting: (Json | undefined)[] = [document];
    for (let value = waiting.pop(); value !== undefined; value = waiting.pop()) {
      if (typeof value !== "object" || value === null || seen.has(value)) continue;
      seen.add(value);
      if (isObject(value))
        for (const key of ["$anchor", "$dynamicAnchor"])
          if (typeof value[key] === "string") anchors.set(value[key], value);
      for (const inner of Object.values(value)) waiting.push(inner);
    }
    this.#anchors.set(file, anchors);
    return anchors;
  }
}

const unescape = (part: string): string => part.replaceAll("~1", "/").replaceAll("~0", "~");

const readMember = (value: Json | undefined, name: string): Json | undefined => {
  if (Array.isArray(value))
    return /^\d+$/.test(name) ? (value as readonly Json[])[Number(name)] : undefined;
  return isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
};

/** A percent sign that encodes nothing stays as it is. */
const decode = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};
