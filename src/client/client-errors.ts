/** The route that a call goes to. */
export interface CallRoute {
  /** In upper case, such as `GET`. */
  readonly method: string;
  /** As the routing has it, such as `/v1/users/:id`. */
  readonly path: string;
}

/** What all errors of the client have in common: a stable code, and the route of the call. */
export class ClientError extends Error {
  readonly code: string;
  /** In upper case, such as `GET`. */
  readonly method: string;
  /** As the routing has it, such as `/v1/users/:id`. */
  readonly path: string;

  constructor(name: string, code: string, route: CallRoute, message: string, cause?: unknown) {
    super(`${route.method} ${route.path}: ${message}`);
    this.name = name;
    this.code = code;
    this.method = route.method;
    this.path = route.path;
    // set here, since older compilers know no second argument of `Error`
    if (cause !== undefined) (this as { cause?: unknown }).cause = cause;
  }
}

/** No response came, or it broke off; `cause` says why. */
export class NetworkError extends ClientError {
  constructor(route: CallRoute, cause: unknown) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    super("NetworkError", "SLP_CLIENT_NETWORK", route, `no whole response: ${reason}`, cause);
  }
}

/** The response took longer than `timeout`. */
export class TimeoutError extends ClientError {
  /** In milliseconds. */
  readonly timeout: number;

  constructor(route: CallRoute, timeout: number) {
    super("TimeoutError", "SLP_CLIENT_TIMEOUT", route, `no whole response within ${timeout} ms`);
    this.timeout = timeout;
  }
}

/** The `signal` of the call was aborted; `cause` is its reason. */
export class AbortedError extends ClientError {
  constructor(route: CallRoute, reason: unknown) {
    super("AbortedError", "SLP_CLIENT_ABORTED", route, "the call was aborted", reason);
  }
}

/** The input has something that cannot be sent as it is; nothing was sent. */
export class UnsendableInputError extends ClientError {
  /** Where in the input, such as `filter.tags[0]`. */
  readonly field: string;

  constructor(route: CallRoute, field: string, reason: string) {
    super("UnsendableInputError", "SLP_CLIENT_UNSENDABLE", route, `\`${field}\` ${reason}`);
    this.field = field;
  }
}

/** An error that came with a response. */
class ResponseError extends ClientError {
  readonly status: number;
  /** The body as far as it could be read. */
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

/** The body is not what its status promises, such as the HTML page of a proxy. */
export class UnexpectedBodyError extends ResponseError {
  constructor(route: CallRoute, response: Response, body: unknown) {
    const message = `an unexpected body of type ${String(response.headers.get("content-type"))}`;
    super("UnexpectedBodyError", "SLP_CLIENT_UNEXPECTED_BODY", route, response, body, message);
  }
}

/** One thing that is wrong with the input, as the API says. */
export interface ReplyIssue {
  /** The keys and indexes that lead to the field. */
  readonly path: readonly (string | number)[];
  readonly message: string;
  readonly code: string;
}

/** The API answered with an error where the caller waits for a success: thrown by `iterate` and `subscribe`. */
export class ReplyError extends ResponseError {
  /** What is wrong with the input; empty unless that is the error. */
  readonly issues: readonly ReplyIssue[];

  constructor(route: CallRoute, response: Response, body: unknown) {
    const error = readProperty(body, "error");
    const message = readProperty(error, "message") ?? readProperty(body, "detail") ?? "error";
    super("ReplyError", "SLP_CLIENT_REPLY", route, response, body, message as string);
    const issues = readProperty(error, "issues") ?? readProperty(body, "issues");
    this.issues = Array.isArray(issues) ? (issues as ReplyIssue[]) : [];
  }
}

/** A property of something that need not be an object. */
export const readProperty = (value: unknown, name: string): unknown =>
  (value as Readonly<Record<string, unknown>> | null | undefined)?.[name];
