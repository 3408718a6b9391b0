import {
  type ApiDocument,
  isObject,
  schemaName,
  toList,
  toObject,
  toText,
  type JsonObject,
} from "./document.ts";
import { type Names, toKey, toPascal } from "./names.ts";
import {
  bound,
  code,
  literal,
  writeEnum,
  writeNumber,
  writeString,
  type SchemaCode,
  type Wire,
} from "./primitive-code.ts";

/** Keywords that no schema of Zod has. */
const unsupported = [
  ...["not", "if", "patternProperties", "propertyNames", "dependentRequired", "dependentSchemas"],
  ...["contains", "unevaluatedProperties", "minProperties", "maxProperties", "xml"],
];

/** Keywords that are kept for documents, beside the type. */
const metaKeys = ["title", "description", "deprecated", "readOnly", "writeOnly"];

/** Writes schemas of Zod from those of a document. */
export class SchemaWriter {
  readonly #document: ApiDocument;
  /** The constant of each component. */
  readonly constants = new Map<string, string>();
  /** The components that are being declared, or come later. */
  #pending: ReadonlySet<string> = new Set();

  constructor(document: ApiDocument, names: Names) {
    this.#document = document;
    for (const name of Object.keys(document.schemas))
      this.constants.set(name, names.take(toPascal(name)));
  }

  /** Writes a component; references to `pending` components are made lazy. */
  writeComponent(name: string, pending: ReadonlySet<string>): SchemaCode {
    this.#pending = pending;
    const written = this.write(this.#document.schemas[name]);
    this.#pending = new Set();
    const id = `.meta({ id: ${literal(name)} })`;
    // a component that only renames another keeps its own id
    return { ...written, code: `${written.code}${id}` };
  }

  /** Writes a schema with its description. */
  write(schema: unknown, wire: Wire = "json"): SchemaCode {
    if (schema === true || schema === undefined) return code("z.unknown()");
    if (schema === false) return code("z.never()");
    const object = toObject(schema);
    const bare = this.#writeBare(object, wire);
    const missing = unsupported.filter((key) => object[key] !== undefined);
    const notes = missing.map((key) => `\`${key}\` is not checked.`);
    const preset = object["default"];
    const presetText = preset === undefined ? "" : `.default(${literal(preset)})`;
    const meta = this.#toMeta(object);
    return {
      ...bare,
      code: `${bare.code}${presetText}${meta}`,
      type: bare.type === undefined || presetText === "" ? bare.type : `z.ZodDefault<${bare.type}>`,
      notes: [...bare.notes, ...notes],
    };
  }

  #toMeta(schema: JsonObject): string {
    if (schema["$ref"] !== undefined && Object.keys(schema).length === 1) return "";
    const examples = Array.isArray(schema["examples"])
      ? schema["examples"]
      : schema["example"] === undefined
        ? []
        : [schema["example"]];
    const entries = metaKeys.flatMap((key) =>
      schema[key] === undefined ? [] : [[key, schema[key]] as const],
    );
    if (entries.length === 0 && examples.length === 0) return "";
    const [first] = entries;
    if (entries.length === 1 && first?.[0] === "description" && examples.length === 0)
      return `.describe(${literal(first[1])})`;
    const members = entries.map(([key, value]) => `${key}: ${literal(value)}`);
    if (examples.length > 0) members.push(`examples: ${literal(examples)}`);
    return `.meta({ ${members.join(", ")} })`;
  }

