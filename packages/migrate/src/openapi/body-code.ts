import { isObject, toObject, type Json, type JsonObject, type Schema } from "@sallyport/document";
import { isOnly } from "./is-only.ts";
import { pick } from "./parameter-code.ts";
import type { SchemaCode } from "./primitive-code.ts";
import type { SchemaWriter } from "./schema-code.ts";

/** The body of a request. */
export interface BodyCode {
  readonly kind: "files" | "form" | "json" | "raw" | "value";
  readonly type: string;
  readonly code?: SchemaCode;
  /** The names of its fields. */
  readonly names: readonly string[];
  readonly notes: readonly string[];
  /** Whether the document allows requests without the body, but the endpoint does not. */
  readonly isForced: boolean;
  /** What only the document says of it. */
  readonly extra: JsonObject;
}

const isJson = (type: string): boolean => /^application\/(?:[\w.+-]+\+)?json\b/i.test(type);
const isForm = (type: string): boolean => /^application\/x-www-form-urlencoded\b/i.test(type);
const isMultipart = (type: string): boolean => /^multipart\/form-data\b/i.test(type);

/** Writes the body of an operation; undefined if it has none. */
export const writeBody = (writer: SchemaWriter, given: JsonObject): BodyCode | undefined => {
  const { document } = writer;
  const content = toObject(given["content"]);
  const types = Object.keys(content);
  const type = types.find(isJson) ?? types.find(isMultipart) ?? types.find(isForm) ?? types[0];
  if (type === undefined) return undefined;
  const notes = types.filter((one) => one !== type).map((one) => `The body may also be ${one}.`);
  const media = document.resolve(content[type]);
  const schema = media["schema"] ?? {};
  const target = document.normalise(schema);
  const shownExamples = document.inline(pick(media, ["example", "examples"]));
  const extra = {
    ...pick(given, ["description"]),
    ...((given["required"] === true || !mustHaveFields(target)) && {
      required: given["required"] === true,
    }),
    ...(isObject(shownExamples) &&
      Object.keys(shownExamples).length > 0 && { media: shownExamples }),
  };
  const isOptional = given["required"] !== true;
  const isForced = isOptional && mustHaveFields(target);
  const body = { type, notes, names: listNames(target), extra, isForced };
  const request = { direction: "request" } as const;
  if (isForm(type) || isMultipart(type)) {
    const kind = isForm(type) ? "form" : "files";
    const code = writer.writeBare(schema, { ...request, wire: kind === "form" ? "text" : "files" });
    const shape = code.isShape && Object.keys(code.meta).every((key) => key !== "uniqueItems");
    if (shape) {
      const nested = listNested(target);
      const texts = nested.map(
        (name) => `The field ${name} is an object, which is not parsed as JSON.`,
      );
      const encoding =
        media["encoding"] === undefined ? [] : ["The `encoding` of the fields is not written."];
      // files that may be missing have no JSON beside them
      const own = kind === "files" ? { ...extra, type } : extra;
      return { ...body, kind, code, extra: own, notes: [...notes, ...texts, ...encoding] };
    }
    return {
      ...body,
      kind: "raw",
      isForced: isOptional,
      notes: [...notes, "The fields of the form are not declared."],
    };
  }
  if (!isJson(type)) {
    const isText = mayBeText(target);
    return {
      ...body,
      kind: "raw",
      isForced: isOptional,
      extra:
        media["schema"] === undefined
          ? extra
          : { ...extra, ...withSchema(document.inline(schema)) },
      notes: isText ? notes : [...notes, "The body is not parsed: read `input.raw`."],
    };
  }
  const code = writer.writeBare(schema, { ...request, wire: "json" });
  if (isOnly("object", target)) {
    const renamed = type === "application/json" ? {} : { type };
    return { ...body, kind: "json", code, extra: { ...extra, ...renamed } };
  }
  const shown = document.inline(schema);
  return {
    ...{ ...body, kind: "value", code, isForced: isOptional },
    notes: shown === undefined ? [...notes, "Documents show no schema of the body."] : notes,
    extra: { ...extra, type, ...(shown !== undefined && { schema: shown }) },
  };
};

const mustHaveFields = ({ required = [], anyOf, allOf = [] }: Schema): boolean =>
  required.length > 0 || anyOf?.every(mustHaveFields) === true || allOf.some(mustHaveFields);

const withSchema = (schema: Json | undefined): JsonObject => (isObject(schema) ? { schema } : {});

const mayBeText = ({ types = ["string"], properties }: Schema): boolean =>
  types.includes("string") && !properties;

const listNames = ({
  properties = {},
  required = [],
  anyOf = [],
  allOf = [],
}: Schema): readonly string[] => [
  ...new Set([...Object.keys(properties), ...required, ...[...anyOf, ...allOf].flatMap(listNames)]),
];

/** Lists the fields of a form that are objects. */
const listNested = ({ properties = {} }: Schema): readonly string[] =>
  Object.entries(properties).flatMap(([name, one]) =>
    isOnly("object", one) || (one.items && isOnly("object", one.items)) ? [name] : [],
  );
