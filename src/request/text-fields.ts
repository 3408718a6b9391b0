import { RequestError } from "../errors.ts";
import type { ContentType } from "../http/content-type.ts";
import { loadBusboy } from "../lazy/packages.ts";
import { add, partLimits, toMultipartField, watchParts, type Several } from "./multipart.ts";

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
