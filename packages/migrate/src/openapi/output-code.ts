import { toObject, type Json, type JsonObject } from "@sallyport/document";
import { block, code, imported, join, type Code } from "./code.ts";
import { isJson, mediaType, response, writeErrors } from "./errors-code.ts";
import type { ErrorBody } from "./factory-code.ts";
import { isHeaderName } from "./names.ts";
import type { Notes } from "./notes.ts";
import { isOnly } from "./is-only.ts";
import { ez, toSchemaCode, z, type SchemaCode } from "./primitive-code.ts";
import type { SchemaWriter } from "./schema-code.ts";

/** The parts of a definition that say what an endpoint sends. */
export interface OutputCode {
  /** How successes are sent: the output as it is, or one that names its status and media type. */
  readonly base: "bare" | "replies";
  readonly isVoid: boolean;
  readonly errorBody: ErrorBody | undefined;
  readonly members: readonly Code[];
  /** What only the document says. */
  readonly extra: Record<string, Json>;
}

/** A response with a body of one media type, or without one. */
interface Variant {
  readonly status: string;
  readonly type: string | null;
  readonly schema: Json | undefined;
}

/** Writes the output, the status, the header fields and the errors of an operation. */
export const writeOutput = (
  writer: SchemaWriter,
  operation: JsonObject,
  notes: Notes,
): OutputCode => {
  const { document } = writer;
  const all = Object.entries(toObject(operation["responses"]))
    .filter(([status]) => !status.startsWith("x-"))
    .map(
      ([status, one]) =>
        [status.toUpperCase().replace("DEFAULT", "default"), document.resolve(one)] as const,
    );
  const known = all.filter(([status]) => /^(?:[1-5]\d\d|[1-5]XX|default)$/.test(status));
  for (const [status] of all)
    if (!known.some(([one]) => one === status))
      notes.add(`response ${status}`, `${status} is no status.`);
  const given = known.filter(([status]) => /^[123]\d\d$/.test(status));
  const fallback =
    given.length === 0 ? known.find(([status]) => /^(?:2XX|default)$/.test(status)) : undefined;
  if (fallback)
    notes.add("response", `The status of the response ${fallback[0]} is unknown: 200 is sent.`);
  const successes = fallback ? [["200", fallback[1]] as const] : given;
  const errors = known.filter(([status]) => /^[45]\d\d$/.test(status));
  const ranges = known.filter(
    ([status]) => /^(?:[1-5]XX|default)$/.test(status) && status !== fallback?.[0],
  );
  const responses: Record<string, Json> = {};
  for (const [status, one] of [...successes, ...errors, ...ranges]) {
    const isDeclared = successes.length === 1 && /^2\d\d$/.test(status);
    const extra = readExtra(writer, one, status, !isDeclared, notes);
    if (Object.keys(extra).length > 0) responses[status] = extra;
  }
  const success = writeSuccesses(writer, successes, notes);
  const failure = writeErrors(writer, errors, ranges, notes);
  for (const [status] of ranges) if (!failure.like.includes(status)) delete responses[status];
  const [status, first] = successes[0] ?? ["200", {}];
  const headers =
    successes.length === 1 && Number(status) < 300
      ? writeHeaders(writer, first, notes, status)
      : [];
  return {
    ...{ base: success.base, isVoid: success.isVoid, errorBody: failure.errorBody },
    members: [...success.members, ...headers, ...failure.members],
    extra: {
      ...(Object.keys(responses).length > 0 && { responses }),
      ...(failure.like.length > 0 && { like: failure.like }),
    },
  };
};

/** Returns what only the document says about a response. */
const readExtra = (
  { document }: SchemaWriter,
  raw: JsonObject,
  status: string,
  hasHeaders: boolean,
  notes: Notes,
): JsonObject => {
  const own = Object.fromEntries(
    Object.entries(raw).filter(([name]) => name === "description" || name.startsWith("x-")),
  );
  const extra: Record<string, Json> = { ...own };
  const inline = (name: string, value: Json | undefined): void => {
    const copy = value === undefined ? undefined : document.inline(value);
    if (copy !== undefined) extra[name] = copy;
    else if (value !== undefined)
      notes.add(`response ${status}`, `The ${name} of ${status} are not written.`);
  };
  inline("links", raw["links"]);
  if (hasHeaders) inline("headers", raw["headers"]);
  const content = Object.entries(toObject(raw["content"])).flatMap(([type, given]) => {
    const media = document.resolve(given);
    const shown = ["example", "examples"].flatMap((name) => {
      const copy = media[name] === undefined ? undefined : document.inline(media[name]);
      return copy === undefined ? [] : [[name, copy] as const];
    });
    return shown.length > 0 ? [[type, Object.fromEntries(shown)] as const] : [];
  });
  if (content.length > 0) extra["content"] = Object.fromEntries(content);
  return extra;
};

