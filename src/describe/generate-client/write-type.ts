import { z } from "zod";
import { frameworkErrorCodes } from "../../basics/errors.ts";
import { isFrameworkCode } from "../../define/results/begin-error.ts";
import { readContent, readOwnKind } from "../../basics/schemas/content.ts";
import { readEncoded, readToldOutput } from "../../basics/schemas/encode.ts";
import type { ZodSchema } from "../../basics/schemas/schema.ts";
import {
  quote,
  toIntersection,
  toKey,
  toObject,
  toOperand,
  toText,
  toUnion,
  writeComment,
  type Members,
} from "./type-text.ts";
import { toReference, toTypeName, TypeNames } from "./type-names.ts";
import {
  readBooleanStrings,
  readLazy,
  readOptionality,
  readValues,
} from "../../basics/schemas/zod-internals.ts";

/** One side of a schema, and how the client handles its values. */
export interface Side {
  readonly direction: "input" | "output";
  /** Whether the client sends the value. Where the client may send a date or a file, it receives a string. */
  readonly isSent: boolean;
  /** Whether the client sends the value as text, in which a boolean is `true` or `false`. */
  readonly isText?: boolean;
}

export const sent: Side = { direction: "input", isSent: true };
export const received: Side = { direction: "output", isSent: false };

const frameworkErrorCode = {
  wanted: "FrameworkErrorCode",
  text: Array.from(frameworkErrorCodes, quote).join("\n  | "),
  comment: writeComment([
    "The code of an error with which the framework itself rejects requests, as clients receive it.",
  ]),
};

/** The schemas whose type is always the same. */
const plainTypes: Readonly<Record<string, string>> = {
  ...{ boolean: "boolean", success: "boolean", null: "null", never: "never", file: "Blob" },
  ...{ undefined: "undefined", void: "undefined" },
};

const literal = (value: unknown): string => {
  if (typeof value === "string") return quote(value);
  return typeof value === "bigint" ? `${value}n` : String(value);
};

