import { isError } from "./http/is-error.ts";
import type { Method } from "./http/method.ts";

/** The errors with which the framework itself rejects requests: the status and the fixed message of each code. */
const requestFaults = {
  SLP_BODY_CONTENT_TYPE: [415, "Unsupported Media Type"],
  SLP_BODY_CHARSET: [415, "Unsupported charset"],
  SLP_BODY_CORRUPT_ENCODING: [400, "Malformed compressed body"],
  SLP_BODY_ENCODING: [415, "Unsupported content encoding"],
  SLP_BODY_FORBIDDEN_KEY: [400, "Forbidden key in the body"],
  SLP_BODY_JSON_AS_FORM: [400, "The body looks like JSON: send Content-Type: application/json"],
  SLP_BODY_MALFORMED_FORM: [400, "Malformed form"],
  SLP_BODY_MALFORMED_JSON: [400, "Invalid JSON"],
  SLP_BODY_NOT_OBJECT: [400, "Expected an object"],
  SLP_BODY_TOO_DEEP: [400, "Body nested too deeply"],
  SLP_BODY_TOO_LARGE: [413, "Content Too Large"],
  SLP_BODY_TOO_MANY_FIELDS: [413, "Too many form fields"],
  SLP_BODY_TOO_MANY_VALUES: [413, "The body has more values than `bodyLimit.values` allows"],
  SLP_BODY_UTF8: [400, "Body is not valid UTF-8"],
  SLP_CROSS_SITE_FORM: [403, "Forms from other sites are not accepted"],
  SLP_EXPECTATION: [417, "Expectation Failed"],
  SLP_BODY_TIMEOUT: [408, "Request Timeout"],
  SLP_GONE: [410, "Gone"],
  SLP_HEADER_HOST: [400, "Bad Request"],
  SLP_HEADER_TRANSFER_ENCODING: [400, "Bad Request"],
  SLP_HEADER_TOO_MANY_FIELDS: [431, "Request Header Fields Too Large"],
  SLP_HANDLER_TIMEOUT: [503, "Service Unavailable"],
  SLP_IDEMPOTENCY_IN_FLIGHT: [409, "A request with this idempotency key is running"],
  SLP_IDEMPOTENCY_INPUT: [422, "The idempotency key was used with another input"],
  SLP_IDEMPOTENCY_NO_REPLY: [
    422,
    "A request with this idempotency key has ended, but its reply was not kept",
  ],
  SLP_INPUT_TOO_MANY_ISSUES: [400, "Too many invalid values"],
  SLP_METHOD_NOT_ALLOWED: [405, "Method Not Allowed"],
  SLP_NOT_FOUND: [404, "Not Found"],
  SLP_PATH_MALFORMED: [400, "Malformed path"],
  SLP_PRECONDITION_FAILED: [412, "The resource has another version than the request expects"],
  SLP_PRECONDITION_REQUIRED: [428, "Send If-Match with the ETag of the version to change"],
  SLP_QUERY_TOO_MANY_PARAMETERS: [400, "Too many query parameters"],
  SLP_RATE_LIMITED: [429, "Too Many Requests"],
  SLP_SHUTTING_DOWN: [503, "Service Unavailable"],
  SLP_STORE_UNAVAILABLE: [503, "Service Unavailable"],
  SLP_TARGET_MALFORMED: [400, "Malformed request target"],
  SLP_TARGET_TOO_LONG: [414, "URI Too Long"],
  SLP_UPLOAD_FIELDS_TOO_LARGE: [413, "Fields too large"],
  SLP_UPLOAD_FIELD_TOO_LARGE: [413, "Field too large"],
  SLP_UPLOAD_FILE_TOO_LARGE: [413, "File too large"],
  SLP_UPLOAD_MALFORMED: [400, "Malformed multipart body"],
  SLP_UPLOAD_TOO_LARGE: [413, "Content Too Large"],
  SLP_UPLOAD_TOO_MANY: [413, "Too many parts"],
  SLP_UPLOAD_TYPE: [415, "Unsupported file type"],
} as const satisfies Record<string, readonly [number, string]>;

/** The errors after which client and server may disagree on where the next request begins. */
const framingFaults: ReadonlySet<string> = new Set([
  ...["SLP_BODY_TIMEOUT", "SLP_TARGET_MALFORMED", "SLP_TARGET_TOO_LONG", "SLP_HEADER_HOST"],
  ...["SLP_HEADER_TRANSFER_ENCODING", "SLP_HEADER_TOO_MANY_FIELDS"],
]);

/** The header fields of errors that are thrown without any. */
const defaultHeaders: { readonly [code: string]: RequestError["headers"] } = {
  SLP_STORE_UNAVAILABLE: { "Retry-After": "1" },
};

/** The code of a {@link RequestError}. */
export type RequestErrorCode = keyof typeof requestFaults;

export const isRequestErrorCode = (code: string): code is RequestErrorCode =>
  Object.hasOwn(requestFaults, code);

