import { isUtf8 } from "node:buffer";
import type { Request, Response } from "express";
import type { BodyLimits, UploadLimits } from "../endpoint/body-options.ts";
import { keepRawBody } from "../endpoint/raw-body.ts";
import { RequestError } from "../errors.ts";
import { parseContentType, type ContentType } from "../http/content-type.ts";
import { hasTooManyPairs, parseQuery } from "../http/query.ts";
import type { Logger } from "../logger/logger.ts";
import { parseJson } from "./json.ts";
import { readBytes } from "./read-bytes.ts";
import type { PreparedUploads } from "./uploads.ts";

/** The default of the option `bodyLimit`. */
const defaultLimits = { bytes: 1_048_576, values: 20_000 };

type BodyParser = (text: string, maxValues: number) => object;

/** The default of the option `bodyIdleTimeout`, in milliseconds. */
export const defaultBodyIdleTimeout = 10_000;

const jsonType = /^application\/(?:json|[\w.!#$&^+-]+\+json)$/;
const formType = "application/x-www-form-urlencoded";
const multipartType = "multipart/form-data";

/** The settings of a route that concern the body. */
export interface BodyPlan {
  readonly body: "none" | "parsed" | "raw";
  readonly keepsRawBody: boolean;
  readonly takesFiles: boolean;
  /** Whether forms are accepted in place of JSON. */
  readonly takesForms: boolean;
  /** The route's own limits for bodies. */
  readonly bodyLimit: BodyLimits;
  /** The route's own upload limits. */
  readonly uploadLimits: UploadLimits | undefined;
}

/** The settings of a server that concern bodies. */
export interface BodyOptions {
  /** The limits of bodies that are not uploads. */
  readonly limits: BodyLimits;
  /** How long a client may pause while it sends a body, in milliseconds. */
  readonly idleTimeout: number;
  readonly uploads: PreparedUploads | undefined;
  /** Nests the values of forms by the brackets in their names; undefined to leave the names as they are. */
  readonly nestNames: ((flat: object) => object) | undefined;
}

/**
 * Reads and parses the body of a request into `request.body`, and the files of an upload into `request.files`. Does
 * nothing if there is no body or if a native middleware has parsed it; bytes or a string left by a native middleware
 * are parsed.
 *
 * @throws {@link RequestError} when the body is too large, of an unknown type or malformed, or when the client pauses
 * for too long.
 */
export const parseBody = (
  plan: BodyPlan,
  options: BodyOptions,
  request: Request,
  response: Response,
  logger: Logger,
): Promise<void> | undefined => {
  if (plan.body === "none") return undefined;
  const { limits, nestNames } = options;
  const isParsed = typeof request.body === "object" && !(request.body instanceof Uint8Array);
  if (nestNames && plan.body === "parsed" && !isParsed && isForm(request))
    return parseNested(
      plan,
      { ...options, nestNames: undefined },
      request,
      response,
      logger,
      nestNames,
    );
  const limit = plan.bodyLimit.bytes ?? limits.bytes ?? defaultLimits.bytes;
  const maxValues = plan.bodyLimit.values ?? limits.values ?? defaultLimits.values;
  if (request.body !== undefined) return parseGiven(plan, limit, maxValues, request);
  if (!hasBody(request)) return undefined;
  return readAndParse(plan, options, limit, maxValues, request, response, logger);
};

const parseNested = async (
  plan: BodyPlan,
  options: BodyOptions,
  request: Request & { files?: object },
  response: Response,
  logger: Logger,
  nestNames: NonNullable<BodyOptions["nestNames"]>,
): Promise<void> => {
  await parseBody(plan, options, request, response, logger);
  if (request.body !== undefined) request.body = nestNames(request.body as object);
  if (request.files !== undefined) request.files = nestNames(request.files);
};

const readAndParse = async (
  plan: BodyPlan,
  { uploads, idleTimeout }: BodyOptions,
  limit: number,
  maxValues: number,
  request: Request,
  response: Response,
  logger: Logger,
): Promise<void> => {
  if (plan.body === "raw") {
    request.body = { raw: await readBytes(request, response, limit, idleTimeout) };
    return;
  }
  const field = request.headers["content-type"];
  const contentType = parseContentType(field ?? "");
  const takesFiles = uploads !== undefined && plan.takesFiles;
  const isMultipart = contentType?.type === multipartType && plan.takesForms;
  if (isMultipart && takesFiles) {
    await uploads.beforeUpload?.({ request, logger });
    await uploads.parse(contentType, plan.uploadLimits, idleTimeout, request, response);
    return;
  }
  // a body without a type cannot be parsed, but it may turn out to be empty
  const parse =
    isMultipart || field === undefined ? undefined : toBodyParser(plan, contentType, takesFiles);
  const bytes = await readBytes(request, response, limit, idleTimeout);
  if (isMultipart) return parseTextForm(plan, contentType, bytes, request);
  if (plan.keepsRawBody) keepRawBody(request, bytes);
  if (bytes.length === 0) return;
  request.body = parseBytes(bytes, parse ?? toBodyParser(plan, contentType, takesFiles), maxValues);
};

const parseBytes = (bytes: Buffer, parse: BodyParser, maxValues: number): object => {
  if (!isUtf8(bytes)) throw new RequestError("SLP_BODY_UTF8");
  const text = bytes.toString();
  return parse(text.charCodeAt(0) === 0xfeff ? text.slice(1) : text, maxValues);
};

/**
 * Parses bytes or a string that a native middleware or an adapter has left, if there is a parser for their media type.
 */
const parseGiven = (
  plan: BodyPlan,
  limit: number,
  maxValues: number,
  request: Request,
): Promise<void> | undefined => {
  const given: unknown = request.body;
  if (plan.body === "parsed" && !plan.takesForms) assertNoForm(request);
  if (typeof given !== "string" && !(given instanceof Uint8Array)) return undefined;
  const bytes = Buffer.from(given as Uint8Array);
  if (plan.body === "raw") {
    request.body = { raw: bytes };
    return undefined;
  }
  const contentType = parseContentType(request.headers["content-type"] ?? "");
  const isMultipart = contentType?.type === multipartType && !plan.takesFiles;
  if (!contentType || (!isMultipart && !findBodyParser(plan, contentType.type))) return undefined;
  if (bytes.length > limit) throw new RequestError("SLP_BODY_TOO_LARGE");
  if (isMultipart) return parseTextForm(plan, contentType, bytes, request);
  if (plan.keepsRawBody) keepRawBody(request, bytes);
  request.body =
    bytes.length === 0
      ? undefined
      : parseBytes(bytes, toBodyParser(plan, contentType, false), maxValues);
  return undefined;
};

/** @throws {@link RequestError} when the body is a form, whoever has parsed it. */
const assertNoForm = (request: Request): void => {
  if (isForm(request)) throw toTypeError(["application/json"]);
};

const isForm = ({ headers }: Request): boolean => {
  const type = parseContentType(headers["content-type"] ?? "")?.type;
  return type === formType || type === multipartType;
};

/** Parses a multipart body for a route that accepts no files; the parser is loaded with the first such body. */
const parseTextForm = async (
  plan: BodyPlan,
  contentType: ContentType,
  bytes: Buffer,
  request: Request,
): Promise<void> => {
  if (plan.keepsRawBody) keepRawBody(request, bytes);
  if (bytes.length === 0) return;
  const { parseTextFields } = await import("./text-fields.ts");
  request.body = await parseTextFields(contentType, bytes);
};

/**
 * Checks whether there is a body that has not been read. A reader that counts bytes, such as formidable, may finish
 * while the stream is paused and has not emitted `end`.
 */
const hasBody = (request: Request): boolean => {
  const { "transfer-encoding": coding, "content-length": length } = request.headers;
  if (coding === undefined && (length === undefined || length === "0")) return false;
  if (request.readableEnded) return false;
  return !request.complete || !request.readableDidRead || request.readableLength > 0;
};

/** Chooses the parser for a media type. The header has been parsed once, strictly, and is not read again. */
const toBodyParser = (
  plan: BodyPlan,
  contentType: ContentType | undefined,
  takesFiles: boolean,
): BodyParser => {
  const parse = contentType && findBodyParser(plan, contentType.type);
  if (!parse) {
    const forms = plan.takesForms ? [formType] : [];
    throw toTypeError(["application/json", ...forms, ...(takesFiles ? [multipartType] : [])]);
  }
  const charset = contentType.parameters.get("charset")?.toLowerCase() ?? "utf-8";
  if (!["utf-8", "utf8", "us-ascii"].includes(charset)) throw new RequestError("SLP_BODY_CHARSET");
  return parse;
};

const toTypeError = (accepted: readonly string[]): RequestError =>
  new RequestError("SLP_BODY_CONTENT_TYPE", { headers: { Accept: accepted.join(", ") } });

const findBodyParser = ({ takesForms }: BodyPlan, type: string): BodyParser | undefined => {
  if (jsonType.test(type)) return parseJson;
  return takesForms && type === formType ? parseForm : undefined;
};

/**
 * Parses a urlencoded body; repeated names become arrays.
 *
 * @throws {@link RequestError} when the body has too many fields, malformed percent-encoding, or a field named
 * `__proto__`.
 */
const parseForm = (text: string): object => {
  // `curl -d` sends JSON with this type by default
  if (/^\s*[{[]/.test(text)) throw new RequestError("SLP_BODY_JSON_AS_FORM");
  if (hasTooManyPairs(text)) throw new RequestError("SLP_BODY_TOO_MANY_FIELDS");
  return parseQuery(text, decodeStrictly, () => {
    throw new RequestError("SLP_BODY_FORBIDDEN_KEY");
  });
};

const decodeStrictly = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch (cause) {
    throw new RequestError("SLP_BODY_MALFORMED_FORM", { cause });
  }
};
