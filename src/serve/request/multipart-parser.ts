import type { BusboyInstance } from "@fastify/busboy";
import type { UploadLimits } from "../../define/endpoint/body-limits.ts";
import { RequestError } from "../../basics/errors.ts";
import type { ContentType } from "../../basics/http/content-type.ts";
import { loadBusboy } from "../../basics/lazy/packages.cjs";
import { safely } from "./read-bytes.ts";

/** Returns the Content-Type field of a multipart body in the form that the parser expects. */
export const toMultipartField = ({ type, parameters }: ContentType): string => {
  const boundary = parameters.get("boundary") ?? "";
  if (!/^[\w'()+,./:=? -]{0,69}[\w'()+,./:=?-]$/.test(boundary))
    throw new RequestError("SLP_UPLOAD_MALFORMED");
  return `${type}; boundary="${boundary}"`;
};

/** Values by name, with arrays for repeated names. */
export type Several<T> = Record<string, T | T[]>;

/** Adds a value under a name; returns false if the name is missing or could change a prototype. */
export const add = <T>(target: Several<T>, name: string | undefined, value: T): boolean => {
  if (name === undefined || name === "" || name === "__proto__") return false;
  const known = target[name];
  if (known === undefined) target[name] = value;
  else if (Array.isArray(known)) known.push(value);
  else target[name] = [known, value];
  return true;
};

/**
 * Parses a multipart body and adds its text fields to `fields`. The parser skips parts with malformed headers, without
 * any event. `begin` listens for files, if they are accepted, and
 * passes the body to the parser; until `settle` is done, its `fail` rejects the body.
 */
export const parseParts = (
  contentType: string,
  limits: UploadLimits,
  fields: Several<string>,
  settle: () => Promise<void>,
  begin: (parser: BusboyInstance, fail: (error: unknown) => void) => void,
): Promise<void> =>
  new Promise((resolve, reject) => {
    const parser = new (loadBusboy())({
      headers: { "content-type": contentType },
      // the parser would cut off longer files, which are rejected, and not name a file too many
      limits: {
        ...{ ...limits, fileSize: Infinity, files: Infinity },
        ...{ headerPairs: 100, headerSize: 16_384 },
      },
    });
    const { fieldsSize = Infinity } = limits;
    const malformed = (cause?: unknown): void =>
      reject(new RequestError("SLP_UPLOAD_MALFORMED", { cause }));
    const tooMany = (): void => reject(new RequestError("SLP_UPLOAD_TOO_MANY"));
    let held = 0;
    parser.on(
      "field",
      safely(reject, (name: string | undefined, value, _isNameCut, isCut) => {
        held += Buffer.byteLength(name ?? "") + Buffer.byteLength(value);
        if (held > fieldsSize) reject(new RequestError("SLP_UPLOAD_FIELDS_TOO_LARGE"));
        else if (isCut) reject(new RequestError("SLP_UPLOAD_FIELD_TOO_LARGE", { field: name }));
        else if (!name) malformed();
        else if (!add(fields, name, value)) reject(new RequestError("SLP_BODY_FORBIDDEN_KEY"));
      }),
    );
    parser.on("file", (_field, stream) => stream.on("error", malformed));
    parser.on("partsLimit", tooMany).on("fieldsLimit", tooMany);
    const finish = safely(reject, () => void settle().then(resolve, reject));
    parser.on("error", malformed).on("finish", finish);
    begin(parser, reject);
  });

/** Parses a multipart body that has only text fields, at most 1,000; repeated names become arrays. */
export const parseTextFields = async (
  contentType: ContentType,
  bytes: Buffer,
): Promise<Several<string>> => {
  const fields = Object.create(null) as Several<string>;
  // the size of the body has already been checked
  const limits = { fields: 1000, fieldSize: bytes.length };
  const settle = (): Promise<void> => Promise.resolve();
  await parseParts(toMultipartField(contentType), limits, fields, settle, (parser, fail) => {
    parser.on("file", (_field, stream) => {
      stream.resume();
      fail(new RequestError("SLP_BODY_CONTENT_TYPE", { headers: { Accept: acceptedTypes } }));
    });
    parser.end(bytes);
  });
  return fields;
};

/** The media types that a route without files accepts. */
const acceptedTypes = "application/json, application/x-www-form-urlencoded";
