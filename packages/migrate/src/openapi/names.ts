const words = (text: string): readonly string[] =>
  text
    .replaceAll(/([a-z\d])([A-Z])/g, "$1 $2")
    .split(/[^\p{L}\d]+/u)
    .filter((word) => word !== "");

const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

/** The longest name; texts of documents may be names, too. */
const longest = 80;

const safe = (name: string): string =>
  (/^[\p{ID_Start}_$]/u.test(name) ? name : `_${name}`).slice(0, longest);

/** `list-users` becomes `ListUsers`. */
export const toPascal = (text: string): string => safe(words(text).map(capital).join(""));

/** `List users` becomes `listUsers`. */
export const toCamel = (text: string): string => {
  const name = toPascal(text);
  const head = /^[A-Z]+(?=[A-Z][a-z])|^[A-Z]+$|^[A-Z]/.exec(name)?.[0] ?? "";
  return head.toLowerCase() + name.slice(head.length);
};

/** `listUsers` becomes `list-users`. */
export const toKebab = (text: string): string =>
  words(text)
    .map((word) => word.toLowerCase())
    .join("-")
    .slice(0, longest) || "default";

export const isHeaderName = (text: string): boolean => /^[\w!#$%&'*+.^`|~-]+$/.test(text);

/** Keywords, globals, and what the written modules import. */
const reserved = new Set(
  "arguments break case catch class const continue debugger default delete do else enum eval export extends false finally for function if import in instanceof new null package return static super switch this throw true try typeof undefined var void while with yield let await interface private protected public implements any unknown never string number boolean symbol object bigint z ez createConfig createHttpError EndpointsFactory Middleware Routing NaN Infinity Date Object String Number Boolean Array Error Map Set Promise Symbol Function RegExp Buffer JSON Math globalThis process".split(
    " ",
  ),
);

/** Gives out names, each once. */
export class Names {
  readonly #taken: Set<string>;

  constructor(taken: Iterable<string> = []) {
    this.#taken = new Set([...reserved, ...taken]);
  }

  take(name: string): string {
    let free = name;
    for (let count = 2; this.#taken.has(free); count++) free = `${name}${count}`;
    this.#taken.add(free);
    return free;
  }
}
