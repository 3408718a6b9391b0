import {
  isObject,
  schemaName,
  toList,
  toObject,
  toText,
  type ApiDocument,
  type JsonObject,
} from "./document.ts";
import { toPathParameter } from "./names.ts";
import type { SchemaCode } from "./primitive-code.ts";
import type { SchemaWriter } from "./schema-code.ts";

/** The parts of a definition that say what an endpoint takes. */
export interface InputCode {
  readonly members: readonly string[];
  readonly uses: ReadonlySet<string>;
  readonly notes: readonly string[];
  /** Whether a query has objects, which need a parser of brackets. */
  readonly isNested: boolean;
}

interface Parameter {
  readonly name: string;
  readonly location: string;
  readonly code: SchemaCode;
}

interface Body {
  /** Further fields, if the body is an object of fields. */
  readonly fields: readonly SchemaCode[];
  /** A schema that is combined with the fields of the parameters. */
  readonly whole?: SchemaCode | undefined;
  readonly canExtend?: boolean;
  /** The names of all fields. */
  readonly names?: readonly string[];
  /** How the fields are wrapped. */
  readonly kind: "form" | "json" | "multipart" | "none" | "raw";
  readonly rawType?: string;
  readonly notes: readonly string[];
}

const bodyMethods = new Set(["post", "put", "patch"]);

/** Writes the input and the header fields of an operation. */
export const writeInput = (
  document: ApiDocument,
  writer: SchemaWriter,
  method: string,
  item: JsonObject,
  operation: JsonObject,
): InputCode => {
  const notes: string[] = [];
  const parameters = new Map<string, Parameter>();
  let isNested = false;
  for (const declared of [...toList(item["parameters"]), ...toList(operation["parameters"])]) {
    const parameter = document.resolve(declared);
    const location = toText(parameter["in"]) ?? "query";
    const given = toText(parameter["name"]) ?? "";
    const name = location === "path" ? toPathParameter(given) : given;
    const content = Object.values(toObject(parameter["content"]))[0];
    const schema = parameter["schema"] ?? toObject(content)["schema"];
    if (parameter["content"] !== undefined)
      notes.push(`The parameter ${name} is not parsed as JSON.`);
    if (parameter["style"] === "deepObject") isNested = true;
    const isList =
      parameter["explode"] === false ||
      ["spaceDelimited", "pipeDelimited"].includes(String(parameter["style"]));
    if (isList && location === "query" && toObject(schema)["type"] === "array")
      notes.push(`The elements of ${name} are repeated names, not one delimited text.`);
    const described = toObject(schema)["description"] ?? parameter["description"];
    const whole =
      described === undefined || schemaName(toObject(schema))
        ? schema
        : { ...toObject(schema), description: described };
    const code = writer.field(
      location === "header" ? name.toLowerCase() : name,
      whole,
      parameter["required"] === true,
      "text",
    );
    parameters.set(`${location} ${name}`, { name, location, code });
  }
  const all = [...parameters.values()];
  const at = (...locations: readonly string[]) =>
    all.filter((one) => locations.includes(one.location)).map((one) => one.code);
  const isListed = (code: SchemaCode) =>
    !/^(?:accept|content-type|authorization)"?: /i.test(code.code.replace(/^"/, ""));
  const headers = at("header").filter(isListed);
  const body = readBody(document, writer, operation);
  notes.push(...body.notes);
  const hasQuery = at("query").length > 0;
  const takesBody = body.kind !== "none";
  const members: string[] = [];
  const sources = toSources(
    method,
    hasQuery,
    takesBody,
    body.kind === "multipart",
    at("cookie").length > 0,
  );
  if (hasQuery && takesBody && body.kind !== "raw")
    notes.push("Documents put these fields into the query, because the body has the same sources.");
  if (at("cookie").length > 0 && (hasQuery || takesBody))
    notes.push("Documents put the cookies into the query or the body.");
  const taken = new Set(all.filter((one) => one.location !== "header").map((one) => one.name));
  for (const clash of (body.names ?? []).filter((name) => taken.has(name)))
    notes.push(`The field ${clash} is in the body and in another part of the request: rename one.`);
  const free = body.fields.filter((field) => !taken.has(fieldName(field) ?? ""));
  const fields = [...at("path", "query", "cookie"), ...free];
  const input = toInput(fields, body);
  if (input !== undefined) members.push(`input: ${input}`);
  if (headers.length > 0)
    members.push(`headers: z.object({\n${headers.map((one) => one.code).join(",\n")}\n})`);
  if (sources !== undefined) members.push(`inputSources: ${JSON.stringify(sources)}`);
  const parts = [
    ...all.map((one) => one.code),
    ...body.fields,
    ...(body.whole ? [body.whole] : []),
  ];
  return { members, notes, isNested, uses: new Set(parts.flatMap((part) => [...part.uses])) };
};

