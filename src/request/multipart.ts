import type { Writable } from "node:stream";
import { RequestError } from "../errors.ts";
import type { ContentType } from "../http/content-type.ts";
import { loadBusboy } from "../lazy/packages.ts";
import type { Dicer } from "@fastify/busboy";

// The undocumented parts of @fastify/busboy that sallyport uses. See ARCHITECTURE.md, "Undocumented parts of dependencies".
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

const mostHeaderBytes = 16_384;

/** Limits for the headers of a part; {@link watchParts} rejects longer headers before the parser would cut them off. */
export const partLimits = { headerPairs: 100, headerSize: 2 * mostHeaderBytes };

/**
 * Counts the parts of a body, because the parser skips those whose headers are malformed, without any event; 0 if the
 * parser cannot be watched. `reject` is called when the headers of a part are longer than 16 KiB.
 */
export const watchParts = (parser: Writable, reject: () => void): (() => number) => {
  let count = 0;
  findPartParser(parser)?.on("part", (part) => {
    count++;
    part.on("header", (header) => {
      const sizes = Object.entries(header as Record<string, string[]>).map(
        ([name, values]) => name.length + values.join("").length,
      );
      if (sizes.reduce((sum, size) => sum + size, 0) > mostHeaderBytes) reject();
    });
  });
  return () => count;
};

/** Returns the inner parser of a parser, which has an event for each part, even for those that the parser skips. */
export const findPartParser = (parser: Writable): Dicer | undefined =>
  (parser as { readonly _parser?: { readonly parser?: Dicer } })._parser?.parser;

const mostFields = 1000;

/** Parses a multipart body that has only text fields, at most 1,000; repeated names become arrays. */
export const parseTextFields = (
  contentType: ContentType,
  bytes: Buffer,
): Promise<Several<string>> => {
  const fields = Object.create(null) as Several<string>;
  return new Promise((resolve, reject) => {
    const parser = new (loadBusboy())({
      headers: { "content-type": toMultipartField(contentType) },
      // the size of the body has already been checked
      limits: { ...partLimits, fieldSize: bytes.length, fields: mostFields },
    });
    const malformed = (cause?: unknown): void =>
      reject(new RequestError("SLP_UPLOAD_MALFORMED", { cause }));
    const countParts = watchParts(parser, malformed);
    let received = 0;
    parser.on("field", (name, value) => {
      received++;
      if (!name) malformed();
      else if (!add(fields, name, value)) reject(new RequestError("SLP_BODY_FORBIDDEN_KEY"));
    });
    parser.on("file", (_field, stream) => {
      stream.on("error", malformed).resume();
      reject(new RequestError("SLP_BODY_CONTENT_TYPE", { headers: { Accept: acceptedTypes } }));
    });
    parser.on("fieldsLimit", () => reject(new RequestError("SLP_UPLOAD_TOO_MANY")));
    parser.on("error", malformed);
    parser.on("finish", () => (countParts() > received ? malformed() : resolve(fields)));
    parser.end(bytes);
  });
};

/** The media types that a route without files accepts. */
const acceptedTypes = "application/json, application/x-www-form-urlencoded";
