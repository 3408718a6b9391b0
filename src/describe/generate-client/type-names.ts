import { toFreeName } from "../api/operation-ids.ts";
import { capitalise, toWords } from "../api/words.ts";

interface NamedType {
  /** Types of one origin, by default the key, share a name if they are written identically. */
  readonly origin?: string;
  readonly wanted: string;
  readonly text: string;
  readonly comment: string;
}

/** The delimiters of a reference, which stands for a type until its name is known; no source contains them. */
const [opening, closing] = ["\u0001", "\u0002"];
export const toReference = (key: string): string => `${opening}${JSON.stringify(key)}${closing}`;

const replaceReferences = (text: string, toName: (key: string) => string): string => {
  const [start = "", ...others] = text.split(opening);
  const named = others.map((part) => {
    const [key = "", rest = ""] = part.split(closing);
    return toName(JSON.parse(key) as string) + rest;
  });
  return start + named.join("");
};

/** Derives a type name, such as `UserProfile` from `user-profile`. */
export const toTypeName = (text: string): string => {
  const name = toWords(text).map(capitalise).join("");
  return /^[A-Z]/.test(name) ? name : `Type${name}`;
};

/** Names types. References to a type are written before its name is known. */
export class TypeNames {
  readonly #types = new Map<string, Required<NamedType>>();
  readonly #wanted = new Map<string, string>();

  define(key: string, { origin = key, ...type }: NamedType): string {
    // what is wanted for the first type of an origin is wanted for all
    const wanted = this.#wanted.get(origin) ?? type.wanted;
    this.#wanted.set(origin, wanted);
    this.#types.set(key, { ...type, origin, wanted });
    return toReference(key);
  }

  /** Writes the declarations of all types, and inserts their names into a text. */
  finish(
    text: string,
    taken: ReadonlySet<string>,
  ): { readonly text: string; readonly declarations: readonly string[] } {
    const names = this.#toNames(taken);
    const settle = (own: string): string =>
      replaceReferences(own, (key) => names.get(key) ?? "unknown");
    const declared = new Map<string, string>();
    for (const [key, { text: own, comment }] of this.#types) {
      const name = names.get(key) ?? "";
      declared.set(name, `${comment}export type ${name} = ${settle(own)};`);
    }
    return { text: settle(text), declarations: [...declared.values()] };
  }

  /** Determines which types are identical, including everything that they refer to. */
  #classify(): ReadonlyMap<string, string> {
    let classes = new Map([...this.#types].map(([key, { origin }]) => [key, origin]));
    for (let before = 0; ;) {
      const count = new Set(classes.values()).size;
      if (count === before) return classes;
      before = count;
      const known = classes;
      const numbers = new Map<string, number>();
      classes = new Map(
        [...this.#types].map(([key, { origin, text }]) => {
          const own = replaceReferences(text, (other) => `<${known.get(other)}>`);
          const number = numbers.get(`${origin} ${own}`) ?? numbers.size;
          numbers.set(`${origin} ${own}`, number);
          return [key, `${origin}#${number}`];
        }),
      );
    }
  }

  #toNames(taken: ReadonlySet<string>): ReadonlyMap<string, string> {
    const classes = this.#classify();
    const names = new Map<string, string>();
    const used = new Set(taken);
    for (const [key, { origin, wanted }] of this.#types) {
      const own = classes.get(key) ?? "";
      if (names.has(own)) continue;
      // the type that is sent may differ from the type that is received
      const isSentOfTwo =
        key.startsWith("sent/") &&
        [...this.#types].some(
          ([other, type]) => type.origin === origin && classes.get(other) !== own,
        );
      const name = toFreeName(isSentOfTwo ? `${wanted}Input` : wanted, (one) => used.has(one));
      used.add(name);
      names.set(own, name);
    }
    return new Map([...classes].map(([key, own]) => [key, names.get(own) ?? ""]));
  }
}
