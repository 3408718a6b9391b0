/** The route of a call. */
export interface CallRoute {
  /** The method in upper case, such as `GET`. */
  readonly method: string;
  /** The path as in the routing map, such as `/v1/users/:id`. */
  readonly path: string;
}

/** The base class of all client errors, which have a stable code and the route of the call. */
export class ClientError extends Error {
  readonly code: string;
  /** The method in upper case, such as `GET`. */
  readonly method: string;
  /** The path as in the routing map, such as `/v1/users/:id`. */
  readonly path: string;

  constructor(name: string, code: string, route: CallRoute, message: string, cause?: unknown) {
    super(`${route.method} ${route.path}: ${message}`);
    this.name = name;
    this.code = code;
    this.method = route.method;
    this.path = route.path;
    // `cause` is set here, because older compilers do not know the second argument of `Error`
    if (cause !== undefined) (this as { cause?: unknown }).cause = cause;
  }
}

/** The error for a missing or interrupted response; `cause` has the reason. */
export class NetworkError extends ClientError {
  constructor(route: CallRoute, cause: unknown) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    super("NetworkError", "SLP_CLIENT_NETWORK", route, `no complete response: ${reason}`, cause);
  }
}

/** The error for a response that took longer than `timeout`. */
export class TimeoutError extends ClientError {
  /** The time limit, in milliseconds. */
  readonly timeout: number;

  constructor(route: CallRoute, timeout: number) {
    super("TimeoutError", "SLP_CLIENT_TIMEOUT", route, `no complete response within ${timeout} ms`);
    this.timeout = timeout;
  }
}

/** The error for a call whose `signal` was aborted; `cause` is the reason of the signal. */
export class AbortedError extends ClientError {
  constructor(route: CallRoute, reason: unknown) {
    super("AbortedError", "SLP_CLIENT_ABORTED", route, "the call was aborted", reason);
  }
}

/** The error for input that cannot be sent unchanged; no request was sent. */
export class UnsendableInputError extends ClientError {
  /** The place in the input, such as `filter.tags[0]`. */
  readonly field: string;

  constructor(route: CallRoute, field: string, reason: string) {
    super("UnsendableInputError", "SLP_CLIENT_UNSENDABLE", route, `\`${field}\` ${reason}`);
    this.field = field;
  }
}

/** The error for a redirect that could give credentials or a body to another origin; it was not followed. */
export class RedirectError extends ClientError {
  constructor(route: CallRoute, origin: string) {
    const message = `redirected to ${origin}; allow this with \`crossOriginRedirects: true\``;
    super("RedirectError", "SLP_CLIENT_REDIRECT", route, message);
  }
}

/** The error for an event that is larger than `maxEventSize`. */
export class EventSizeError extends ClientError {
  constructor(route: CallRoute, limit: number) {
    const message = `an event has more than ${limit} characters; raise \`maxEventSize\``;
    super("EventSizeError", "SLP_CLIENT_EVENT_SIZE", route, message);
  }
}

/** The error for a page that names itself as the next page. */
export class PageError extends ClientError {
  constructor(route: CallRoute, place: string) {
    super(
      "PageError",
      "SLP_CLIENT_PAGE",
      route,
      `the page at ${place} names itself as the next page`,
    );
  }
}

/** An error that came with a response. */
class ResponseError extends ClientError {
  readonly status: number;
  /** The body, as far as it could be read. */
  readonly body: unknown;
  readonly response: Response;

  constructor(
    name: string,
    code: string,
    route: CallRoute,
    response: Response,
    body: unknown,
    message: string,
  ) {
    super(name, code, route, `status ${response.status}: ${message}`);
    this.status = response.status;
    this.body = body;
    this.response = response;
  }
}

/** The error for a body that the API does not declare for its status, such as a proxy's HTML page. */
export class UnexpectedBodyError extends ResponseError {
  constructor(route: CallRoute, response: Response, body: unknown) {
    const message = `an unexpected body of type ${String(response.headers.get("content-type"))}`;
    super("UnexpectedBodyError", "SLP_CLIENT_UNEXPECTED_BODY", route, response, body, message);
  }
}

/** One problem with the input, as reported by the API. */
export interface ReplyIssue {
  /** The keys and indexes that lead to the field. */
  readonly path: readonly (string | number)[];
  readonly message: string;
  readonly code: string;
}

/** The error that `iterate` and `subscribe` throw when the API responds with an error. */
export class ReplyError extends ResponseError {
  /** The invalid parts of the input; empty for other errors. */
  readonly issues: readonly ReplyIssue[];

  constructor(route: CallRoute, response: Response, body: unknown) {
    const error = readProperty(body, "error");
    const message = readProperty(error, "message") ?? readProperty(body, "detail") ?? "error";
    super("ReplyError", "SLP_CLIENT_REPLY", route, response, body, message as string);
    const issues = readProperty(error, "issues") ?? readProperty(body, "issues");
    this.issues = Array.isArray(issues) ? (issues as ReplyIssue[]) : [];
  }
}

/** Reads a property of a value that need not be an object. */
export const readProperty = (value: unknown, name: string): unknown =>
  (value as Readonly<Record<string, unknown>> | null | undefined)?.[name];