/** Returns the schema that describes one side of a wrapper, or the given schema if it is not a wrapper. */
const unwrap = (
  schema: ZodSchema,
  end: Side["direction"],
): readonly [schema: ZodSchema, end: Side["direction"]] => {
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

/** Reads the description and the deprecation of a schema, looking through its wrappers. */
const readNotes = (schema: ZodSchema): { description?: string; deprecated?: boolean } => {
  const { description, deprecated } = z.globalRegistry.get(schema as z.ZodType) ?? {};
  const { def } = (schema as z.core.$ZodTypes)._zod;
  const inner = "innerType" in def ? readNotes(def.innerType) : {};
  return {
    ...inner,
    ...(description !== undefined && { description }),
    ...(deprecated === true && { deprecated }),
  };
};

export class TypeWriter {
  readonly names = new TypeNames();
  readonly #numbers = new Map<ZodSchema, number>();
  readonly #written = new Map<string, Members>();
  /** The schemas being written, each with whether it was found inside itself. */
  readonly #open = new Map<string, { isFound: boolean }>();
  /** The members that are or may be undefined; the name of a type hides whether it may. */
  readonly #undefinable = new Set(["undefined"]);
  /** The templates that match a finite number of strings. */
  readonly #finite = new Set<string>();

  /** @param place the name of a recursive type that has no other name */
  write(schema: ZodSchema, side: Side, place: string): Members {
    const number = this.#numbers.get(schema) ?? this.#numbers.size;
    this.#numbers.set(schema, number);
    const key = `${side.isSent ? "sent" : "received"}/${side.direction}${side.isText ? "/text" : ""}/${number}`;
    const known = this.#written.get(key);
    if (known) return known;
    const reference = toReference(key);
    const open = this.#open.get(key);
    if (open) {
      open.isFound = true;
      // its members are not known yet
      if (readOptionality(schema, side.direction)) this.#undefinable.add(reference);
      return [reference];
    }
    const state = { isFound: false };
    this.#open.set(key, state);
    let members = this.#writeOwn(schema, side, place);
    this.#open.delete(key);
    const { id, description, deprecated } = z.globalRegistry.get(schema as z.ZodType) ?? {};
    if (typeof id === "string" || state.isFound) {
      if (this.#mayBeUndefined(members)) this.#undefinable.add(reference);
      members = [
        this.names.define(key, {
          origin: `schema/${number}`,
          wanted: toTypeName(typeof id === "string" ? id : place),
          text: toText(members),
          comment: writeComment([description, deprecated === true && "@deprecated"]),
        }),
      ];
    }
    this.#written.set(key, members);
    return members;
  }

  writeFields(
    fields: Iterable<readonly [string, ZodSchema]>,
    others: ZodSchema | undefined,
    side: Side,
    place: string,
  ): string {
    const types: Members[] = [];
    let hasOptional = false;
    const lines = Array.from(fields, ([name, field]) => {
      const members = this.write(field, side, `${place}${toTypeName(name)}`);
      types.push(members);
      const optional = readOptionality(field, side.direction);
      const isOptional = optional === "optional" || this.#mayBeUndefined(members);
      hasOptional ||= isOptional;
      const all = isOptional ? toUnion([members, ["undefined"]]) : members;
      const { description, deprecated } = readNotes(field);
      const comment = writeComment([description, deprecated && "@deprecated"]);
      return `${comment}${toKey(name)}${isOptional ? "?" : ""}: ${toText(all)};`;
    });
    if (!others) return toObject(lines);
    // an index signature must also hold for the known fields
    const rest = toUnion([this.write(others, side, `${place}Value`), ...types, ["undefined"]]);
    const known = rest.filter((member) => member !== "undefined" || types.flat().includes(member));
    return toObject([...lines, `[key: string]: ${toText(hasOptional ? rest : known)};`]);
  }

  #writeOwn(schema: ZodSchema, side: Side, place: string): Members {
    const { direction, isSent } = side;
    const isInput = direction === "input";
    const write = (inner: ZodSchema, more = ""): Members => this.write(inner, side, place + more);
    const { def } = (schema as z.core.$ZodTypes)._zod;
    const plain = plainTypes[def.type];
    if (plain !== undefined) return [plain];
    switch (def.type) {
      case "string":
        if (isFrameworkCode(schema)) return [this.names.define("code", frameworkErrorCode)];
        return isSent && def.coerce ? ["string", "number", "boolean", "bigint"] : ["string"];
      case "number":
        return isSent && isInput && def.coerce ? ["number", "string"] : ["number"];
      case "bigint":
        if (!isSent) return ["unknown"];
        return isInput && def.coerce ? ["bigint", "number", "string"] : ["bigint"];
      case "date":
        if (!isSent) return ["string"];
        return isInput && def.coerce ? ["Date", "number", "string"] : ["Date"];
      case "nan":
        return [isSent ? "number" : "null"];
      case "literal":
        return toUnion([def.values.map(literal)]);
      case "enum":
        return toUnion([Array.from(readValues(schema) ?? [], literal)]);
      case "array":
        return [`${toOperand(this.#toElement(write(def.element, "Item"), side))}[]`];
      case "tuple":
        return [this.#writeTuple(def, side, place)];
      case "record":
        return [this.#writeRecord(def, side, place)];
      case "object": {
        const { catchall } = def;
        const isStrict = (catchall as z.core.$ZodTypes | undefined)?._zod.def.type === "never";
        const others = isStrict ? undefined : catchall;
        return [this.writeFields(Object.entries(def.shape), others, side, place)];
      }
      case "union":
        return toUnion(def.options.map((option, at) => write(option, `Option${at + 1}`)));
      case "intersection":
        return toIntersection([write(def.left), write(def.right)]);
      case "optional":
        return toUnion([write(def.innerType), ["undefined"]]);
      case "nullable":
        return toUnion([write(def.innerType), ["null"]]);
      case "default":
      case "prefault":
      case "catch":
        if (isInput) return toUnion([write(def.innerType), ["undefined"]]);
        return def.type === "default"
          ? this.#withoutUndefined(write(def.innerType))
          : write(def.innerType);
      case "nonoptional":
        return this.#withoutUndefined(write(def.innerType));
      case "readonly":
        return isSent ? write(def.innerType).map(toReadonly) : write(def.innerType);
      case "promise":
        return write(def.innerType);
      case "template_literal":
        return [this.#writeTemplate(def, side, place)];
      case "custom":
        if (!readEncoded(schema)) return writeCustom(schema, isSent);
        break;
      case "pipe":
        if (isInput && isSent && readOwnKind(schema) === "dateIn") return ["Date", "string"];
        if (isInput && side.isText && takesBooleans(schema)) return ["boolean", "string"];
        break;
      case "lazy":
        break;
      default:
        return ["unknown"];
    }
    const [inner, end] = unwrap(schema, direction);
    return this.write(inner, { ...side, direction: end }, place);
  }

  #writeTuple(def: z.core.$ZodTupleDef, side: Side, place: string): string {
    const lastRequired = def.items.findLastIndex((item) => !readOptionality(item, side.direction));
    const items = def.items.map((item, at) => {
      const members = this.#toElement(this.write(item, side, `${place}Item${at + 1}`), side);
      return at > lastRequired ? `${toOperand(members)}?` : toText(members);
    });
    if (def.rest) {
      const rest = this.#toElement(this.write(def.rest, side, `${place}Rest`), side);
      items.push(`...${toOperand(rest)}[]`);
    }
    return `[${items.join(", ")}]`;
  }

  #writeRecord(def: z.core.$ZodRecordDef, side: Side, place: string): string {
    const { keyType, valueType, mode } = def;
    const values = this.write(valueType, side, `${place}Value`);
    const optional = toUnion([values, ["undefined"]]);
    const [sentKey] = unwrap(keyType, side.direction);
    const names = readValues(sentKey);
    if (!names) {
      const members = this.write(keyType, side, `${place}Key`);
      const keys = members.every((member) => member.startsWith("`")) ? members : ["string"];
      // an index signature cannot have a finite number of keys
      if (keys.some((key) => this.#finite.has(key)))
        return toObject([`[key in ${toText(keys)}]?: ${toText(optional)};`]);
      return toObject(keys.map((key) => `[key: ${key}]: ${toText(values)};`));
    }
    const isOptional = "partial" in def || this.#mayBeUndefined(values);
    const all = isOptional ? optional : values;
    const mark = isOptional ? "?" : "";
    const fields = Array.from(names, (name) => `${toKey(String(name))}${mark}: ${toText(all)};`);
    return toObject(mode === "loose" ? [...fields, "[key: string]: unknown;"] : fields);
  }

  #writeTemplate(def: z.core.$ZodTemplateLiteralDef, side: Side, place: string): string {
    let isFinite = true;
    const parts = def.parts.map((part) => {
      if (typeof part !== "object" || part === null)
        return String(part)
          .replaceAll(/[\\`]|\$(?=\{)/g, "\\$&")
          .replaceAll("\r", "\\r");
      const absent = readOptionality(part, side.direction) ? '""' : "undefined";
      const members = this.write(part, side, place).map((member) =>
        member === "undefined" ? absent : member,
      );
      const has = (one: RegExp): boolean => members.every((member) => one.test(member));
      isFinite &&= has(/^(?:boolean|null|undefined|".*")$/);
      const isPlain = has(/^(?:string|number|boolean|bigint|null|undefined|".*")$/);
      return `\${${isPlain ? toText(members) : "string"}}`;
    });
    const text = `\`${parts.join("")}\``;
    if (isFinite) this.#finite.add(text);
    return text;
  }

  #mayBeUndefined(members: Members): boolean {
    return members.some((member) => this.#undefinable.has(member));
  }

  #withoutUndefined(members: Members): Members {
    const some = members
      .filter((member) => member !== "undefined")
      .map((member) => (this.#undefinable.has(member) ? `Exclude<${member}, undefined>` : member));
    return toUnion([some]);
  }

  /** Adds null, which JSON has where an array has a hole or undefined. */
  #toElement(members: Members, { isSent }: Side): Members {
    if (isSent || !this.#mayBeUndefined(members)) return members;
    return toUnion([this.#withoutUndefined(members), ["null"]]);
  }
}

/** Makes an array or a tuple read-only, and leaves other members as they are. */
const toReadonly = (member: string): string =>
  member.endsWith("]") ? `(readonly ${member})` : member;

const takesBooleans = (schema: ZodSchema): boolean => {
  const strings = readBooleanStrings(schema) ?? [];
  return strings.includes("true") && strings.includes("false");
};

const rawTypes = ["ArrayBuffer", "Blob", "Uint8Array", "string"];

const writeCustom = (schema: ZodSchema, isSent: boolean): Members => {
  const kind = readOwnKind(schema);
  if (kind === "upload") return ["Blob"];
  if (kind === "raw") return rawTypes;
  if (isSent && readContent(schema))
    return [...rawTypes, "AsyncIterable<string | Uint8Array>", "ReadableStream"];
  // `JSON.stringify` converts a Buffer to this type
  return [kind === "buffer" && !isSent ? '{ type: "Buffer"; data: number[] }' : "unknown"];
};
