import {
  readOwn,
  toObject,
  toText,
  type Json,
  type JsonObject,
  type Schema,
} from "@sallyport/document";
import { code } from "./code.ts";
import { isOnly } from "./is-only.ts";
import { addNotes, toSchemaCode, value, z, type SchemaCode } from "./primitive-code.ts";
import { readMeta } from "./raw-words.ts";
import type { SchemaWriter } from "./schema-code.ts";
import type { Place } from "./writer.ts";

/** A parameter as the field of an input. */
export interface ParameterCode {
  readonly name: string;
  readonly location: string;
  readonly code: SchemaCode;
  /** What only the document says of it. */
  readonly extra: JsonObject;
  /** Whether it is an object in the query, which needs a parser of brackets. */
  readonly isNested: boolean;
}

const text: Place = { direction: "request", wire: "text" };

const separators: Readonly<Record<string, string>> = {
  ...{ form: ",", simple: ",", spaceDelimited: " ", pipeDelimited: "|" },
};

/** Whether a schema accepts objects, or lists of them. */
const takesObjects = ({ types, anyOf, items }: Schema, depth = 0): boolean =>
  depth < 9 &&
  (types?.includes("object") === true ||
    (items !== undefined && takesObjects(items, depth + 1)) ||
    anyOf?.some((one) => takesObjects(one, depth + 1)) === true);

/** Writes a parameter under a name, which differs from its own in paths and among header fields. */
export const writeParameter = (
  writer: SchemaWriter,
  raw: JsonObject,
  name: string,
): ParameterCode => {
  const { document } = writer;
  const location = toText(raw["in"]);
  const isQuery = location === "query";
  const style =
    typeof raw["style"] === "string"
      ? raw["style"]
      : isQuery || location === "cookie"
        ? "form"
        : "simple";
  const isExploded = typeof raw["explode"] === "boolean" ? raw["explode"] : style === "form";
  const [media] = Object.values(toObject(raw["content"])).map((one) => document.resolve(one));
  const given = media ? media["schema"] : raw["schema"];
  const schema = given ?? {};
  const target = document.normalise(schema);
  const isObject = takesObjects(target);
  const isList = isOnly("array", target);
  const isNested = isQuery && isObject && !media;
  const extra: Record<string, Json> = {};
  for (const key of ["allowReserved", "allowEmptyValue"]) if (raw[key] === true) extra[key] = true;
  for (const [key, one] of Object.entries(raw)) if (key.startsWith("x-")) extra[key] = one;
  const write = (): SchemaCode => {
    if (media) return addNotes(plain(), ["The parameter is JSON, which is not parsed."]);
    if (isObject && !isNested)
      return addNotes(plain(), ["The parameter is an object, which is not parsed."]);
    if (!isList || isNested || (isQuery && isExploded)) {
      const written = writer.writeBare(schema, text);
      const isOther = isNested && style !== "deepObject";
      const isApart = isQuery && !isNested && style !== "form";
      return addNotes(written, [
        ...(isOther ? ["The members of the object are read with brackets."] : []),
        ...(isApart ? ["The parameter is read as if its style were form."] : []),
      ]);
    }
    const items = writer.writeBare(schema, text);
    const list = document.resolve(schema);
    const described = document.inline({
      items: list["items"] ?? {},
      ...pick(list, ["minItems", "maxItems", "uniqueItems"]),
    });
    if (isQuery) {
      extra["style"] = style;
      extra["explode"] = false;
    } else if (isExploded) extra["explode"] = true;
    const separator = readOwn(separators, style);
    const isShown = described !== undefined && separator !== undefined;
    const how = isQuery ? value("delimited") : value("splitText");
    return addNotes(
      {
        ...items,
        code: code`${how}(${separator ?? ","}, ${items.code})`,
        meta: { ...items.meta, ...(isShown && { type: "array", ...(described as JsonObject) }) },
      },
      isShown ? [] : ["The list is described as text."],
    );
  };
  const written = write();
  const isDescribed = typeof raw["description"] === "string" && raw["description"] !== "";
  const named = Object.values(toObject(raw["examples"])).flatMap(
    (one) => document.resolve(one)["value"] ?? [],
  );
  const own = readMeta({
    ...(raw["example"] !== undefined && { example: raw["example"] }),
    ...(raw["deprecated"] === true && { deprecated: true }),
    ...(isDescribed && { description: raw["description"] as string }),
    ...(named.length > 0 && { examples: named }),
  });
  const isRequired = raw["required"] === true || location === "path";
  const preset = document.resolve(schema)["default"];
  // Zod describes no default of what is transformed
  if (preset !== undefined && typeof preset !== "string" && typeof preset !== "number")
    extra["schema"] = { default: preset };
  const field = writer.field(name, schema, isRequired, text, {
    ...written,
    meta: { ...written.meta, ...own },
  });
  return { name, location, code: field, extra, isNested };
};

const plain = (): SchemaCode => toSchemaCode(code`${z}.string()`);

/** Returns some members of an object, as far as it has them. */
export const pick = (object: JsonObject, names: readonly string[]): JsonObject =>
  Object.fromEntries(
    names.flatMap((name) => (object[name] === undefined ? [] : [[name, object[name]]])),
  );
