/** The possible success statuses of an endpoint that declares none; 204 is missing because it must be declared. */
export type SuccessStatus = 200 | 201 | 202 | 203 | 205 | 206 | 207 | 208 | 226;

/** An error status of 4xx. */
export type ClientErrorStatus =
  | (400 | 401 | 402 | 403 | 404 | 405 | 406 | 407 | 408 | 409 | 410 | 411 | 412 | 413)
  | (414 | 415 | 416 | 417 | 418 | 421 | 422 | 423 | 424 | 425 | 426 | 428 | 429 | 431 | 451);

/** An error status of 5xx. */
export type ServerErrorStatus = 500 | 501 | 502 | 503 | 504 | 505 | 506 | 507 | 508 | 510 | 511;

/** An error status, declared or not. */
export type ErrorStatus = ClientErrorStatus | ServerErrorStatus;

/** What all replies have. */
export interface ReplyBase {
  readonly headers: Headers;
  /** The response itself; its body has been read. */
  readonly response: Response;
}

/** Header fields of a response, of which some are declared. */
export type ReplyHeaders<Fields> = keyof Fields extends never
  ? Headers
  : {
      get<Name extends keyof Fields & string>(
        name: Name,
      ): {} extends Pick<Fields, Name> ? string | null : string;
    } & Headers;

/** A successful reply; `Fields` are the header fields that the route declares in `responseHeaders`. */
export interface SuccessReply<Status, Body, Fields = {}> extends ReplyBase {
  readonly headers: ReplyHeaders<Fields>;
  /** Type information only. */
  readonly "~fields"?: Fields;
  readonly ok: true;
  readonly status: Status;
  readonly body: Body;
}

/** An error reply. */
export interface ErrorReply<Status, Body> extends ReplyBase {
  readonly ok: false;
  readonly status: Status;
  readonly body: Body;
}

/** An undeclared reply, such as a proxy's error page. */
export interface UnexpectedReply extends ReplyBase {
  readonly ok: false;
  readonly status: "unexpected";
  readonly actualStatus: number;
  readonly body: unknown;
}
