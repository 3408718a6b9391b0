/** The route of a call. */
export interface CallRoute {
  /** The method in upper case, such as `GET`. */
  readonly method: string;
  /** The path as in the routing map, such as `/v1/users/:id`. */
  readonly path: string;
}

/** The property of a class of errors with its name, by which other copies and generated clients know its instances. */
const errorMark: unique symbol = Symbol.for("sallyport/error");

/** Returns the mark of a class itself, which that of a derived class does not have. */
const readMark = (of: object): unknown =>
  Object.getOwnPropertyDescriptor(of, errorMark)?.value as unknown;

function hasInstance(this: Function, value: unknown): boolean {
  if (Function.prototype[Symbol.hasInstance].call(this, value)) return true;
  const mark = readMark(this);
  let of: object | null | undefined = mark === undefined ? null : Object(value).constructor;
  while (of && readMark(of) !== mark) of = Object.getPrototypeOf(of) as object | null;
  return Boolean(of);
}

/**
 * The base class of all client errors, which have a stable code and the route of the call. For each of these classes,
 * `instanceof` is also true for an error of another copy of this package, or of another generated client.
 */
export class ClientError<Code extends string = string> extends Error implements CallRoute {
  static readonly [errorMark]: string = "ClientError";

  static {
    Object.defineProperty(this, Symbol.hasInstance, { value: hasInstance });
  }

  declare readonly code: Code;
  declare readonly method: string;
  declare readonly path: string;

  /** @param more further properties; `cause` is one, because older compilers do not know it as an option of `Error` */
  constructor(name: string, code: Code, route: CallRoute, message: string, more?: object) {
    const { method, path } = route;
    super(code === "SLP_CLIENT_REPLY" ? message : `${method} ${path}: ${message}`);
    Object.assign(this, { name, code, method, path }, more);
  }
}

/** The error for a missing or interrupted response; `cause` has the reason. */
export class NetworkError extends ClientError<"SLP_CLIENT_NETWORK"> {
  static override readonly [errorMark] = "NetworkError";

  constructor(route: CallRoute, cause: unknown) {
    const reason = String(readProperty(cause, "message") ?? cause);
    super("NetworkError", "SLP_CLIENT_NETWORK", route, `no complete response: ${reason}`, {
      cause,
    });
  }
}

/** The error for a response that took longer than `timeout`. */
export class TimeoutError extends ClientError<"SLP_CLIENT_TIMEOUT"> {
  static override readonly [errorMark] = "TimeoutError";

  /** The time limit, in milliseconds. */
  declare readonly timeout: number;

  constructor(route: CallRoute, timeout: number) {
    const message = `no complete response within ${timeout} ms`;
    super("TimeoutError", "SLP_CLIENT_TIMEOUT", route, message, { timeout });
  }
}

/** The error for a call whose `signal` was aborted; `cause` is the reason of the signal. */
export class AbortedError extends ClientError<"SLP_CLIENT_ABORTED"> {
  static override readonly [errorMark] = "AbortedError";

  constructor(route: CallRoute, reason: unknown) {
    super("AbortedError", "SLP_CLIENT_ABORTED", route, "the call was aborted", { cause: reason });
  }
}

/** The error for input that cannot be sent unchanged; no request was sent. */
export class UnsendableInputError extends ClientError<"SLP_CLIENT_UNSENDABLE"> {
  static override readonly [errorMark] = "UnsendableInputError";

  /** The place in the input, such as `filter.tags[0]`. */
  declare readonly field: string;

  constructor(route: CallRoute, field: string, reason: string) {
    const message = `\`${field}\` ${reason}`;
    super("UnsendableInputError", "SLP_CLIENT_UNSENDABLE", route, message, { field });
  }
}

/** The error for a redirect that could give credentials or a body to another origin; it was not followed. */
export class RedirectError extends ClientError<"SLP_CLIENT_REDIRECT"> {
  static override readonly [errorMark] = "RedirectError";

  constructor(route: CallRoute, origin: string) {
    const message = `redirected to ${origin}; allow this with \`crossOriginRedirects: true\``;
    super("RedirectError", "SLP_CLIENT_REDIRECT", route, message);
  }
}

