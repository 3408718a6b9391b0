import { isObject, toList, type Json, type JsonObject } from "@sallyport/document";
import { code, identifier, imported, join, todo, type Code } from "./code.ts";
import type { ApiDocument } from "./document.ts";
import { toPascal, type Names } from "./names.ts";
import type { Direction } from "./writer.ts";
import { z, type Constant, type SchemaCode } from "./primitive-code.ts";

type Write = (raw: JsonObject, direction: Direction) => SchemaCode;

/** Keywords whose effect depends on the direction of the message. */
const turning = ["readOnly", "writeOnly", "default"];

/** The constants of the schemas that have names, in the order in which they can be declared. */
export class Constants {
  readonly #document: ApiDocument;
  readonly #names: Names;
  readonly #ids = new Set<string>();
  readonly #known = { request: new Map<Json, Constant>(), response: new Map<Json, Constant>() };
  readonly #turning = new Map<Json, boolean>();
  readonly #declarations: Code[] = [];

  constructor(document: ApiDocument, names: Names) {
    this.#document = document;
    this.#names = names;
  }

  /** Returns the constant of what a reference leads to; `write` writes its schema if it is new. */
  find(reference: string, raw: JsonObject, direction: Direction, write: Write): Constant {
    const known = this.#known[direction].get(raw);
    if (known) return known;
    const other = this.#known[direction === "request" ? "response" : "request"].get(raw);
    if (other && !this.#turns(raw)) {
      this.#known[direction].set(raw, other);
      return other;
    }
    const stem = unescape(reference.split("/").at(-1) ?? "");
    const suffix = other ? (direction === "request" ? "Input" : "Output") : "";
    const name = this.#names.take(`${toPascal(stem)}${suffix}`);
    const constant: Constant = { name, raw, code: imported(name, "./schemas") };
    this.#known[direction].set(raw, constant);
    constant.written = this.#declare(constant, `${stem}${suffix}`, write(raw, direction));
    return constant;
  }

  #declare({ name, raw }: Constant, stem: string, written: SchemaCode): SchemaCode {
    const id = this.#toId(stem);
    const own = identifier(name);
    const { isLate, untold, meta } = written;
    // what is not within a field is read at once
    const text = isLate ? code`${z}.lazy(() => ${written.code})` : written.code;
    const type = isLate ? code`: ${z}.ZodType` : code``;
    const isAlias = isObject(raw) && typeof raw["$ref"] === "string";
    const all = isAlias ? meta : { id, ...meta };
    const told = Object.keys(all).length > 0 ? code`.meta(${all})` : code``;
    this.#declarations.push(
      code`${join(untold.map(todo), code``)}export const ${own}${type} = ${text}${told};\nexport type ${own} = ${z}.output<typeof ${own}>;`,
    );
    return { ...written, untold: [], isLate: false, isShape: written.isShape && !isLate };
  }

  #toId(stem: string): string {
    const plain = stem.replaceAll(/[^\w.-]+/g, "_") || "Schema";
    let id = plain;
    for (let count = 2; this.#ids.has(id.toLowerCase()); count++) id = `${plain}${count}`;
    this.#ids.add(id.toLowerCase());
    return id;
  }

  /** Whether a schema differs in requests and responses. */
  #turns(raw: JsonObject): boolean {
    const known = this.#turning.get(raw);
    if (known !== undefined) return known;
    const seen = new Set<Json>();
    const search = (value: Json): boolean => {
      if (typeof value !== "object" || value === null || seen.has(value)) return false;
      seen.add(value);
      if (!isObject(value)) return toList(value).some(search);
      if (turning.some((name) => name in value)) return true;
      const target =
        typeof value["$ref"] === "string" ? this.#document.resolveSchema(value) : undefined;
      return (target !== undefined && search(target)) || Object.values(value).some(search);
    };
    const turns = search(raw);
    this.#turning.set(raw, turns);
    return turns;
  }

  /** Writes the declarations, each after those that it needs. */
  get code(): Code {
    return join(this.#declarations, code`\n\n`);
  }
}

const unescape = (part: string): string => {
  const plain = part.replaceAll("~1", "/").replaceAll("~0", "~");
  try {
    return decodeURIComponent(plain);
  } catch {
    return plain;
  }
};
