import {
  accepts,
  covers,
  isObject,
  toList,
  toObject,
  toText,
  typesOf,
  type Json,
  type JsonObject,
  type Schema,
  type TypeName,
} from "@sallyport/document";
import { block, code, join, key, nothing, todo } from "./code.ts";
import { Constants } from "./constants.ts";
import type { Direction, Place, Writer } from "./writer.ts";
import type { ApiDocument } from "./document.ts";
import { intersect, mergeParts } from "./merge-parts.ts";
import type { Names } from "./names.ts";
import {
  addNotes,
  bound,
  finish,
  ez,
  toSchemaCode,
  value,
  withFormat,
  without,
  wrap,
  writeEnum,
  writeNumber,
  writeString,
  z,
  type SchemaCode,
} from "./primitive-code.ts";
import {
  hasOwnWords,
  isFile,
  isNullType,
  listTypes,
  readMeta,
  readUnchecked,
  withoutComposition,
} from "./raw-words.ts";
import { listNeeded, writeUnion } from "./union-code.ts";

const nothingFits = (): SchemaCode =>
  addNotes(toSchemaCode(code`${z}.never()`), ["No value fits the schema."]);

/** Writes schemas of Zod from those of a document. */
export class SchemaWriter implements Writer {
  readonly document: ApiDocument;
  readonly constants: Constants;
  /** The components that are written in place, because they are read from text. */
  readonly #open = new Set<JsonObject>();

  constructor(document: ApiDocument, names: Names) {
    this.document = document;
    this.constants = new Constants(document, names);
  }

  /** Writes a schema with its description. */
  write(given: Json | undefined, place: Place): SchemaCode {
    return finish(this.writeBare(given, place));
  }

  /** Writes a schema; what documents say in addition is in its `meta`. */
  writeBare(given: Json | undefined, place: Place): SchemaCode {
    if (given === false) return nothingFits();
    if (!isObject(given)) return toSchemaCode(code`${z}.unknown()`);
    const schema = this.document.normalise(given);
    const written =
      typeof given["$ref"] === "string" && !hasOwnWords(given)
        ? this.writeReference(given, place)
        : this.#writeWhole(given, schema, place);
    const unchecked = readUnchecked(given, this.document);
    return addNotes(
      { ...written, meta: { ...written.meta, ...unchecked.meta, ...readMeta(given) } },
      unchecked.notes,
    );
  }

  /** Writes the name of a component, or in text what it is. */
  writeReference(given: JsonObject, place: Place): SchemaCode {
    const raw = this.document.resolveSchema(given);
    if (!isObject(raw)) return this.writeBare(raw, place);
    const isString = (one: TypeName): boolean => one === "string";
    const { types, anyOf, allOf } = this.document.normalise(raw);
    // text needs other schemas than JSON
    if (place.wire !== "json" && !(types?.every(isString) && !anyOf && !allOf)) {
      if (this.#open.has(raw))
        return addNotes(toSchemaCode(code`${z}.unknown()`), ["A schema contains itself here."]);
      this.#open.add(raw);
      const written = this.writeBare(raw, place);
      this.#open.delete(raw);
      return written;
    }
    const json: Place = { ...place, wire: "json" };
    const constant = this.constants.find(
      toText(given["$ref"]),
      raw,
      place.direction,
      (one, direction) => this.writeBare(one, { ...json, direction }),
    );
    const { written } = constant;
    return toSchemaCode(constant.code, [], {
      uses: new Set([constant]),
      isLate: written === undefined,
      isShape: written?.isShape ?? false,
      type: written ? undefined : code`typeof ${constant.code}`,
    });
  }

  #writeWhole(raw: JsonObject, schema: Schema, place: Place): SchemaCode {
    const isNullable = schema.nullable === true;
    const isNothing = schema.types?.length === 0 || isNullType(raw);
    if (schema.never || (isNothing && !isNullable)) return nothingFits();
    if (isNothing) return toSchemaCode(code`${z}.null()`);
    const isPlain = ["$ref", "allOf", "anyOf", "oneOf"].every((name) => raw[name] === undefined);
    const inner =
      isPlain && schema.enum
        ? writeEnum(raw, schema.enum, place.wire)
        : isPlain
          ? this.writeOwn(raw, schema, place)
          : this.#writeParts(raw, schema, place);
    // what accepts anything accepts null
    const { text } = inner.code;
    return isNullable && text !== "z.unknown()" && !text.endsWith(".nullable()")
      ? wrap(finish(inner), code`nullable`, code`Nullable`)
      : inner;
  }

