const words = (text: string): readonly string[] =>
  text
    .replaceAll(/([a-z\d])([A-Z])/g, "$1 $2")
    .split(/[^\p{L}\d]+/u)
    .filter((word) => word !== "");

const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

const safe = (name: string): string => (/^[\p{L}_$]/u.test(name) ? name : `_${name}`);

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
    .join("-") || "default";

const reserved = new Set(
  "break case catch class const continue debugger default delete do else enum export extends false finally for function if import in instanceof new null package return static super switch this throw true try typeof var void while with yield let await interface private protected public implements z ez createHttpError Date Object String Number Boolean Array Error Map Set Promise Symbol Function RegExp Buffer".split(
    " ",
  ),
);

/** Names a path parameter as routes can: `user-id` becomes `userId`, which clients do not see. */
export const toPathParameter = (name: string): string =>
  /^[A-Za-z_$][\w$]*$/.test(name) ? name : toCamel(name);

/** Converts a path such as `/users/{id}` to that of a route. */
export const toRoutePath = (path: string): string =>
  path.replaceAll(/\{(.*?)\}/g, (_all, name: string) => `:${toPathParameter(name)}`);

/** Gives out names, each once. */
export class Names {
  readonly #taken = new Set<string>(reserved);

  take(name: string): string {
    let free = name;
    for (let count = 2; this.#taken.has(free); count++) free = `${name}${count}`;
    this.#taken.add(free);
    return free;
  }
}

/** Writes the key of an object literal. */
export const toKey = (name: string): string =>
  /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