  #writeBare(schema: JsonObject, wire: Wire): SchemaCode {
    const reference = schemaName(schema);
    if (reference !== undefined) return this.#writeReference(reference, wire);
    if (schema["$ref"] !== undefined) return this.write(this.#document.resolve(schema), wire);
    const types = [schema["type"] ?? []].flat().map(String);
    const others = types.filter((type) => type !== "null");
    const isNullable = schema["nullable"] === true || others.length < types.length;
    if (isNullable && others.length + toList(schema["enum"]).length > 0) {
      const { nullable: _, ...rest } = schema;
      const values = toList(schema["enum"]).filter((value) => value !== null);
      const type = others.length === 1 ? others[0] : others;
      const inner = this.#writeBare(
        { ...rest, type, ...(values.length > 0 && { enum: values }) },
        wire,
      );
      return wrap(inner, "nullable", "Nullable");
    }
    if (schema["const"] !== undefined) return code(`z.literal(${literal(schema["const"])})`);
    if (Array.isArray(schema["enum"])) return writeEnum(schema, schema["enum"], wire);
    if (Array.isArray(schema["allOf"])) return this.#writeAll(schema, schema["allOf"], wire);
    const options = schema["oneOf"] ?? schema["anyOf"];
    if (Array.isArray(options)) {
      const written = this.#writeUnion(schema, options, wire);
      return isNullable ? wrap(written, "nullable", "Nullable") : written;
    }
    if (others.length > 1) {
      const parts = others.map((type) => this.#writeBare({ ...schema, type }, wire));
      return code(`z.union([${parts.map((part) => part.code).join(", ")}])`, parts);
    }
    switch (others[0] ?? this.#guessType(schema)) {
      case "string":
        return writeString(schema);
      case "integer":
      case "number":
        return writeNumber(schema, wire);
      case "boolean":
        return wire === "json"
          ? code("z.boolean()")
          : code('z.stringbool().meta({ type: "boolean" })');
      case "array":
        return this.#writeArray(schema, wire);
      case "object":
        return this.#writeObject(schema, wire);
      case "null":
        return code("z.null()");
      default:
        return types.includes("null") ? code("z.null()") : code("z.unknown()");
    }
  }

