import {
  accepts,
  explain,
  listVariants,
  readOwn,
  toView,
  type Body,
  type Json,
  type Schema,
} from "@sallyport/document";
import { findDeclared, isJson, toEssence } from "./media-types.ts";
import { nestFields, toTyped, type Raw } from "./raw-value.ts";
import type { InputProblem, MockRequest } from "./request.ts";

/** What a body is, or what is wrong with it. */
export type CheckedBody = { readonly value: Json | undefined } | { readonly problem: InputProblem };

/** A body whose text or form has been parsed, or whose media type the document does not declare. */
export type ReadBody = { readonly check: () => CheckedBody } | { readonly isUnsupported: true };

const toProblem = (message: string, name = ""): ReadBody => ({
  check: () => ({ problem: { in: "body", name, message } }),
});

/** Reads the body of a request, to be checked as far as the document describes it. */
export const readBody = async (
  { required, content }: Body,
  { headers, body }: MockRequest,
): Promise<ReadBody> => {
  if (body.length === 0 && required) return toProblem("must be there");
  const types = Object.keys(content);
  if (body.length === 0 || types.length === 0) return { check: () => ({ value: undefined }) };
  const type = headers["content-type"] ?? "";
  const declared = findDeclared(types, type);
  const media = declared === undefined ? undefined : readOwn(content, declared);
  if (!media) return { isUnsupported: true };
  const { schema = {} } = media;
  try {
    const read = await parse(type, body, schema);
    return { check: () => checkBody(schema, read()) };
  } catch {
    return toProblem(`is no valid ${isJson(type) ? "JSON" : toEssence(type)}`);
  }
};

const checkBody = (schema: Schema, value: Json | undefined): CheckedBody => {
  // a read-only property may be sent back, and is ignored
  if (value === undefined || accepts(schema, value)) return { value };
  const problem = explain(toView(schema, "request"), value);
  return problem
    ? { problem: { in: "body", name: problem.path, message: problem.message } }
    : { value };
};

/** @throws Error when the body is not what its media type says. */
const parse = async (
  type: string,
  body: Buffer,
  schema: Schema,
): Promise<() => Json | undefined> => {
  const essence = toEssence(type);
  if (isJson(type)) {
    const value = JSON.parse(body.toString()) as Json;
    return () => value;
  }
  if (essence === "application/x-www-form-urlencoded")
    return () => toTyped(schema, nestFields(new URLSearchParams(body.toString())));
  if (essence === "multipart/form-data") {
    const form = await new Response(body, { headers: { "content-type": type } }).formData();
    const parts = await Promise.all(
      [...form].map(async ([name, part]): Promise<readonly [string, Raw]> => [
        name,
        typeof part === "string" ? part : await readPart(part, name, schema),
      ]),
    );
    return () => toTyped(schema, nestFields(parts));
  }
  // no schema describes the text of XML, or bytes
  return () =>
    essence.startsWith("text/") && !essence.endsWith("xml")
      ? toTyped(schema, body.toString())
      : undefined;
};

/** A part may be JSON, which clients send as a file with its media type; of other files, the content means nothing. */
const readPart = async (part: Blob, name: string, schema: Schema): Promise<Raw> => {
  const own = readOwn(listVariants(schema)[0]?.properties, name);
  const isText = isJson(part.type) || own?.minLength !== undefined || own?.patterns !== undefined;
  return isText ? part.text() : "file";
};
