import { isUint8Array } from "node:util/types";
import { isUtf8 } from "node:buffer";
import type { Request, Response } from "express";
import { defaults } from "../../basics/defaults.ts";
import type { BodyLimits, UploadLimits } from "../../define/endpoint/body-limits.ts";
import { keepRawBody } from "../../define/endpoint/raw-body.ts";
import { RequestError } from "../../basics/errors.ts";
import { parseContentType, type ContentType } from "../../basics/http/content-type.ts";
import { typedNames } from "../../basics/http/method.ts";
import { hasTooManyPairs, parseQuery } from "../../basics/http/query.ts";
import type { Logger } from "../../basics/logger/logger.ts";
import { findExchange } from "../../wire/exchange/exchange.ts";
import { plainWays } from "../../wire/exchange/ways.ts";
import { parseJson } from "./parse-json.ts";
import { readBytes } from "./read-bytes.ts";
import { streamBody, streamBytes } from "./stream-body.ts";
import type { ReadUpload } from "./uploads.ts";

const jsonType = /^application\/(?:json|[\w.!#$&^+-]+\+json)$/;
const formType = "application/x-www-form-urlencoded";
const multipartType = "multipart/form-data";

/** The settings of a route that concern the body. */
export interface BodyPlan {
  readonly body: "none" | "parsed" | "raw" | "stream";
  /** The declared media type of a raw body. */
  readonly rawType: string | undefined;
  readonly keepsRawBody: boolean;
  readonly takesFiles: boolean;
  /** Whether only files of some media types are accepted. */
  readonly checksFileTypes: boolean;
  /** Whether forms are accepted in place of JSON. */
  readonly takesForms: boolean;
  readonly bodyLimit: BodyLimits;
  readonly uploadLimits: UploadLimits | undefined;
}

type AllLimits = { readonly [Limit in keyof BodyLimits]-?: number };

/** The settings of a server that concern bodies. */
export interface BodyOptions {
  /** The limits of bodies that are not uploads. */
  readonly limits: BodyLimits;
  /** How long a client may pause while it sends a body, in milliseconds. */
  readonly idleTimeout: number;
  readonly uploads: ReadUpload | undefined;
  /** Nests the values of forms by the brackets in their names; undefined to leave the names as they are. */
  readonly nestNames: ((flat: object) => object) | undefined;
}

/**
 * Reads and parses the body of a request into `request.body`, and the files of an upload into `request.files`. Only
 * bytes or a string are parsed if a native middleware has set a body. Returns undefined if there is nothing to do.
 *
 * @throws {@link RequestError} when a media type is missing that the method needs; other errors reject.
 */
export const parseBody = (
  plan: BodyPlan,
  options: BodyOptions,
  request: Request,
  response: Response,
  logger: Logger,
): Promise<void> | undefined => {
  if (plan.body === "none") return undefined;
  if (request.headers["content-type"] === undefined && typedNames.has(request.method))
    throw toTypeError(plan, options);
  const given: unknown = request.body;
  if (given === undefined && !hasBody(request)) {
    if (plan.body === "stream" && !request.readableDidRead) request.body = { raw: streamBytes("") };
    return undefined;
  }
  const limits = {
    bytes: plan.bodyLimit.bytes ?? options.limits.bytes ?? defaults.bodyLimit.bytes,
    values: plan.bodyLimit.values ?? options.limits.values ?? defaults.bodyLimit.values,
  };
  if (plan.body === "stream") {
    refuseParts(plan, options, request.headers["content-type"]);
    if (given === undefined)
      request.body = { raw: streamBody(request, response, limits.bytes, options.idleTimeout) };
    else if (typeof given === "string" || isUint8Array(given))
      request.body = { raw: streamBytes(given) };
    return undefined;
  }
  const parsing =
    given === undefined
      ? readAndParse(plan, options, limits, request, response, logger)
      : parseGiven(plan, options, limits, request, response, logger, given);
  const { nestNames } = options;
  const isParsed = typeof given === "object" && !isUint8Array(given);
  if (!nestNames || isParsed || plan.body === "raw" || !isForm(request)) return parsing;
  return parsing.then(() => nestFields(request, nestNames));
};

/** Checks for a body that has not been read; a reader such as formidable may finish before `end`. */
const hasBody = (request: Request): boolean => {
  const { "transfer-encoding": coding, "content-length": length } = request.headers;
  if (coding === undefined && (length === undefined || length === "0")) return false;
  if (request.readableEnded) return false;
  return !request.complete || !request.readableDidRead || request.readableLength > 0;
};

const isForm = ({ headers }: Request): boolean => {
  const type = parseContentType(headers["content-type"] ?? "")?.type;
  return type === formType || type === multipartType;
};

const nestFields = (
  request: Request & { files?: object },
  nestNames: NonNullable<BodyOptions["nestNames"]>,
): void => {
  if (request.body !== undefined) request.body = nestNames(request.body as object);
  if (request.files !== undefined) request.files = nestNames(request.files);
};

const readAndParse = async (
  plan: BodyPlan,
  options: BodyOptions,
  limits: AllLimits,
  request: Request,
  response: Response,
  logger: Logger,
): Promise<void> => {
  const { uploads, idleTimeout } = options;
  const isRaw = plan.body === "raw";
  const field = request.headers["content-type"];
  if (isRaw) refuseParts(plan, options, field);
  const contentType = isRaw ? undefined : parseContentType(field ?? "");
  const format = contentType && findFormat(plan, contentType);
  if (contentType && format === "multipart" && uploads && plan.takesFiles) {
    await uploads(contentType, plan.uploadLimits, idleTimeout, request, response, logger);
    await identifyFiles(plan, request);
    return;
  }
  // a body without a type cannot be parsed, but it may turn out to be empty
  if (!isRaw && !format && field !== undefined) throw toTypeError(plan, options);
  // Node parses a short body in the same turn as the head, so it has arrived a microtask later; other listeners would
  // receive it meanwhile
  if (!request.complete && request.readableFlowing === null) await Promise.resolve();
  let bytes = readBytes(request, response, limits.bytes, idleTimeout);
  if (bytes instanceof Promise) bytes = await bytes;
  // the body counts as read once the request has ended
  else await (findExchange(request)?.app?.ways ?? plainWays).endBody(request);
  if (isRaw) {
    request.body = { raw: bytes };
    return;
  }
  if (plan.keepsRawBody) keepRawBody(request, bytes);
  if (bytes.length === 0) return;
  if (!format || !contentType) throw toTypeError(plan, options);
  const body = parseBytes(format, contentType, bytes, limits.values);
  request.body = body instanceof Promise ? await body : body;
};

/** Finds out the media types of files, if the route checks them. */
const identifyFiles = async (plan: BodyPlan, request: Request): Promise<void> => {
  if (!plan.checksFileTypes) return;
  const { identifyFiles: identify } = await import("./file-types.ts");
  await identify((request as { readonly files?: object }).files ?? {});
};

/** Parses bytes or a string that a native middleware or an adapter has left, if their media type has a parser. */
const parseGiven = async (
  plan: BodyPlan,
  options: BodyOptions,
  limits: AllLimits,
  request: Request,
  response: Response,
  logger: Logger,
  given: unknown,
): Promise<void> => {
  const { uploads, idleTimeout } = options;
  if (plan.body === "parsed" && !plan.takesForms && isForm(request))
    throw toTypeError(plan, options);
  if (typeof given !== "string" && !isUint8Array(given)) return;
  const bytes = Buffer.from(given as Uint8Array);
  if (plan.body === "raw") {
    refuseParts(plan, options, request.headers["content-type"]);
    request.body = { raw: bytes };
    return;
  }
  const contentType = parseContentType(request.headers["content-type"] ?? "");
  const format = contentType && findFormat(plan, contentType);
  if (!format) return;
  if (format === "multipart" && uploads && plan.takesFiles && bytes.length > 0) {
    const { uploadLimits } = plan;
    await uploads(contentType, uploadLimits, idleTimeout, request, response, logger, bytes);
    await identifyFiles(plan, request);
    return;
  }
  if (bytes.length > limits.bytes) throw new RequestError("SLP_BODY_TOO_LARGE");
  if (plan.keepsRawBody) keepRawBody(request, bytes);
  request.body =
    bytes.length === 0 ? undefined : await parseBytes(format, contentType, bytes, limits.values);
};

/** Refuses a raw body of several parts, among which the declared content would only be one. */
const refuseParts = (plan: BodyPlan, options: BodyOptions, given = ""): void => {
  const { rawType = "*/*" } = plan;
  if (/^multipart\//i.test(given) && !/^(?:multipart|\*)\//i.test(rawType))
    throw toTypeError(plan, options);
};

const toTypeError = (
  { body, rawType = "*/*", takesForms, takesFiles }: BodyPlan,
  { uploads }: BodyOptions,
): RequestError => {
  const forms = [
    ...(takesForms ? [formType] : []),
    ...(uploads && takesFiles ? [multipartType] : []),
  ];
  const accepted =
    body === "raw" || body === "stream" ? rawType : ["application/json", ...forms].join(", ");
  return new RequestError("SLP_BODY_CONTENT_TYPE", { headers: { Accept: accepted } });
};

type Format = "form" | "json" | "multipart";

/** Returns the format of a body, whose charset must be known; undefined if the route does not accept its media type. */
const findFormat = (
  { takesForms }: BodyPlan,
  { type, parameters }: ContentType,
): Format | undefined => {
  if (type === multipartType) return takesForms ? "multipart" : undefined;
  const format = type === "application/json" || jsonType.test(type) ? "json" : "form";
  if (format === "form" && !(takesForms && type === formType)) return undefined;
  const charset = parameters.get("charset")?.toLowerCase() ?? "utf-8";
  if (!["utf-8", "utf8", "us-ascii"].includes(charset)) throw new RequestError("SLP_BODY_CHARSET");
  return format;
};

const parseBytes = (
  format: Format,
  contentType: ContentType,
  bytes: Buffer,
  maxValues: number,
): object | Promise<object> => {
  // the parser is loaded with the first such body
  if (format === "multipart")
    return import("./multipart-parser.ts").then((parser) =>
      parser.parseTextFields(contentType, bytes),
    );
  if (!isUtf8(bytes)) throw new RequestError("SLP_BODY_UTF8");
  const decoded = bytes.toString();
  const text = decoded.startsWith("\ufeff") ? decoded.slice(1) : decoded;
  return format === "json" ? parseJson(text, maxValues) : parseForm(text);
};

/** Parses a urlencoded body; repeated names become arrays. */
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
