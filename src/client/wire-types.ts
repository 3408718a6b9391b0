import type { ResponseBody } from "../results/api-response.ts";
import type {
  DefaultResultHandler,
  ErrorEnvelope,
  ErrorEnvelopeWithData,
  SuccessEnvelope,
} from "../results/default-result-handler.ts";
import type { EventStreamResponse } from "../results/event-stream-result-handler.ts";
import type { z } from "zod";
import type { FileSchema, StreamSchema } from "../schemas/content.ts";
import type { AnySchema } from "../schemas/schema.ts";
import type { PageOf, PayloadOf } from "./pages.ts";
import type { EndpointTypes } from "./route-at.ts";

type Primitive = bigint | boolean | number | string | symbol | null | undefined;

/** A value as parsed from JSON: dates are strings. The cases that cost the compiler most come last. */
export type FromJson<Value> = Value extends Primitive
  ? Value
  : Value extends ToJson
    ? ReturnType<Value["toJSON"]>
    : unknown extends Value
      ? Value
      : { [Key in keyof Value]: FromJson<Value[Key]> };

interface ToJson {
  readonly toJSON: (...args: never) => unknown;
}

/** A body as a client reads it: bytes are a `Blob`. */
export type ReadBody<Body> = Body extends Uint8Array ? Blob : FromJson<Body>;

/** The values that a path parameter may have. */
type PathValue = bigint | boolean | number | string | Date;

type Delimiter =
  | ("-" | "." | "/" | ":" | "~" | "," | "@" | "+")
  | ("=" | ";" | "%" | " " | "!" | "&" | "'" | "*");

type NameOf<Rest extends string> = Rest extends `${infer Name}${Delimiter}${string}`
  ? NameOf<Name>
  : Rest;

type NamesOf<Path> = Path extends `${string}:${infer Rest}` ? NameOf<Rest> | NamesOf<Rest> : never;

/** The names of the parameters in a path; for a segment with several parameters, the whole segment. */
type SegmentsOf<Path> = Path extends `${string}:${infer Rest}`
  ? Rest extends `${infer Name}/${infer More}`
    ? Name | SegmentsOf<More>
    : Rest
  : never;

/** An intersection, shown as one object. */
type Shown<Value> = { [Key in keyof Value]: Value[Key] };

/** The input that a client sends to an endpoint, including the path parameters that no schema has. */
export type InputAt<T extends EndpointTypes, Key> = Placed<
  T["input"]["_zod"]["input"],
  T["middlewareInput"],
  Key
>;

/**
 * The joint input of an endpoint and its middlewares. It is an intersection only if a middleware has an input, because
 * resolving an intersection of two objects costs the compiler as much as resolving their schemas.
 */
type Placed<Input, MiddlewareInput, Key> = unknown extends MiddlewareInput
  ? SegmentsOf<Key> extends keyof Input
    ? Input
    : Joined<Input, NamesOf<Key>>
  : Joined<Input & MiddlewareInput, NamesOf<Key>>;

type Joined<Input, Names extends string> = [Names] extends [keyof Input]
  ? Shown<Input>
  : Shown<Input & Readonly<Record<Exclude<Names, keyof Input>, PathValue>>>;

/** The output schemas `ez.file()`, `ez.stream()` and `ez.buffer()` with a media type: the bytes have no envelope. */
type ContentSchema = FileSchema | StreamSchema | z.ZodCustom<Buffer, Buffer>;

type HandlerTypes<T extends EndpointTypes> = NonNullable<T["resultHandler"]["~types"]>;

/**
 * The result handler of an event stream, recognised by its response: the class of another copy of this package is a
 * different type.
 */
interface EventStreamTypes {
  readonly "~types": {
    readonly positive: Pick<EventStreamResponse<{}>, "statusCode" | "mimeType"> & {
      readonly schema: { readonly _zod: { readonly output: { readonly event: string } } };
    };
  };
}

/** The body of a successful response. */
export type SuccessAt<T> = T extends EndpointTypes
  ? T["statusCode"] extends 204 | 205
    ? undefined
    : T["output"] extends ContentSchema
      ? Blob | string
      : T["resultHandler"] extends DefaultResultHandler
        ? SuccessEnvelope<FromJson<T["output"]["_zod"]["output"]>>
        : T["resultHandler"] extends EventStreamTypes
          ? "This is an event stream: use `subscribe`"
          : ReadBody<ResponseBody<HandlerTypes<T>["positive"], T["output"]["_zod"]["output"]>>
  : never;

/** The body of an error; `never` as data means that there is none. */
export type ErrorAt<T, Data = never> = T extends EndpointTypes
  ? T["resultHandler"] extends DefaultResultHandler
    ? [Data] extends [never]
      ? ErrorEnvelope
      : ErrorEnvelopeWithData<FromJson<Data>>
    : ReadBody<ResponseBody<HandlerTypes<T>["negative"], never, Data>>
  : never;

type Schemas<Errors> = {
  [
    Status in keyof Errors as Errors[Status] extends { readonly schema: AnySchema } ? Status : never
  ]: Errors[Status] extends { readonly schema: infer Schema extends AnySchema }
    ? Schema["_zod"]["output"]
    : never;
};

/** The errors that carry data, by status; an empty object if there are none. */
export type DataErrorsAt<T> = T extends EndpointTypes
  ? {} extends T["errors"] & T["middlewareErrors"]
    ? {}
    : DataErrors<T, Schemas<T["errors"] & T["middlewareErrors"]>>
  : {};

type DataErrors<T, Schemas> = { [Status in keyof Schemas]: ErrorAt<T, Schemas[Status]> };

/** An endpoint with the default result handler and without errors that carry data, like most endpoints. */
interface PlainTypes {
  readonly resultHandler: DefaultResultHandler;
  readonly output: {
    readonly _zod: { readonly def: { readonly type: "object" }; readonly output: unknown };
  };
  readonly errors: NoErrors;
  readonly middlewareErrors: NoErrors;
}

interface NoErrors {
  readonly [status: number]: never;
}

/** The body of each declared reply of an API. */
export type BodyAt<T extends EndpointTypes> = T extends PlainTypes
  ? T["statusCode"] extends 204 | 205
    ? ErrorEnvelope | undefined
    : SuccessEnvelope<FromJson<T["output"]["_zod"]["output"]>> | ErrorEnvelope
  : SuccessAt<T> | ErrorAt<T> | DataErrorsAt<T>[keyof DataErrorsAt<T>];

/** The page in a successful response; `never` if there is none. */
export type PageAt<T> = PageOf<PayloadOf<SuccessAt<T>>>;

/** The items of a page. */
export type ItemOf<Page> = Page extends { readonly items: readonly (infer Item)[] }
  ? Item
  : { [Key in keyof Page]: Page[Key] extends readonly (infer Item)[] ? Item : never }[keyof Page];

/** The events of a stream; `never` for other endpoints. */
export type EventAt<T> = T extends EndpointTypes
  ? T["resultHandler"] extends EventStreamTypes
    ? FromJson<HandlerTypes<T>["positive"]["schema"]["_zod"]["output"]>
    : never
  : never;