const fieldName = ({ code }: SchemaCode): string | undefined => {
  const [, quoted, plain] =
    /^(?:\/\/.*\n)*(?:get )?(?:"([^"]+)"|([\w$]+))(?:\(\))?:/.exec(code) ?? [];
  return quoted ?? plain;
};

const toInput = (fields: readonly SchemaCode[], body: Body): string | undefined => {
  const list = `{\n${fields.map((field) => field.code).join(",\n")}\n}`;
  if (body.kind === "raw")
    return `ez.raw(${fields.length > 0 ? list : "{}"}, { contentMediaType: ${JSON.stringify(body.rawType)} })`;
  if (body.kind === "form")
    return body.whole ? `ez.form(${toWhole(fields, body, list)})` : `ez.form(${list})`;
  if (body.whole) return toWhole(fields, body, list);
  return fields.length > 0 ? `z.object(${list})` : undefined;
};

const toWhole = (
  fields: readonly SchemaCode[],
  { whole, canExtend }: Body,
  list: string,
): string => {
  const text = whole?.code ?? "";
  if (fields.length === 0) return text;
  return canExtend ? `${text}.extend(${list})` : `z.object(${list}).and(${text})`;
};

const toSources = (
  method: string,
  hasQuery: boolean,
  takesBody: boolean,
  hasFiles: boolean,
  hasCookies: boolean,
): readonly string[] | undefined => {
  const takesByDefault = bodyMethods.has(method);
  const isDefault = takesByDefault ? !hasQuery && (!hasFiles || method === "post") : !takesBody;
  if (isDefault && !hasCookies) return undefined;
  return [
    ...(hasCookies ? ["cookies"] : []),
    ...(hasQuery || (!takesByDefault && !takesBody && !hasCookies) ? ["query"] : []),
    ...(takesBody || (takesByDefault && !hasQuery && !hasCookies) ? ["body"] : []),
    "params",
    ...(hasFiles ? ["files"] : []),
  ];
};

const isJson = (type: string): boolean => /^application\/(?:[\w.+-]+\+)?json\b/.test(type);

const readBody = (document: ApiDocument, writer: SchemaWriter, operation: JsonObject): Body => {
  const content = toObject(document.resolve(operation["requestBody"])["content"]);
  const types = Object.keys(content);
  const type =
    types.find(isJson) ?? types.find((one) => one.startsWith("multipart/form-data")) ?? types[0];
  if (type === undefined) return { fields: [], kind: "none", notes: [] };
  const notes = types.filter((one) => one !== type).map((one) => `The body may also be ${one}.`);
  const schema = toObject(content[type])["schema"];
  const target = document.resolve(schema);
  const isOptional = document.resolve(operation["requestBody"])["required"] !== true;
  if (isOptional && toList(target["required"]).length > 0)
    notes.push("The body is required, because some of its fields are.");
  if (isJson(type)) {
    const kind = [target["type"] ?? "object"].flat()[0];
    if (kind !== "object" && target["properties"] === undefined && !isComposed(target))
      return {
        fields: [],
        kind: "raw",
        rawType: type,
        notes: [
          ...notes,
          `The body is no object: parse \`input.raw\`, of type ${toText(kind) ?? "unknown"}.`,
        ],
      };
    const whole = writer.write(schema);
    const names = listNames(document, target);
    return { fields: [], whole, canExtend: writer.isPlain(schema), names, kind: "json", notes };
  }
  const isForm = type === "application/x-www-form-urlencoded";
  if (isForm || type.startsWith("multipart/form-data")) {
    const required = toList(target["required"]);
    const fields = Object.entries(toObject(target["properties"])).map(([name, field]) =>
      writer.field(name, field, required.includes(name), "text", toUpload(document, field)),
    );
    if (fields.length === 0) notes.push("The fields of the form are not declared.");
    return {
      fields,
      names: listNames(document, target),
      kind: isForm ? "form" : "multipart",
      notes,
    };
  }
  return { fields: [], kind: "raw", rawType: type, notes };
};

const listNames = (document: ApiDocument, schema: JsonObject): readonly string[] => [
  ...Object.keys(toObject(schema["properties"])),
  ...toList(schema["allOf"]).flatMap((part) => listNames(document, document.resolve(part))),
];

const isComposed = (schema: JsonObject): boolean =>
  ["allOf", "anyOf", "oneOf"].some((key) => Array.isArray(schema[key]));

/** Writes the schema of files; undefined for other fields. */
const toUpload = (document: ApiDocument, schema: unknown): SchemaCode | undefined => {
  const field = document.resolve(schema);
  const base = { uses: new Set<string>(), notes: [] };
  const isFile = field["format"] === "binary" || field["contentMediaType"] !== undefined;
  const description = toText(field["description"]);
  const meta = description === undefined ? "" : `{ description: ${JSON.stringify(description)} }`;
  if (isFile) return { ...base, code: `ez.upload(${meta})` };
  const item =
    field["type"] === "array" && isObject(field["items"])
      ? toUpload(document, field["items"])
      : undefined;
  return item && { ...base, code: `z.array(${item.code})` };
};