  #guessType(schema: JsonObject): string | undefined {
    if (schema["properties"] !== undefined || schema["additionalProperties"] !== undefined)
      return "object";
    if (schema["items"] !== undefined || schema["prefixItems"] !== undefined) return "array";
    return schema["pattern"] !== undefined || schema["format"] !== undefined ? "string" : undefined;
  }

  #writeReference(name: string, wire: Wire): SchemaCode {
    const constant = this.constants.get(name);
    if (constant === undefined) return code("z.unknown()", [], [`There is no component ${name}.`]);
    // text needs other schemas than JSON, which the component describes
    const target = toObject(this.#document.schemas[name]);
    if (
      wire === "text" &&
      target["enum"] === undefined &&
      !["string", undefined].includes(toText(target["type"]))
    )
      return this.write(target, wire);
    return { code: constant, uses: new Set([name]), notes: [], type: `typeof ${constant}` };
  }

  #writeArray(schema: JsonObject, wire: Wire): SchemaCode {
    const prefix = toList(schema["prefixItems"]).map((item) => this.write(item, wire));
    const notes = schema["uniqueItems"] === true ? ["`uniqueItems` is not checked."] : [];
    if (prefix.length > 0) {
      const rest = isObject(schema["items"]) ? this.write(schema["items"], wire) : undefined;
      const parts = rest ? [...prefix, rest] : prefix;
      const tail = rest ? `, ${rest.code}` : "";
      return code(`z.tuple([${prefix.map((part) => part.code).join(", ")}]${tail})`, parts, notes);
    }
    const item = this.write(schema["items"], wire);
    const limits = bound(schema, "minItems", "min") + bound(schema, "maxItems", "max");
    const type = item.type && `z.ZodArray<${item.type}>`;
    return code(`z.array(${item.code})${limits}`, [item], notes, type);
  }

  #writeObject(schema: JsonObject, wire: Wire): SchemaCode {
    const fields = Object.entries(toObject(schema["properties"]));
    const more = schema["additionalProperties"];
    if (fields.length === 0 && more !== false) {
      const value = this.write(isObject(more) ? more : undefined, wire);
      const type = value.type && `z.ZodRecord<z.ZodString, ${value.type}>`;
      return code(`z.record(z.string(), ${value.code})`, [value], [], type);
    }
    const required = toList(schema["required"]);
    const members = fields.map(([name, field]) =>
      this.field(name, field, required.includes(name), wire),
    );
    const catchall = isObject(more) ? this.write(more, wire) : undefined;
    const kind = more === false ? "strictObject" : more === true ? "looseObject" : "object";
    const tail = catchall ? `.catchall(${catchall.code})` : "";
    const parts = catchall ? [...members, catchall] : members;
    const body = members.map((member) => member.code).join(",\n");
    return { ...code(`z.${kind}({\n${body}\n})${tail}`, parts), notes: catchall?.notes ?? [] };
  }

  /** Writes a member of an object, after comments on what it does not express. */
  field(
    name: string,
    schema: unknown,
    isRequired: boolean,
    wire: Wire,
    given?: SchemaCode,
  ): SchemaCode {
    const value = given ?? this.write(schema, wire);
    const hasDefault = toObject(schema)["default"] !== undefined;
    const written = isRequired || hasDefault ? value : wrap(value, "optional", "Optional");
    const comments = toComments(value.notes);
    const key = toKey(name);
    const isLate = [...value.uses].some((one) => this.#pending.has(one));
    if (!isLate) return { ...written, code: `${comments}${key}: ${written.code}` };
    const type = written.type === undefined ? "z.ZodType" : written.type;
    const uses = new Set([...value.uses].filter((one) => !this.#pending.has(one)));
    return {
      ...written,
      uses,
      code: `${comments}get ${key}(): ${type} {\nreturn ${written.code};\n}`,
    };
  }

  #writeAll(schema: JsonObject, all: readonly unknown[], wire: Wire): SchemaCode {
    const { allOf: _, description: __, nullable: ___, default: ____, ...own } = schema;
    const hasOwn = own["properties"] !== undefined || own["additionalProperties"] !== undefined;
    const list = hasOwn ? [...all, own] : all;
    const [only] = list;
    if (list.length === 1) {
      const written = this.write(only, wire);
      return schema["nullable"] === true ? wrap(written, "nullable", "Nullable") : written;
    }
    const parts = list.map((part) => this.write(part, wire));
    const isShaped = list.every((part) => this.isPlain(part));
    const [first, ...others] = parts;
    const text = isShaped
      ? `${first?.code}${others.map((part) => `.extend(${shapeOf(part.code)})`).join("")}`
      : `${first?.code}${others.map((part) => `.and(${part.code})`).join("")}`;
    return code(text, parts);
  }

  /** Checks whether the code of a schema is an object of fields, which can be extended. */
  isPlain(schema: unknown): boolean {
    const object = toObject(schema);
    const name = schemaName(object);
    if (name !== undefined)
      return !this.#pending.has(name) && this.isPlain(this.#document.schemas[name]);
    if (Array.isArray(object["allOf"])) return object["allOf"].every((part) => this.isPlain(part));
    return (
      isObject(object["properties"]) &&
      object["nullable"] !== true &&
      ["object", undefined].includes(
        toText(object["type"]) ?? (Array.isArray(object["type"]) ? "" : undefined),
      )
    );
  }

  #writeUnion(schema: JsonObject, options: readonly unknown[], wire: Wire): SchemaCode {
    const isNull = (option: unknown) => toObject(option)["type"] === "null";
    const kept = options.filter((option) => !isNull(option));
    const parts = kept.map((option) => this.write(option, wire));
    const [only] = parts;
    const list = parts.map((part) => part.code).join(", ");
    const property = toText(toObject(schema["discriminator"])["propertyName"]);
    const isTold =
      property !== undefined && kept.every((option) => this.#hasLiteral(option, property));
    const notes =
      property !== undefined && !isTold
        ? [
            `The options do not name their value of the discriminator ${property}: declare it with z.literal().`,
          ]
        : [];
    const types = parts.map((part) => part.type);
    const type = types.includes(undefined)
      ? undefined
      : `z.ZodUnion<readonly [${types.join(", ")}]>`;
    const union =
      only && parts.length === 1
        ? only
        : isTold
          ? code(`z.discriminatedUnion(${literal(property)}, [${list}])`, parts)
          : code(`z.union([${list}])`, parts, notes, type);
    return kept.length < options.length ? wrap(union, "nullable", "Nullable") : union;
  }

  #hasLiteral(option: unknown, property: string): boolean {
    const object = toObject(option);
    const name = schemaName(object);
    const target = name === undefined ? object : toObject(this.#document.schemas[name]);
    if (Array.isArray(target["allOf"]))
      return target["allOf"].some((part) => this.#hasLiteral(part, property));
    const field = toObject(toObject(target["properties"])[property]);
    return field["const"] !== undefined || Array.isArray(field["enum"]);
  }
}

const wrap = (inner: SchemaCode, method: string, type: string): SchemaCode => ({
  ...inner,
  code: `${inner.code}.${method}()`,
  type: inner.type && `z.Zod${type}<${inner.type}>`,
});

/** Returns an object's fields, to extend another object with. */
const shapeOf = (text: string): string => {
  const own = /^z\.(?:object|looseObject|strictObject)\((\{[^]*\})\)$/.exec(text)?.[1];
  return own ?? `${text}.shape`;
};

export const toComments = (notes: readonly string[]): string =>
  notes.map((note) => `// TODO(sallyport-migrate): ${note}\n`).join("");
