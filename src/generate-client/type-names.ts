import { capitalise, toFreeName, toWords } from "../api/operation-ids.ts";

interface NamedType {
  /** The origin of the type; types of one origin share a name if they are written identically. */
  readonly origin: string;
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
  readonly #types = new Map<string, NamedType>();
  readonly #shared = new Map<string, string>();

  define(key: string, type: NamedType): string {
    this.#types.set(key, type);
    return toReference(key);
  }

  /** Gives all identical types one name, and returns a reference to it. */
  share(wanted: string, text: string, comment: string): string {
    const key = this.#shared.get(`${wanted} ${text}`) ?? `shared/${this.#shared.size}`;
    this.#shared.set(`${wanted} ${text}`, key);
    return this.define(key, { origin: key, wanted, text, comment });
  }

  /** Writes the declarations of all types, and inserts their names into a text. */
  finish(
    text: string,
    taken: ReadonlySet<string>,
  ): { readonly text: string; readonly declarations: readonly string[] } {
    const classes = this.#classify();
    const names = this.#toNames(classes, taken);
    const settle = (own: string): string =>
      replaceReferences(own, (key) => names.get(classes.get(key) ?? "") ?? "unknown");
    const declared = new Map<string, string>();
    for (const [key, { text: own, comment }] of this.#types) {
      const name = names.get(classes.get(key) ?? "") ?? "";
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

  #toNames(
    classes: ReadonlyMap<string, string>,
    taken: ReadonlySet<string>,
  ): ReadonlyMap<string, string> {
    const names = new Map<string, string>();
    const used = new Set(taken);
    const origins = new Map<string, { readonly wanted: string; readonly own: Set<string> }>();
    for (const [key, { origin, wanted }] of this.#types) {
      const known = origins.get(origin) ?? { wanted, own: new Set() };
      known.own.add(classes.get(key) ?? "");
      origins.set(origin, known);
    }
    for (const [key, { origin }] of this.#types) {
      const own = classes.get(key) ?? "";
      if (names.has(own)) continue;
      // the type that is sent may differ from the type that is received
      const { wanted = "", own: all = new Set() } = origins.get(origin) ?? {};
      const isSentOfTwo = key.startsWith("sent/") && all.size > 1;
      const base = isSentOfTwo ? `${wanted}Input` : wanted;
      const name = toFreeName(base, (one) => used.has(one));
      used.add(name);
      names.set(own, name);
    }
    return names;
  }
}
