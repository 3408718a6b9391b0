import type { z } from "zod";
import { readOwnKind } from "../schemas/content.ts";
import { readEncoded, readToldOutput } from "../schemas/encode.ts";
import type { ZodSchema } from "../schemas/schema.ts";
import { listInnerSchemas } from "../schemas/some-schema.ts";
import { readLazy, readPropertyValues } from "../schemas/zod-internals.ts";
import { indent, quote } from "./type-text.ts";

/** One side of a schema: what it accepts, or what it returns. */
type End = "input" | "output";

/** Checks whether the values of a schema are dates: `Date`s on the server, or date strings with an offset. */
export const isDate = (schema: ZodSchema, end: End): boolean => {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  if (def.type === "date") return true;
  if (def.type === "pipe") return end === "input" && readOwnKind(schema) === "dateIn";
  const { format, local } = def as { readonly format?: string; readonly local?: boolean };
  return def.type === "string" && format === "datetime" && local !== true;
};

/** Returns the schema that describes one side of a wrapper, or the given schema if it is not a wrapper. */
export const unwrap = (schema: ZodSchema, end: End): readonly [schema: ZodSchema, end: End] => {
  const encoded = readEncoded(schema);
  if (encoded) return [encoded, end === "input" ? "output" : "input"];
  const told = end === "output" ? readToldOutput(schema) : undefined;
  if (told) return [told, end];
  const { def } = (schema as z.core.$ZodTypes)._zod;
  if (def.type === "pipe") {
    const isPreprocessed = (def.in as z.core.$ZodTypes)._zod.def.type === "transform";
    return [end === "input" && !isPreprocessed ? def.in : def.out, end];
  }
  if (def.type === "lazy") return [readLazy(schema as z.core.$ZodLazy), end];
  return ["innerType" in def ? def.innerType : schema, end];
};

/** The types of schemas whose values consist of other values. */
const structures: ReadonlySet<string> = new Set([
  ...["array", "intersection", "object", "record", "tuple"],
]);
type Kind = "date" | "other" | "string" | "structure" | "unknown";

const kindOfType: Readonly<Record<string, Kind>> = {
  ...{ enum: "string", literal: "string", string: "string", template_literal: "string" },
  ...{ bigint: "other", boolean: "other", file: "other", nan: "other", never: "other" },
  ...{ null: "other", number: "other", success: "other", undefined: "other", void: "other" },
};

const listKinds = (schema: ZodSchema, end: End, depth = 0): readonly Kind[] => {
  if (isDate(schema, end)) return ["date"];
  const [inner, innerEnd] = unwrap(schema, end);
  // a schema that only refers to itself has no values
  if (inner !== schema) return depth > 50 ? ["unknown"] : listKinds(inner, innerEnd, depth + 1);
  const { def } = (schema as z.core.$ZodTypes)._zod;
  if (def.type === "union")
    return def.options.flatMap((option) => listKinds(option, end, depth + 1));
  if (structures.has(def.type)) return ["structure"];
  if (def.type === "literal" && def.values.every((value) => typeof value !== "string"))
    return ["other"];
  return [kindOfType[def.type] ?? "unknown"];
};

/** Returns the field that discriminates the options of a union of objects; undefined if there is none. */
const readDiscriminator = (def: z.core.$ZodUnionDef): string | undefined => {
  const { discriminator } = def as { readonly discriminator?: string };
  const isTold = def.options.every(
    (option) => discriminator !== undefined && readPropertyValues(option, discriminator),
  );
  return isTold ? discriminator : undefined;
};

/** Checks whether a value of a union reveals which parts of it are dates. */
export const revealsDates = (def: z.core.$ZodUnionDef, end: End): boolean => {
  if (readDiscriminator(def) !== undefined) return true;
  const kinds = def.options.flatMap((option) => listKinds(option, end));
  if (kinds.includes("unknown")) return false;
  if (kinds.includes("date") && kinds.includes("string")) return false;
  return kinds.filter((kind) => kind === "structure").length < 2;
};

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
  if (isDate(schema, end)) return true;
  const [inner, innerEnd] = unwrap(schema, end);
  if (inner !== schema) return holdsDates(inner, innerEnd, seen);
  const { def } = (schema as z.core.$ZodTypes)._zod;
  if (def.type === "union" ? !revealsDates(def, end) : !structures.has(def.type)) return false;
  // a loose record also has values of other types
  if (def.type === "record") return def.mode !== "loose" && holdsDates(def.valueType, end, seen);
  return listInnerSchemas(schema).some((part) => holdsDates(part, end, seen));
};