/** The code of an error with which the framework itself rejects requests, as clients receive it. */
export type FrameworkErrorCode = RequestErrorCode | "SLP_INPUT_INVALID";

export const frameworkErrorCodes: ReadonlySet<string> = new Set<FrameworkErrorCode>([
  ...(Object.keys(requestFaults) as RequestErrorCode[]),
  "SLP_INPUT_INVALID",
]);

/** Optional details of a {@link RequestError}. */
export interface RequestErrorOptions {
  readonly headers?: Readonly<Record<string, string>>;
  readonly cause?: unknown;
  /** The upload field at fault. */
  readonly field?: string | undefined;
  /** What the application has declared of the upload field. */
  readonly expected?: string | undefined;
  /** Members of the body, if it has the form of problem details. */
  readonly problem?: Readonly<Record<string, unknown>>;
}

const toErrorOptions = (cause: unknown): ErrorOptions | undefined =>
  cause === undefined ? undefined : { cause };

/** Returns the address of the section that explains a code. */
export const toSee = (code: string): string =>
  `https://sallyport.github.io/sallyport/errors#${code.toLowerCase()}`;

/** Makes the errors that follow capture no stack, which costs more than all else of them; returns a function that ends this. */
export const captureNoStack = (): (() => void) => {
  const { stackTraceLimit } = Error as { readonly stackTraceLimit?: number };
  if (!stackTraceLimit) return () => undefined;
  // a program may have frozen the class
  Reflect.set(Error, "stackTraceLimit", 0);
  return () => void Reflect.set(Error, "stackTraceLimit", stackTraceLimit);
};

interface ErrorClass {
  /** The name of the class, by which another copy of this package knows its instances. */
  readonly "~name"?: string;
  readonly prototype: object;
}

/** Returns the name of the class of an error; never throws, because anything can be thrown. */
const readName = (error: Error): unknown => {
  try {
    return (error.constructor as Partial<ErrorClass> | undefined)?.["~name"];
  } catch {
    return undefined;
  }
};

/** An error for which `instanceof` is also true if another copy of this package has created it. */
export class MarkedError extends Error {
  static override [Symbol.hasInstance](this: ErrorClass, value: unknown): boolean {
    const { "~name": name, prototype } = this;
    if (Object.prototype.isPrototypeOf.call(prototype, Object(value) as object)) return true;
    // a class that is derived elsewhere has the name of its base class
    const isOwn = (Object.getPrototypeOf(this) as Partial<ErrorClass>)["~name"] !== name;
    return isOwn && isError(value) && readName(value) === name;
  }
}

/** An error for whoever writes or runs the application. Node prints the link with the stack, and loggers as a field. */
class LinkedError<Code extends string> extends MarkedError {
  readonly code: Code;
  /** The address of the section that explains the code. */
  readonly see: string;

  constructor(code: Code, message: string, cause?: unknown) {
    super(message, toErrorOptions(cause));
    this.code = code;
    this.see = toSee(code);
  }
}

/**
 * The error with which the framework itself rejects a request, for example because of malformed JSON or an unknown
 * path.
 *
 * The message is fixed and never echoes the request, apart from the name of an upload field.
 */
export class RequestError extends MarkedError {
  static readonly "~name" = "RequestError";
  override readonly name = "RequestError";
  readonly code: RequestErrorCode;
  readonly status: number;
  readonly statusCode: number;
  readonly expose = true;
  readonly headers: Readonly<Record<string, string>> | undefined;
  /** Members of the body, if it has the form of problem details. */
  readonly problem: Readonly<Record<string, unknown>> | undefined;
  /** Whether the connection must be closed after the response. */
  readonly endsConnection: boolean;

  constructor(
    code: RequestErrorCode,
    { headers, cause, field, expected, problem }: RequestErrorOptions = {},
  ) {
    const [statusCode, text] = requestFaults[code];
    const place = field === undefined ? "" : `: ${field.slice(0, 100)}`;
    const message = `${text}${place}${expected === undefined ? "" : `. ${expected}`}`;
    const restore = statusCode < 500 ? captureNoStack() : undefined;
    super(message, toErrorOptions(cause));
    restore?.();
    this.code = code;
    this.status = statusCode;
    this.statusCode = statusCode;
    this.headers = headers ?? defaultHeaders[code];
    this.problem = problem;
    this.endsConnection = framingFaults.has(code);
  }
}

/**
 * The error of a request whose client has disconnected; no response is sent. It is also the reason with which `signal`
 * is aborted.
 */
export class ClientLeft extends Error {
  override readonly name = "AbortError";
  readonly code = "ABORT_ERR";

  constructor(message = "The client disconnected") {
    super(message);
  }
}