  /** Writes a schema without references and parts. */
  writeOwn(raw: JsonObject, schema: Schema, place: Place): SchemaCode {
    const stated = listTypes(raw).filter((type) => type !== "null");
    const types = stated.length > 0 ? stated : (schema.types ?? []);
    const [only, ...others] = types.includes("number")
      ? types.filter((type) => type !== "integer")
      : types;
    if (only === undefined) return toSchemaCode(code`${z}.unknown()`);
    if (others.length === 0) return this.#writeType(only, raw, place);
    const parts = [only, ...others].map((type) => finish(this.#writeType(type, raw, place)));
    return toSchemaCode(code`${z}.union([${join(parts.map((part) => part.code))}])`, parts);
  }

  #writeType(type: string, raw: JsonObject, place: Place): SchemaCode {
    switch (type) {
      case "string":
        return place.wire === "files" && isFile(raw)
          ? toSchemaCode(code`${ez}.upload()`)
          : writeString(raw);
      case "integer":
      case "number":
        return writeNumber(raw, type === "integer", place.wire);
      case "boolean":
        return withFormat(
          raw,
          toSchemaCode(
            place.wire === "json" ? code`${z}.boolean()` : code`${value("textBoolean")}()`,
          ),
        );
      case "array":
        return withFormat(raw, this.#writeArray(raw, place));
      case "object":
        return withFormat(raw, this.writeObject(raw, place));
      case "null":
        return toSchemaCode(code`${z}.null()`);
      default:
        return addNotes(toSchemaCode(code`${z}.unknown()`), [`There is no type ${type}.`]);
    }
  }

  #writeArray(raw: JsonObject, place: Place): SchemaCode {
    const isUnique = raw["uniqueItems"] === true;
    const meta: JsonObject = isUnique ? { uniqueItems: true } : {};
    const check = isUnique ? code`.refine(${value("isUnique")}, ${"Duplicate items"})` : nothing;
    const prefix = toList(raw["prefixItems"]).map((item) => this.write(item, place));
    if (prefix.length > 0) {
      const isClosed = raw["items"] === false || Number(raw["maxItems"]) <= prefix.length;
      const rest = isClosed ? undefined : this.write(raw["items"], place);
      const parts = rest ? [...prefix, rest] : prefix;
      const tail = rest ? code`, ${rest.code}` : nothing;
      const text = code`${z}.tuple([${join(prefix.map((part) => part.code))}]${tail})${check}`;
      const isWhole = raw["minItems"] === prefix.length;
      return addNotes(
        toSchemaCode(text, parts, { meta }),
        isWhole ? [] : ["All elements of a tuple are required."],
      );
    }
    const item = this.write(raw["items"], place);
    const limits = code`${bound(raw, "minItems", code`min`)}${bound(raw, "maxItems", code`max`)}`;
    return toSchemaCode(code`${z}.array(${item.code})${limits}${check}`, [item], {
      meta,
      type: item.type && code`${z}.ZodArray<${item.type}>`,
    });
  }

  /** Writes an object of fields, or of any names; `more` are fields that are required elsewhere. */
  writeObject(raw: JsonObject, place: Place): SchemaCode {
    const fields = this.listFields(raw, place.direction);
    const more = raw["additionalProperties"];
    const { minProperties: least = 0, maxProperties: most } = raw;
    const meta = {
      ...(Number(least) > 0 && { minProperties: least }),
      ...(most !== undefined && { maxProperties: most }),
    };
    const isSized = Object.keys(meta).length > 0;
    const limit = most === undefined ? nothing : code`, ${most}`;
    const size = isSized ? code`.refine(${value("hasSize")}(${least}${limit}))` : nothing;
    if (fields.length === 0 && more !== false) {
      const item = this.write(isObject(more) ? more : undefined, place);
      return toSchemaCode(code`${z}.record(${z}.string(), ${item.code})${size}`, [item], {
        meta,
        type: item.type && code`${z}.ZodRecord<${z}.ZodString, ${item.type}>`,
      });
    }
    const members = fields.map(([name, field, isRequired]) =>
      this.field(name, field, isRequired, place),
    );
    const others =
      isObject(more) && Object.keys(more).length > 0 ? this.write(more, place) : undefined;
    const kind =
      more === false ? code`strictObject` : more === undefined ? code`object` : code`looseObject`;
    const text = others
      ? code`${z}.object(${block(members.map((member) => member.code))}).catchall(${others.code})`
      : code`${z}.${kind}(${block(members.map((member) => member.code))})`;
    return toSchemaCode(code`${text}${size}`, others ? [...members, others] : members, {
      meta,
      isShape: !isSized && more !== false && !others,
    });
  }

  /** Lists the fields of an object in a direction, with those that are only required. */
  listFields(
    raw: JsonObject,
    direction: Direction,
  ): readonly (readonly [name: string, schema: Json, isRequired: boolean])[] {
    const properties = Object.entries(toObject(raw["properties"]));
    const required = new Set(toList(raw["required"]).map(toText));
    const flag = direction === "request" ? "readOnly" : "writeOnly";
    const isOther = (schema: Json): boolean => this.document.normalise(schema)[flag] === true;
    const hidden = new Set(properties.flatMap(([name, schema]) => (isOther(schema) ? [name] : [])));
    const known = new Set(properties.map(([name]) => name));
    return [
      ...properties
        .filter(([name]) => !hidden.has(name))
        .map(([name, schema]) => [name, schema, required.has(name)] as const),
      ...[...required]
        .filter((name) => !known.has(name))
        .map((name) => [name, true, true] as const),
    ];
  }

  /** Writes a member of an object, after comments on what it does not express. */
  field(
    name: string,
    schema: Json,
    isRequired: boolean,
    place: Place,
    given?: SchemaCode,
  ): SchemaCode {
    const read = given ?? this.writeBare(schema, place);
    // what may be undefined counts as optional
    const isAny = isRequired && place.wire !== "files" && read.code.text === "z.unknown()";
    const bare = isAny ? { ...read, code: code`${z}.json()` } : read;
    const preset = isObject(schema) ? schema["default"] : undefined;
    const isApplied = preset !== undefined && !isRequired && place.direction === "request";
    const isValid = isApplied && accepts(this.document.normalise(schema), preset);
    const method = isObject(preset) || Array.isArray(preset) ? code`prefault` : code`default`;
    const filled: SchemaCode = isValid
      ? {
          ...bare,
          code: code`${bare.code}.${method}(${preset})`,
          type: undefined,
          meta: place.wire === "json" ? without(bare.meta, "default") : bare.meta,
        }
      : bare;
    const optional = isRequired || isValid ? filled : wrap(filled, code`optional`, code`Optional`);
    const notes = [
      ...(isApplied && !isValid
        ? ["The default does not fit the schema, so it is not applied."]
        : []),
      ...(isRequired && schema === true
        ? [`The field ${name} is required, but not described.`]
        : []),
    ];
    const written = addNotes(finish(optional), notes);
    const comments = join(written.untold.map(todo), nothing);
    const text = written.isLate
      ? code`${comments}get ${key(name)}(): ${written.type ?? code`${z}.ZodType`} {\nreturn ${written.code};\n}`
      : code`${comments}${key(name)}: ${written.code}`;
    return { ...written, code: text, untold: [], isLate: false };
  }

  /** Writes a schema that combines others. */
  #writeParts(raw: JsonObject, schema: Schema, place: Place): SchemaCode {
    const all = withoutComposition(raw);
    const { types: ownTypes = [] } = this.document.normalise(all);
    // keywords of types that nothing has say nothing
    const isIdle =
      all["type"] === undefined &&
      ownTypes.length > 0 &&
      !ownTypes.some((type) => covers(schema.types ?? ownTypes, type));
    // those of one type do not restrict the variants of others
    const isPartial =
      all["type"] === undefined &&
      ownTypes.length > 0 &&
      typesOf(schema)?.some((type) => !covers(ownTypes, type)) === true;
    const own = isIdle || isPartial ? {} : all;
    const unchecked =
      isPartial && !isIdle
        ? Object.keys(all).map((name) => `\`${name}\` beside the variants is not checked.`)
        : [];
    const unions = (["anyOf", "oneOf"] as const).filter((name) => Array.isArray(raw[name]));
    const lists = unions.length === 1 && unions[0] ? listNeeded(raw, unions[0]) : undefined;
    if (lists && unions[0]) {
      const { [unions[0]]: given, ...rest } = raw;
      // null is accepted by what is around it
      const { nullable: _null, ...objects } = this.document.normalise(rest);
      const own = this.#writeWhole(rest, objects, place);
      const exclusive = unions[0] === "oneOf" ? code`, true` : nothing;
      return {
        ...own,
        code: code`${own.code}.refine(${value("hasSome")}(${lists}${exclusive}))`,
        meta: { ...own.meta, [unions[0]]: given ?? [] },
        isShape: false,
      };
    }
    const variants = unions.map((name) => writeUnion(this, raw, name, place));
    // a type beside a union is that of its variants
    const isTold =
      unions.length > 0 &&
      Object.keys(own).every((name) => name === "type") &&
      (schema.anyOf ?? []).every(({ types }) =>
        types?.every((type) => covers(schema.types ?? types, type)),
      );
    const merged = mergeParts(this, raw, isTold ? {} : own, place);
    const isAny = ({ code: { text } }: SchemaCode): boolean => text === "z.unknown()";
    const parts = [...merged, ...variants];
    const lost = [...unchecked, ...parts.filter(isAny).flatMap(({ notes }) => notes)];
    return addNotes(
      intersect(
        parts.filter((part) => !isAny(part)),
        schema,
      ),
      lost,
    );
  }
}