/** The error for an event that is larger than `maxEventSize`. */
export class EventSizeError extends ClientError<"SLP_CLIENT_EVENT_SIZE"> {
  static override readonly [errorMark] = "EventSizeError";

  constructor(route: CallRoute, limit: number) {
    const message = `an event has more than ${limit} characters; raise \`maxEventSize\``;
    super("EventSizeError", "SLP_CLIENT_EVENT_SIZE", route, message);
  }
}

/** The error for a page that brings no progress: it is empty, or names the same next page as an earlier one. */
export class PageError extends ClientError<"SLP_CLIENT_PAGE"> {
  static override readonly [errorMark] = "PageError";

  constructor(route: CallRoute, place: string, isEmpty: boolean) {
    const pages = isEmpty ? "an empty page names" : "two pages name";
    super("PageError", "SLP_CLIENT_PAGE", route, `no progress: ${pages} ${place} as the next page`);
  }
}

/** An error that came with a response. */
class ResponseError<Code extends string, Status extends number, Body> extends ClientError<Code> {
  declare readonly status: Status;
  /** The body, as far as it could be read. */
  declare readonly body: Body;
  /** The response itself; its body has been read. The property is not enumerable. */
  declare readonly response: Response;

  constructor(
    name: string,
    code: Code,
    route: CallRoute,
    response: Response,
    body: unknown,
    message: string,
  ) {
    super(name, code, route, message, { status: response.status, body });
    Object.defineProperty(this, "response", { value: response });
  }
}

/** The error for a body that the API does not declare for its status, such as a proxy's HTML page. */
export class UnexpectedBodyError extends ResponseError<
  "SLP_CLIENT_UNEXPECTED_BODY",
  number,
  unknown
> {
  static override readonly [errorMark] = "UnexpectedBodyError";

  constructor(route: CallRoute, response: Response, body: unknown) {
    const type = response.headers.get("content-type");
    const message = `status ${response.status}: an unexpected body of type ${type}`;
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

/**
 * The error that `iterate`, `subscribe`, `download` and TanStack Query throw when the API responds with an error.
 *
 * Its message is the API's own: `error.message` of the default envelope, the `detail` or the `title` of problem
 * details, `message`, or a body of text.
 */
export class ReplyError<Status extends number = number, Body = unknown> extends ResponseError<
  "SLP_CLIENT_REPLY",
  Status,
  Body
> {
  static override readonly [errorMark] = "ReplyError";

  /** The invalid parts of the input; empty for other errors. */
  declare readonly issues: readonly ReplyIssue[];

  constructor(route: CallRoute, response: Response, body: unknown) {
    const error = readProperty(body, "error");
    const read = (name: string): unknown => readProperty(error, name) ?? readProperty(body, name);
    const texts = [...["message", "detail", "title"].map(read), error, body];
    // a proxy's HTML page is no message
    const message = texts.find((text) => typeof text === "string" && /^\s*[^\s<]/.test(text));
    const wording = (message as string | undefined) ?? `status ${response.status}`;
    super("ReplyError", "SLP_CLIENT_REPLY", route, response, body, wording);
    const issues = read("issues");
    this.issues = Array.isArray(issues) ? (issues as ReplyIssue[]) : [];
  }

  /**
   * Returns the issues of one field.
   *
   * @param field the keys and indexes that lead to the field, such as `address.city` or `tags.0`
   */
  issuesAt(field: string): readonly ReplyIssue[] {
    return this.issues.filter(({ path }) => path.join(".") === field);
  }
}

/** The {@link ReplyError} of each error among the replies of a route. */
export type ReplyErrorOf<Reply> = Reply extends {
  readonly ok: false;
  readonly status: infer Status extends number;
  readonly body: infer Body;
}
  ? ReplyError<Status, Body>
  : never;

/** An error of a call that has no reply of the API. */
export type CallError =
  | AbortedError
  | NetworkError
  | RedirectError
  | TimeoutError
  | UnexpectedBodyError
  | UnsendableInputError;

/** Reads a property of a value that need not be an object. */
export const readProperty = (value: unknown, name: string): unknown =>
  (value as Readonly<Record<string, unknown>> | null | undefined)?.[name];
