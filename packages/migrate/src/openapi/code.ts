import type { Json } from "@sallyport/document";

/** The modules of names, by name; a module that is written, too, begins with a dot. */
export type Imports = ReadonlyMap<string, string>;

let create: (text: string, imports?: Imports) => Code;

/**
 * Code of TypeScript, with what it imports. Only {@link code} and the functions of this file make it, so text of a
 * document never becomes code: it is written as a literal, a comment, or a name that is checked.
 */
export class Code {
  readonly #text: string;
  readonly imports: Imports;

  private constructor(text: string, imports: Imports) {
    this.#text = text;
    this.imports = imports;
  }

  get text(): string {
    return this.#text;
  }

  static {
    create = (text, imports = new Map()) => new Code(text, imports);
  }
}

/** A part of code: code is inserted as it is, any other value becomes a literal, and undefined nothing. */
export type Part = Code | Json | undefined;

export const code = (texts: TemplateStringsArray, ...parts: readonly Part[]): Code =>
  concat(texts.flatMap((text, at) => [create(text), toCode(parts[at])]));

const toCode = (part: Part): Code => {
  if (part instanceof Code) return part;
  return part === undefined ? create("") : create(toLiteral(part));
};

const concat = (parts: readonly Code[], separator = ""): Code => {
  const imports = new Map<string, string>();
  for (const part of parts) for (const [name, module] of part.imports) imports.set(name, module);
  return create(parts.map(({ text }) => text).join(separator), imports);
};

export const nothing: Code = code``;

export const join = (parts: readonly Code[], separator: Code = code`, `): Code =>
  concat(parts, separator.text);

/** Writes an object, a member in each line. */
export const block = (members: readonly Code[]): Code =>
  members.length === 0 ? code`{}` : code`{\n${join(members, code`,\n`)},\n}`;

/** JSON is code, except that `__proto__` would set the prototype. */
const toLiteral = (value: Json): string => {
  if (Array.isArray(value)) return `[${value.map(toLiteral).join(", ")}]`;
  if (typeof value !== "object" || value === null) return escape(JSON.stringify(value));
  const members = Object.entries(value).flatMap(([name, one]) =>
    one === undefined ? [] : [`${key(name).text}: ${toLiteral(one)}`],
  );
  return `{ ${members.join(", ")} }`;
};

/** Some readers take these for line breaks, or for the end of a script. */
const escape = (literal: string): string =>
  literal.replaceAll("\u2028", "\\u2028").replaceAll("\u2029", "\\u2029").replaceAll("</", "<\\/");

const isIdentifier = (text: string): boolean => /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u.test(text);

/** @throws TypeError when the text is no identifier. */
export const identifier = (text: string): Code => {
  if (!isIdentifier(text)) throw new TypeError(`${JSON.stringify(text)} is no identifier.`);
  return create(text);
};

/** Writes a name, and imports it from a module; of http-errors, it is the default export. */
export const imported = (name: string, module: string): Code =>
  create(identifier(name).text, new Map([[name, module]]));

/** Writes a type, and imports it from a module. */
export const importedType = (name: string, module: string): Code =>
  create(identifier(name).text, new Map([[`type ${name}`, module]]));

/** Writes the key of an object. */
export const key = (name: string): Code => {
  if (name === "__proto__") return code`["__proto__"]`;
  return isIdentifier(name) ? create(name) : code`${name}`;
};

export const mark = "TODO(sallyport-migrate):";

/** Writes what a person must do as a comment of one line. */
export const todo = (text: string): Code =>
  create(`// ${mark} ${text.replaceAll(/[\s\p{Cc}\u2028\u2029]+/gu, " ").trim()}\n`);

/** Writes a module of code, after what it imports. */
export const toModule = (body: Code, name: string): string => {
  const modules = new Map<string, string[]>();
  for (const [one, module] of body.imports)
    if (module !== `./${name}`) modules.set(module, [...(modules.get(module) ?? []), one]);
  const toPath = (module: string): string =>
    module.startsWith("./") && !/\.[cm]?js$/.test(module)
      ? `${name.includes("/") ? `.${module}` : module}.js`
      : module;
  const imports = [...modules].toSorted(([one], [other]) => (one < other ? -1 : 1));
  return [
    ...imports.map(
      ([module, names]) =>
        `import ${module === "http-errors" ? names.join() : `{ ${names.toSorted().join(", ")} }`} from ${JSON.stringify(toPath(module))};\n`,
    ),
    `\n${body.text}\n`,
  ].join("");
};
