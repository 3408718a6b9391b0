/** A type that has a name. */
interface NamedType {
  /** What several types of one origin share: they share a name as well where they are written the same. */
  readonly origin: string;
  /** The name that is wanted for it. */
  readonly wanted: string;
  readonly text: string;
  readonly comment: string;
}

/** What refers to a type until its name is settled; no source of TypeScript has these characters. */
const [opening, closing] = ["\u0001", "\u0002"];
const toReference = (key: string): string => `${opening}${key}${closing}`;

/** Puts names in the place of references. */
const replaceReferences = (text: string, toName: (key: string) => string): string => {
  const [start = "", ...others] = text.split(opening);
  const named = others.map((part) => {
    const [key = "", rest = ""] = part.split(closing);
    return toName(key) + rest;
  });
  return start + named.join("");
};

/** Makes a name of a type, such as `UserProfile` of `user-profile`. */
export const toTypeName = (text: string): string => {
  const words = text.split(/[^A-Za-z0-9]+/).filter((word) => word !== "");
  const name = words.map((word) => word.slice(0, 1).toUpperCase() + word.slice(1)).join("");
  return /^[A-Z]/.test(name) ? name : `Type${name}`;
};

/** Names types: what refers to one is written before its name is known. */
export class TypeNames {
  readonly #types = new Map<string, NamedType>();
  readonly #shared = new Map<string, string>();

  /** Refers to a type by its key. */
  refer(key: string): string {
    return toReference(key);
  }

  /** Gives a type a name, and refers to it. */
  define(key: string, type: NamedType): string {
    this.#types.set(key, type);
    return toReference(key);
  }

  /** Gives one name to all types that are written the same, and refers to it. */
  share(wanted: string, text: string, comment: string): string {
    const key = this.#shared.get(`${wanted} ${text}`) ?? `shared/${this.#shared.size}`;
    this.#shared.set(`${wanted} ${text}`, key);
    return this.define(key, { origin: key, wanted, text, comment });
  }

  /** Writes the declarations of all types, and gives a text with their names in it. */
  finish(
    text: string,
    taken: ReadonlySet<string>,
  ): { readonly text: string; readonly declarations: readonly string[]; readonly names: string[] } {
    const classes = this.#classify();
    const names = this.#toNames(classes, taken);
    const settle = (own: string): string =>
      replaceReferences(own, (key) => names.get(classes.get(key) ?? "") ?? "unknown");
    const declared = new Map<string, string>();
    for (const [key, { text: own, comment }] of this.#types) {
      const name = names.get(classes.get(key) ?? "") ?? "";
      declared.set(name, `${comment}export type ${name} = ${settle(own)};`);
    }
    return {
      text: settle(text),
      declarations: [...declared.values()],
      names: [...declared.keys()],
    };
  }

  /** Tells which types are the same, down to what they refer to. */
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
      // what is sent and what is received may differ
      const { wanted = "", own: all = new Set() } = origins.get(origin) ?? {};
      const isSentOfTwo = key.startsWith("sent/") && all.size > 1;
      const base = isSentOfTwo ? `${wanted}Input` : wanted;
      let name = base;
      for (let number = 2; used.has(name); number++) name = `${base}${number}`;
      used.add(name);
      names.set(own, name);
    }
    return names;
  }
}
