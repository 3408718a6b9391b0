import {
  DocumentError,
  isObject,
  Resolver,
  type Json,
  type JsonObject,
  type Source,
} from "@sallyport/document";

/** Where the parts of other files are put. */
export const partsKey = "x-parts";

/** Writes a document and those that it refers to as one, in which each reference leads to a part of itself. */
export const bundle = (source: Source): JsonObject => {
  const { document, file } = source;
  const resolver = new Resolver(source);
  const parts: Record<string, Json> = {};
  const names = new Map<Json, string>();
  const copies = new Map<object, Json>();

  /** What is no part of the description, such as a text, may refer to anything. */
  const find = (reference: string, from: string) => {
    try {
      return resolver.resolve({ $ref: reference }, from);
    } catch (error) {
      if (error instanceof DocumentError) return undefined;
      throw error;
    }
  };

  const refer = (reference: string, from: string): string => {
    const found = find(reference, from);
    if (!found) return reference;
    const [target, place] = found;
    if (place === file && reference.startsWith("#")) return reference;
    let name = names.get(target);
    if (name === undefined) {
      const [path = "", pointer = ""] = reference.split("#");
      const stem = (pointer || path.replace(/\.\w+$/, "")).split("/").at(-1) ?? "";
      name = stem;
      for (let count = 2; Object.hasOwn(parts, name); count++) name = `${stem}${count}`;
      names.set(target, name);
      parts[name] = {};
      parts[name] = copy(target, place);
    }
    return `#/${partsKey}/${name.replaceAll("~", "~0").replaceAll("/", "~1").replaceAll("%", "%25")}`;
  };

  const copy = (value: Json, from: string, isMapping = false): Json => {
    if (typeof value !== "object" || value === null) return value;
    const known = copies.get(value);
    if (known !== undefined) return known;
    const made: Json = Array.isArray(value) ? [] : {};
    copies.set(value, made);
    for (const [name, one] of Object.entries(value)) {
      // the values of a mapping are references, too
      const isReference =
        typeof one === "string" && (name === "$ref" || (isMapping && /[/#]/.test(one)));
      const member = isReference ? refer(one, from) : copy(one, from, name === "mapping");
      // an assignment would take `__proto__` for the prototype
      Object.defineProperty(made, name, { value: member, enumerable: true, writable: true });
    }
    return made;
  };

  const whole = copy(document, file);
  return isObject(whole)
    ? { ...whole, ...(Object.keys(parts).length > 0 && { [partsKey]: parts }) }
    : {};
};
