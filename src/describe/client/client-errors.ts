/** The route of a call. */
export interface CallRoute {
  /** The method in upper case, such as `GET`. */
  readonly method: string;
  /** The path as in the routing map, such as `/v1/users/:id`. */
  readonly path: string;
}

interface ErrorClass {
  /** The name of the class, by which other copies and generated clients know its instances. */
  readonly "~name"?: string;
  readonly prototype?: object;
}

/**
 * The base class of all client errors, which have a stable code and the route of the call. For each of these classes,
 * `instanceof` is also true for an error of another copy of this package, or of another generated client.
 */
export class ClientError<Code extends string = string> extends Error implements CallRoute {
  static readonly "~name": string = "ClientError";

  static override [Symbol.hasInstance](this: ErrorClass, value: unknown): boolean {
    const { "~name": name, prototype } = this;
    const of = (Object(value) as { readonly constructor?: ErrorClass }).constructor?.["~name"];
    // a class that is derived elsewhere has the name of its base class
    const isOwn = (Object.getPrototypeOf(this) as ErrorClass)["~name"] !== name;
    const isOfOther = isOwn && [of, of && "ClientError"].includes(name);
    return isOfOther || !!prototype?.isPrototypeOf(value as object);
  }

  declare readonly code: Code;
  declare readonly method: string;
  declare readonly path: string;

  /** @param more further properties; `cause` is one, because older compilers do not know it as an option of `Error` */
  constructor(code: Code, route: CallRoute, message: string, more?: object) {
    const { method, path } = route;
    super(code === "SLP_CLIENT_REPLY" ? message : `${method} ${path}: ${message}`);
    Object.assign(this, { name: new.target["~name"], code, method, path }, more);
  }
}

/** The error for a missing or interrupted response; `cause` has the reason. */
export class NetworkError extends ClientError<"SLP_CLIENT_NETWORK"> {
  static override readonly "~name" = "NetworkError";

  constructor(route: CallRoute, cause: unknown) {
    const reason = String(readProperty(cause, "message") ?? cause);
    super("SLP_CLIENT_NETWORK", route, `no complete response: ${reason}`, {
      cause,
    });
  }
}

/** The error for a response that took longer than `timeout`. */
export class TimeoutError extends ClientError<"SLP_CLIENT_TIMEOUT"> {
  static override readonly "~name" = "TimeoutError";

  /** The time limit, in milliseconds. */
  declare readonly timeout: number;

  constructor(route: CallRoute, timeout: number) {
    const message = `no complete response within ${timeout} ms`;
    super("SLP_CLIENT_TIMEOUT", route, message, { timeout });
  }
}

/** The error for a call whose `signal` was aborted; `cause` is the reason of the signal. */
export class AbortedError extends ClientError<"SLP_CLIENT_ABORTED"> {
  static override readonly "~name" = "AbortedError";

  constructor(route: CallRoute, reason: unknown) {
    super("SLP_CLIENT_ABORTED", route, "the call was aborted", { cause: reason });
  }
}

/** The error for input that cannot be sent unchanged; no request was sent. */
export class UnsendableInputError extends ClientError<"SLP_CLIENT_UNSENDABLE"> {
  static override readonly "~name" = "UnsendableInputError";

  /** The place in the input, such as `filter.tags[0]`. */
  declare readonly field: string;

  constructor(route: CallRoute, field: string, reason: string) {
    const message = `\`${field}\` ${reason}`;
    super("SLP_CLIENT_UNSENDABLE", route, message, { field });
  }
}

/** The error for a redirect that could give credentials or a body to another origin; it was not followed. */
export class RedirectError extends ClientError<"SLP_CLIENT_REDIRECT"> {
  static override readonly "~name" = "RedirectError";

  constructor(route: CallRoute, origin: string) {
    const message = `redirected to ${origin}; allow this with \`crossOriginRedirects: true\``;
    super("SLP_CLIENT_REDIRECT", route, message);
  }
}

/** The error for an event that is larger than `maxEventSize`. */
export class EventSizeError extends ClientError<"SLP_CLIENT_EVENT_SIZE"> {
  static override readonly "~name" = "EventSizeError";

  constructor(route: CallRoute, limit: number) {
    const message = `an event has more than ${limit} characters; raise \`maxEventSize\``;
    super("SLP_CLIENT_EVENT_SIZE", route, message);
  }
}

/** The error for a page that brings no progress: it is empty, or names the same next page as an earlier one. */
export class PageError extends ClientError<"SLP_CLIENT_PAGE"> {
  static override readonly "~name" = "PageError";

  constructor(route: CallRoute, place: string, isEmpty: boolean) {
    const pages = isEmpty ? "an empty page names" : "two pages name";
    super("SLP_CLIENT_PAGE", route, `no progress: ${pages} ${place} as the next page`);
  }
}

/** An error that came with a response. */
class ResponseError<Code extends string, Status extends number, Body> extends ClientError<Code> {
  declare readonly status: Status;
  /** The body, as far as it could be read. */
  declare readonly body: Body;
  /** The response itself; its body has been read. The property is not enumerable. */
  declare readonly response: Response;

  constructor(code: Code, route: CallRoute, response: Response, body: unknown, message: string) {
    super(code, route, message, { status: response.status, body });
    Object.defineProperty(this, "response", { value: response });
  }
}

/** The error for a body that the API does not declare for its status, such as a proxy's HTML page. */
export class UnexpectedBodyError extends ResponseError<
  "SLP_CLIENT_UNEXPECTED_BODY",
  number,
  unknown
> {
  static override readonly "~name" = "UnexpectedBodyError";

  constructor(route: CallRoute, response: Response, body: unknown) {
    const type = response.headers.get("content-type");
    const message = `status ${response.status}: an unexpected body of type ${type}`;
    super("SLP_CLIENT_UNEXPECTED_BODY", route, response, body, message);
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
  static override readonly "~name" = "ReplyError";

  /** The invalid parts of the input; empty for other errors. */
  declare readonly issues: readonly ReplyIssue[];

  constructor(route: CallRoute, response: Response, body: unknown) {
    const error = readProperty(body, "error");
    const read = (name: string): unknown => readProperty(error, name) ?? readProperty(body, name);
    const texts = [...["message", "detail", "title"].map(read), error, body];
    // a proxy's HTML page is no message
    const message = texts.find((text) => typeof text === "string" && /^\s*[^\s<]/.test(text));
    const wording = (message as string | undefined) ?? `status ${response.status}`;
    super("SLP_CLIENT_REPLY", route, response, body, wording);
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