const writeHeaders = (
  writer: SchemaWriter,
  raw: JsonObject,
  notes: Notes,
  status: string,
): readonly Code[] => {
  const fields = Object.entries(toObject(raw["headers"]))
    .filter(([name]) => !/^(?:accept|authorization|content-type)$/i.test(name))
    .flatMap(([name, given]) => {
      const header = writer.document.resolve(given);
      const [media] = Object.values(toObject(header["content"])).map(toObject);
      const schema = header["schema"] ?? media?.["schema"] ?? {};
      const place = `response ${status} header ${name}`;
      if (!isHeaderName(name)) {
        notes.add(place, `No header field can be named ${name}.`);
        return [];
      }
      if (media || header["style"] !== undefined || header["explode"] === true)
        notes.add(place, `How the header field ${name} is written is not described.`);
      const written = writer.writeBare(schema, response);
      const described = header["description"];
      const field = writer.field(
        name.toLowerCase(),
        schema,
        header["required"] === true,
        response,
        {
          ...written,
          meta: {
            ...written.meta,
            ...(typeof described === "string" && { description: described }),
            ...(header["deprecated"] === true && { deprecated: true }),
          },
        },
      );
      notes.addSchema(place, field);
      return [field.code];
    });
  return fields.length > 0 ? [code`responseHeaders: ${z}.object(${block(fields)})`] : [];
};

interface Success {
  readonly base: OutputCode["base"];
  readonly isVoid: boolean;
  readonly members: readonly Code[];
}

const listVariants = (
  writer: SchemaWriter,
  responses: readonly (readonly [status: string, raw: JsonObject])[],
  notes: Notes,
): readonly Variant[] =>
  responses.flatMap(([status, raw]): readonly Variant[] => {
    const content = Object.entries(toObject(raw["content"]));
    if (content.length === 0 || ["204", "205", "304"].includes(status)) {
      if (content.length > 0)
        notes.add(`response ${status}`, `A response with ${status} has no body.`);
      return [{ status, type: null, schema: undefined }];
    }
    return content.map(([given, one]) => {
      const media = writer.document.resolve(one);
      const isKnown = mediaType.test(given);
      if (!isKnown) notes.add(`response ${status}`, `There is no media type ${given}.`);
      if (media["itemSchema"] !== undefined)
        notes.add(`response ${status}`, "The items of the stream are not described.");
      return {
        status,
        type: isKnown ? given : "application/octet-stream",
        schema: media["schema"],
      };
    });
  });

const writeSuccesses = (
  writer: SchemaWriter,
  responses: readonly (readonly [status: string, raw: JsonObject])[],
  notes: Notes,
): Success => {
  const { document } = writer;
  const variants = listVariants(writer, responses, notes);
  const [first, ...others] = variants;
  if (!first) {
    notes.add("response 200", "The document declares no success.");
    return { base: "bare", isVoid: true, members: [] };
  }
  const { status, type, schema } = first;
  const statusCode = status === "200" ? [] : [code`statusCode: ${Number(status)}`];
  const isAlone = others.length === 0 && status.startsWith("2");
  if (isAlone && status === "204") return { base: "bare", isVoid: true, members: statusCode };
  if (
    isAlone &&
    type === "application/json" &&
    schema !== undefined &&
    isOnly("object", document.normalise(schema))
  ) {
    const written = writer.write(schema, response);
    notes.addSchema(`response ${status}`, written);
    return { base: "bare", isVoid: false, members: [code`output: ${written.code}`, ...statusCode] };
  }
  if (isAlone && type !== null && !isJson(type) && isBytes(writer, first)) {
    const kind = type.startsWith("text/event-stream") ? code`stream` : code`buffer`;
    return {
      base: "bare",
      isVoid: false,
      members: [code`output: ${ez}.${kind}(${type})`, ...statusCode],
    };
  }
  const reply = imported("reply", "./replies");
  const replies = variants.map((variant) => {
    const written = writeContent(writer, variant, notes);
    notes.addSchema(`response ${variant.status}`, written);
    return code`${reply}(${Number(variant.status)}, ${variant.type}, ${written.code})`;
  });
  const output = replies.length === 1 ? replies[0] : code`${z}.union([${join(replies)}])`;
  return { base: "replies", isVoid: false, members: [code`output: ${output}`] };
};

/** Whether content is text or bytes, of which the document says nothing else. */
const isBytes = ({ document }: SchemaWriter, { type, schema }: Variant): boolean => {
  if (schema === undefined) return true;
  const { types = [], ...words } = document.normalise(schema);
  const isText = /^text\/|\bxml\b/i.test(type ?? "");
  return (
    types.join() === "string" &&
    words.format === (isText ? undefined : "binary") &&
    Object.keys(words).every((name) => ["types", "format", "examples"].includes(name))
  );
};

const writeContent = (writer: SchemaWriter, variant: Variant, notes: Notes): SchemaCode => {
  const { status, type, schema } = variant;
  if (type === null) return toSchemaCode(code`${z}.null()`);
  if (isJson(type)) return writer.write(schema, response);
  if (type.startsWith("text/event-stream"))
    notes.add(`response ${status}`, "The events of the stream are not described.");
  const target = writer.document.normalise(schema ?? {});
  if (isOnly("string", target) && target.format !== "binary") return writer.write(schema, response);
  const isText = /^text\/|\bxml\b/i.test(type);
  if (!isBytes(writer, variant))
    notes.add(
      `response ${status}`,
      `The content of ${type} is ${isText ? "text" : "bytes"}, which nothing checks.`,
    );
  return toSchemaCode(isText ? code`${z}.string()` : code`${z}.unknown()`);
};