/** The code of a {@link RoutingError}. */
export type RoutingErrorCode =
  | "SLP_ROUTING_ACCESS"
  | "SLP_ROUTING_CYCLE"
  | "SLP_ROUTING_DUPLICATE"
  | "SLP_ROUTING_EXPLICIT_METHOD_VALUE"
  | "SLP_ROUTING_LEAF"
  | "SLP_ROUTING_METHOD_CASE"
  | "SLP_ROUTING_METHOD_UNKNOWN"
  | "SLP_ROUTING_METHOD_UNSUPPORTED"
  | "SLP_ROUTING_PATH_SYNTAX";

/** The error for an invalid routing map, thrown at startup. */
export class RoutingError extends LinkedError<RoutingErrorCode> {
  static readonly "~name" = "RoutingError";
  override readonly name = "RoutingError";
  /** The location of the error in the routing map. */
  override readonly cause: { readonly method?: Method | undefined; readonly path: string };

  constructor(code: RoutingErrorCode, message: string, cause: RoutingError["cause"]) {
    super(code, message);
    this.cause = cause;
  }
}

/** The code of a {@link ConfigError}. */
export type ConfigErrorCode =
  | "SLP_CONFIG_UNKNOWN_OPTION"
  | "SLP_CONFIG_VALUE"
  | "SLP_CONFIG_PEER"
  | "SLP_CONFIG_RESOURCE"
  | "SLP_CONFIG_WORKER"
  | "SLP_CONFIG_MISSING";

/** The error for an invalid configuration, or a resource that cannot start, thrown at startup. */
export class ConfigError extends LinkedError<ConfigErrorCode> {
  static readonly "~name" = "ConfigError";
  override readonly name = "ConfigError";
}

/** The code of a {@link DefinitionError}. */
export type DefinitionErrorCode =
  | "SLP_DEFINITION_EVENT"
  | "SLP_DEFINITION_HANDLER"
  | "SLP_DEFINITION_METHOD"
  | "SLP_DEFINITION_RESPONSE"
  | "SLP_DEFINITION_SCHEMA"
  | "SLP_DEFINITION_UNKNOWN_KEY"
  | "SLP_DEFINITION_VALUE"
  | "SLP_TEST_METHOD"
  | "SLP_TEST_OPTIONS";

/**
 * The error for an invalid declaration of an endpoint, a middleware, a result handler or a test, thrown where the
 * declaration is made.
 */
export class DefinitionError extends LinkedError<DefinitionErrorCode> {
  static readonly "~name" = "DefinitionError";
  override readonly name = "DefinitionError";
}

/** The code of an {@link OpenApiError}. */
export type OpenApiErrorCode =
  | "SLP_OPENAPI_COMPONENT"
  | "SLP_OPENAPI_OPERATION_ID"
  | "SLP_OPENAPI_OPTION"
  | "SLP_OPENAPI_PATHS"
  | "SLP_OPENAPI_QUERY_OBJECT"
  | "SLP_OPENAPI_SCHEMA";

/** The error for a route or a schema that cannot be documented, thrown when a document is generated. */
export class OpenApiError extends LinkedError<OpenApiErrorCode> {
  static readonly "~name" = "OpenApiError";
  override readonly name = "OpenApiError";
  readonly statusCode = 500;
  /** The message names routes and schemas; only those who may read the document can see it. */
  readonly expose = true;
  /** The affected route, if any. */
  override readonly cause: {
    readonly method: Method | undefined;
    readonly path: string | undefined;
  };

  constructor(
    code: OpenApiErrorCode,
    message: string,
    place: { readonly method?: Method | undefined; readonly route?: string | undefined },
  ) {
    super(code, message);
    this.cause = { method: place.method, path: place.route };
  }
}

/** The code of a {@link ServerFault}. */
export type ServerFaultCode =
  | "SLP_AFTER_COMMIT_LATE"
  | "SLP_AROUND_NOT_CALLED"
  | "SLP_AROUND_TWICE"
  | "SLP_AROUND_LATE"
  | "SLP_CHANNEL_EVENT_SIZE"
  | "SLP_CHANNEL_TOPIC"
  | "SLP_BODY_UNREADABLE"
  | "SLP_CONTENT_LENGTH"
  | "SLP_CONTEXT_NOT_OBJECT"
  | "SLP_CORS_HEADERS"
  | "SLP_ERROR_DATA"
  | "SLP_ERROR_HEADERS"
  | "SLP_EVENT_FIELD"
  | "SLP_EVENT_UNKNOWN"
  | "SLP_FILE_PATH"
  | "SLP_FILE_TYPE"
  | "SLP_NOTHING_SENT"
  | "SLP_OUTPUT_CHUNK"
  | "SLP_OUTPUT_NOT_OBJECT"
  | "SLP_OUTPUT_UNSERIALIZABLE"
  | "SLP_REPLY"
  | "SLP_THROWN_NON_ERROR"
  | "SLP_VERSION";

/**
 * The error for a defect in the application that is only found while a request is handled; the response has status 500.
 */
export class ServerFault extends LinkedError<ServerFaultCode> {
  static readonly "~name" = "ServerFault";
  override readonly name = "ServerFault";
  readonly statusCode = 500;
  readonly expose = false;
}
