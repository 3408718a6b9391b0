import { toCamel } from "./names.ts";

/** A path as routes write it, and the names of its parameters there. */
export interface RoutePath {
  readonly path: string;
  /** The names in routes by those of the document. */
  readonly names: ReadonlyMap<string, string>;
  /** The path without names, by which routes are told apart. */
  readonly shape: string;
}

/** Paths whose parameters have the same names wherever they are the same path. */
export class Paths {
  readonly #names = new Map<string, readonly string[]>();

  /**
   * Converts a path such as `/users/{id}` to that of a route; undefined if no route has such a path.
   *
   * @param taken names that parameters of the path must not have, because other fields have them
   */
  convert(given: string, taken: ReadonlySet<string>): RoutePath | undefined {
    const parts = given.split(/\{([^{}]*)\}/);
    const texts = parts.filter((_part, at) => at % 2 === 0);
    const own = parts.filter((_part, at) => at % 2 === 1);
    if (texts.slice(1, -1).includes("") || /[{}]|\p{Cs}/u.test(texts.join(""))) return undefined;
    if (
      texts
        .join("")
        .split("/")
        .some((part) => /^\.{1,2}$/.test(part))
    )
      return undefined;
    if (new Set(own).size < own.length || !given.startsWith("/")) return undefined;
    const literals = texts.map(toLiteral);
    const shape = literals
      .join(":")
      .split("/")
      .filter((part) => part !== "")
      .join("/");
    const names = this.#names.get(shape) ?? choose(own, taken);
    this.#names.set(shape, names);
    const path = literals
      .map((text, at) => text + (at < names.length ? `:${names[at]}` : ""))
      .join("");
    return { path, shape, names: new Map(own.map((name, at) => [name, names[at] ?? name])) };
  }
}

const choose = (own: readonly string[], taken: ReadonlySet<string>): readonly string[] => {
  const used = new Set(taken);
  return own.map((name) => {
    const plain = /^[A-Za-z_$][\w$]*$/.test(name) && name !== "__proto__" ? name : toAscii(name);
    let free = plain;
    for (let count = 1; used.has(free); count++) free = `${plain}InPath${count > 1 ? count : ""}`;
    used.add(free);
    return free;
  });
};

const toAscii = (name: string): string => {
  const camel = toCamel(name).replaceAll(/[^\w$]/g, "");
  return /^[A-Za-z_$]/.test(camel) ? camel : `_${camel}`;
};

/** Encodes what has a meaning in routes, and what could belong to the name of a parameter before it. */
const toLiteral = (text: string, at: number): string =>
  Array.from(text)
    .map((character, index) =>
      /[\s?*(){}#\\:"'`\p{Cc}\u2028\u2029]/u.test(character) ||
      (at > 0 && index === 0 && /[\w$]/.test(character))
        ? encodeAll(character)
        : character,
    )
    .join("")
    .replaceAll(/%(?![\da-f]{2})/gi, "%25");

const encodeAll = (character: string): string =>
  [...Buffer.from(character)]
    .map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, "0")}`)
    .join("");
