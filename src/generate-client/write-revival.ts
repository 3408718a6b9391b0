import type { z } from "zod";
import type { ZodSchema } from "../schemas/schema.ts";
import { listInnerSchemas } from "../schemas/some-schema.ts";
import {
  isDate,
  readDiscriminator,
  revealsDates,
  structures,
  unwrap,
  type End,
} from "./find-dates.ts";
import { indent, quote } from "./type-text.ts";
import { readPropertyValues } from "../schemas/zod-internals.ts";

/** Writes functions that revive the dates of schemas: one for each object, array or union with dates. */
export class RevivalWriter {
  readonly #names = { input: new Map<ZodSchema, string>(), output: new Map<ZodSchema, string>() };
  /** The declarations of the functions, by name. */
  readonly declarations = new Map<string, string>();
  isUsed = false;

  /** Writes a function that revives the dates of a schema; returns undefined if there are none. */
  write(schema: ZodSchema, end: End): string | undefined {
    if (!holdsDates(schema, end)) return undefined;
    this.isUsed = true;
    if (isDate(schema, end)) return "dates.one";
    const [inner, innerEnd] = unwrap(schema, end);
    if (inner !== schema) return this.write(inner, innerEnd);
    const { input, output } = this.#names;
    const known = this.#names[end].get(schema);
    // within itself, a function is not declared yet
    if (known !== undefined)
      return this.declarations.has(known) ? known : `(value) => ${known}(value)`;
    const name = `revive${input.size + output.size + 1}`;
    this.#names[end].set(schema, name);
    this.declarations.set(name, `const ${name}: Revive = ${this.#writeOwn(schema, end)};`);
    return name;
  }

  #writeOwn(schema: ZodSchema, end: End): string | undefined {
    const { def } = (schema as z.core.$ZodTypes)._zod;
    const write = (part: ZodSchema): string | undefined => this.write(part, end);
    switch (def.type) {
      case "array":
        return `dates.items(${write(def.element)})`;
      case "tuple": {
        const rest = def.rest ? write(def.rest) : undefined;
        return `dates.items(${rest}, [${def.items.map((item) => String(write(item))).join(", ")}])`;
      }
      case "record":
        return `dates.fields(new Map(), ${write(def.valueType)})`;
      case "object": {
        const fields = Object.entries(def.shape).map(
          ([name, field]) => [quote(name), write(field)] as const,
        );
        const rest = def.catchall && write(def.catchall);
        const known = fields.map(([name]) => name).join(", ");
        return `dates.fields(${toMap("string", fields)}${rest ? `, ${rest}, [${known}]` : ""})`;
      }
      case "union":
        return this.#writeUnion(def, end);
      case "intersection": {
        const parts = [def.left, def.right].flatMap((part) => write(part) ?? []);
        return parts.length === 2 ? `dates.both(${parts.join(", ")})` : parts[0];
      }
      default:
        return undefined;
    }
  }

  #writeUnion(def: z.core.$ZodUnionDef, end: End): string | undefined {
    const discriminator = readDiscriminator(def);
    const texts = def.options.map((option) => this.write(option, end));
    if (discriminator === undefined) {
      const own = [...new Set(texts.filter((text) => text !== undefined))];
      return own.length > 1 ? `dates.both(${own.join(", ")})` : own[0];
    }
    const entries = def.options.flatMap((option, at) =>
      Array.from(readPropertyValues(option, discriminator) ?? [], (value) => {
        const key = typeof value === "string" ? quote(value) : String(value);
        return [key, texts[at]] as const;
      }),
    );
    return `dates.by(${quote(discriminator)}, ${toMap("unknown", entries)})`;
  }
}

const toMap = (
  keys: "string" | "unknown",
  entries: readonly (readonly [key: string, text: string | undefined])[],
): string => {
  const lines = entries.flatMap(([key, text]) => (text === undefined ? [] : `[${key}, ${text}],`));
  return `new Map<${keys}, Revive>([\n  ${lines.map(indent).join("\n  ")}\n])`;
};

/** Checks whether a schema has a date that can be recognised. */
const holdsDates = (
  schema: ZodSchema,
  end: End,
  seen = { input: new Set<ZodSchema>(), output: new Set<ZodSchema>() },
): boolean => {
  if (seen[end].has(schema)) return false;
  seen[end].add(schema);
  return (
    isDate(schema, end) ||
    listParts(schema, end).some(([part, partEnd]) => holdsDates(part, partEnd, seen))
  );
};

/** Lists the parts of a schema in which dates can be recognised. */
const listParts = (
  schema: ZodSchema,
  end: End,
): readonly (readonly [schema: ZodSchema, end: End])[] => {
  const [inner, innerEnd] = unwrap(schema, end);
  if (inner !== schema) return [[inner, innerEnd]];
  const { def } = (schema as z.core.$ZodTypes)._zod;
  if (def.type === "union" ? !revealsDates(def, end) : !structures.has(def.type)) return [];
  const parts = def.type === "record" ? [def.valueType] : listInnerSchemas(schema);
  return parts.map((part) => [part, end]);
};
