import type { FrameworkErrorCode } from "../../basics/errors.ts";
import type {
  DefaultResultHandler,
  ErrorEnvelope,
  ErrorEnvelopeWithData,
  SuccessEnvelope,
} from "../../define/results/default-result-handler.ts";
import type { ProblemDetails } from "../../define/results/problem-result-handler.ts";
import type { MediaTyped } from "../../basics/schemas/content.ts";
import type { AnySchema } from "../../basics/schemas/schema.ts";
import type {
  ClientErrorStatus,
  ErrorReply,
  ErrorStatus,
  ServerErrorStatus,
} from "./reply-types.ts";
import type { EndpointTypes } from "./route-at.ts";
import type {
  CodesOf,
  EachAt,
  EachOf,
  FromJson,
  HandlerTypes,
  NamedKeys,
  OthersOf,
  SuccessAt,
  WireBody,
} from "./wire-types.ts";

/** The body of an error with a status; `never` as data or code means that there is none. */
type NegativeBody<T extends EndpointTypes, Each, Data = never, Code = never> = [Code] extends [
  never,
]
  ? UncodedBody<T, Each, Data>
  : Coded<UncodedBody<T, Each, Data>, Code>;

type UncodedBody<
  T extends EndpointTypes,
  Each,
  Data,
> = T["resultHandler"] extends DefaultResultHandler
  ? [Data] extends [never]
    ? ErrorEnvelope
    : undefined extends Data
      ? EnvelopeMaybeWithData<FromJson<Data>>
      : ErrorEnvelopeWithData<FromJson<Data>>
  : WireBody<Each, never, Data>;

/** A body with a known code, if it has a place for one. */
type Coded<Body, Code> =
  "code" extends NamedKeys<Body>
    ? Body & { readonly code: Code }
    : Body extends { readonly error: infer Inner }
      ? "code" extends NamedKeys<Inner>
        ? Body & { readonly error: { readonly code: Code } }
        : Body
      : Body;

/**
 * A body that is not declared under a name, beside those that are: its code, if it has one, is that of an error of the
 * framework, so that the code alone tells the bodies apart. What a result handler of one's own sends is not known.
 */
type OtherBody<T extends EndpointTypes, Each, Data = never> = WithOwnCode<
  T,
  UncodedBody<T, Each, Data>
>;

type WithOwnCode<T extends EndpointTypes, Body> = T["resultHandler"] extends DefaultResultHandler
  ? Body & { readonly error: { readonly code?: FrameworkErrorCode | undefined } }
  : Body extends ProblemDetails
    ? Body & { readonly code?: FrameworkErrorCode | undefined }
    : Body;

/** The body of the errors that are not declared; `Known` are the declared ones that carry data or a code. */
type UndeclaredBody<T extends EndpointTypes, Known, Each> = [keyof Known] extends [never]
  ? NegativeBody<T, Each>
  : [Extract<keyof T["errors"] | keyof T["middlewareErrors"], string>] extends [never]
    ? NegativeBody<T, Each>
    : OtherBody<T, Each>;

interface EnvelopeMaybeWithData<Data> {
  readonly status: "error";
  readonly error: ErrorEnvelope["error"] & { readonly data?: Data | undefined };
}

/** The statuses that the framework itself sends, and then without the data that an endpoint declares for them. */
type OwnStatus = 400 | 401 | 413 | 415 | 500 | 503;

/** The same, with what is sent for files and streams, whose types do not tell them apart. */
type OwnStatusOf<T extends EndpointTypes> =
  | OwnStatus
  | (T["output"] extends MediaTyped<string> ? 404 | 412 | 416 : never);

/** The data of an error's declaration; `undefined` if it has none. */
type DataOf<Errors, Key> = Key extends keyof Errors ? DataOfEach<Errors[Key]> : never;

type DataOfEach<Declaration> = Declaration extends {
  readonly schema: infer Schema extends AnySchema;
}
  ? Schema["_zod"]["output"]
  : undefined;

/** The errors that carry data or a code, by status; an empty object if there are none. */
export type DataErrorsAt<T> = T extends EndpointTypes
  ? {} extends T["errors"] & T["middlewareErrors"]
    ? {}
    : DataErrors<T, T["errors"], T["middlewareErrors"], EachOf<HandlerTypes<T>["negative"]>>
  : {};

type DataErrors<T extends EndpointTypes, Own, Others, Each> = [
  Extract<keyof Own | keyof Others, string>,
] extends [never]
  ? {
      [
        Status in keyof Own | keyof Others as [
          DataOf<Own, Status> | DataOf<Others, Status>,
        ] extends [undefined]
          ? never
          : Status
      ]: DataBody<T, EachAt<Each, Status>, Own, Others, Status>;
    }
  : NamedErrors<T, Own, Others, Each>;

type DataBody<T extends EndpointTypes, Each, Own, Others, Status> = NegativeBody<
  T,
  Each,
  DataAt<T, Own, Others, Status>
>;

/** The data of the errors with a status; `never` if they have none. */
type DataAt<T extends EndpointTypes, Own, Others, Status> = [
  DataOf<Own, Status> | DataOf<Others, Status>,
] extends [undefined]
  ? never
  :
      | DataOf<Own, Status>
      | DataOf<Others, Status>
      | (Status extends OwnStatusOf<T> ? undefined : never);

/** The bodies of errors, of which some are declared under a name; the keys of one status make a union. */
type NamedErrors<T extends EndpointTypes, Own, Others, Each> = {
  [Key in keyof Own | keyof Others as StatusOf<Own, Others, Key>]: Key extends string
    ?
        | NegativeBody<
            T,
            EachAt<Each, StatusOf<Own, Others, Key>>,
            Present<DataOf<Own, Key> | DataOf<Others, Key>>,
            Key
          >
        | (StatusOf<Own, Others, Key> extends OwnStatusOf<T> ? OtherBody<T, Each> : never)
    : OtherBody<T, EachAt<Each, Key>, DataAt<T, Own, Others, Key>>;
};

/** Data, or `never` if there is none. */
type Present<Data> = [Data] extends [undefined] ? never : Data;

type StatusOf<Own, Others, Key> = Key extends number
  ? Key
  : (Own & Others)[Key & keyof (Own & Others)] extends { readonly status: infer Status }
    ? Status & number
    : never;

/** The error replies: one for each status whose body differs. */
export type ErrorReplyAt<T> = T extends EndpointTypes
  ? ErrorReplies<
      T,
      DataErrorsAt<T>,
      EachOf<HandlerTypes<T>["negative"]>,
      CodesOf<EachOf<HandlerTypes<T>["negative"]>>
    >
  : never;

type ErrorReplies<T extends EndpointTypes, Known, Each, Codes extends number> =
  | {
      [Status in keyof Known | Codes]: ErrorReply<
        Status,
        Status extends keyof Known ? Known[Status] : UndeclaredBody<T, Known, EachAt<Each, Status>>
      >;
    }[keyof Known | Codes]
  | ErrorReply<Undeclared<Codes | keyof Known>, UndeclaredBody<T, Known, OthersOf<Each>>>;

/** The error statuses other than the given ones: a union, of which editors print the name. */
export type OtherStatus<Known> =
  | Exclude<ClientErrorStatus, Known>
  | Exclude<ServerErrorStatus, Known>;

/** The statuses that an endpoint does not declare. */
type Undeclared<Known> = [Known] extends [never] ? ErrorStatus : OtherStatus<Known>;

/** An endpoint that sends no content and has the default result handler and no errors with data, like most endpoints. */
interface PlainTypes {
  readonly resultHandler: DefaultResultHandler;
  readonly output: { readonly "~media"?: never; readonly _zod: { readonly output: unknown } };
  readonly errors: NoErrors;
  readonly middlewareErrors: NoErrors;
}

interface NoErrors {
  readonly [key: string]: never;
}

/** The body of each declared reply of an API. */
export type BodyAt<T extends EndpointTypes> = T extends PlainTypes
  ? T["statusCode"] extends 204 | 205
    ? ErrorEnvelope | undefined
    : SuccessEnvelope<FromJson<T["output"]["_zod"]["output"]>> | ErrorEnvelope
  :
      | SuccessAt<T>
      | UndeclaredBody<T, DataErrorsAt<T>, EachOf<HandlerTypes<T>["negative"]>>
      | DataErrorsAt<T>[keyof DataErrorsAt<T>];
