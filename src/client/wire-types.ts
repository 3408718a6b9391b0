import type { ResponseBody } from "../results/api-response.ts";
import type {
  DefaultResultHandler,
  ErrorEnvelope,
  ErrorEnvelopeWithData,
  SuccessEnvelope,
} from "../results/default-result-handler.ts";
import type {
  EventSchemas,
  EventStreamResultHandler,
  StreamedEvent,
} from "../results/event-stream-result-handler.ts";
import type { z } from "zod";
import type { FileSchema, StreamSchema } from "../schemas/content.ts";
import type { AnySchema } from "../schemas/schema.ts";
import type { EndpointTypes } from "./route-at.ts";

/** A value as parsed from JSON: dates are strings. */
export type FromJson<Value> = Value extends object
  ? Value extends ToJson
    ? ReturnType<Value["toJSON"]>
    : { [Key in keyof Value]: FromJson<Value[Key]> }
  : Value;

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

/** Shows an intersection as one object. */
type Shown<Value> = { [Key in keyof Value]: Value[Key] };

/** What a client sends to an endpoint; path parameters are added if no schema has them. Anything if there is no route. */
export type InputAt<T, Key> = T extends EndpointTypes
  ? Placed<T["input"]["_zod"]["input"], T["middlewareInput"], NamesOf<Key>>
  : unknown;

/** An intersection is resolved only if there is one: for two objects, that costs as much as their schemas. */
type Placed<Input, MiddlewareInput, Names extends string> = [Names] extends [keyof Input]
  ? unknown extends MiddlewareInput
    ? Input
    : Shown<Input & MiddlewareInput>
  : Shown<
      Input &
        MiddlewareInput &
        Readonly<Record<Exclude<Names, keyof (Input & MiddlewareInput)>, PathValue>>
    >;

/** The outputs of `ez.file()`, `ez.stream()` and `ez.buffer()` with a media type: the bytes are sent without an envelope. */
type ContentSchema = FileSchema | StreamSchema | z.ZodCustom<Buffer, Buffer>;

type HandlerTypes<T extends EndpointTypes> = NonNullable<T["resultHandler"]["~types"]>;

/** The body of a success. */
export type SuccessAt<T> = T extends EndpointTypes
  ? T["statusCode"] extends 204 | 205
    ? undefined
    : T["output"] extends ContentSchema
      ? Blob | string
      : T["resultHandler"] extends DefaultResultHandler
        ? SuccessEnvelope<FromJson<T["output"]["_zod"]["output"]>>
        : T["resultHandler"] extends EventStreamResultHandler<infer _Events>
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

/** The errors that carry data, by status; without keys if there are none. */
export type DataErrorsAt<T> = T extends EndpointTypes
  ? {} extends T["errors"] & T["middlewareErrors"]
    ? {}
    : DataErrors<T, Schemas<T["errors"] & T["middlewareErrors"]>>
  : {};

type DataErrors<T, Schemas> = { [Status in keyof Schemas]: ErrorAt<T, Schemas[Status]> };

/** The body of each declared reply of an API. */
export type BodyAt<T> = T extends EndpointTypes
  ?
      | (T["resultHandler"] extends DefaultResultHandler
          ? T["statusCode"] extends 204 | 205
            ? ErrorEnvelope | undefined
            : T["output"]["_zod"]["def"]["type"] extends "custom"
              ? SuccessAt<T> | ErrorEnvelope
              : SuccessEnvelope<FromJson<T["output"]["_zod"]["output"]>> | ErrorEnvelope
          : SuccessAt<T> | ErrorAt<T>)
      | ({} extends T["errors"] & T["middlewareErrors"]
          ? never
          : DataErrorsAt<T>[keyof DataErrorsAt<T>])
  : never;

/** The page in a success; `never` if there is none. */
export type PageAt<T> = PageOf<PayloadOf<SuccessAt<T>>>;

/** The data of a success: the `data` of the default envelope, else the body itself. */
export type PayloadOf<Body> = Body extends { readonly status: "success"; readonly data: infer Data }
  ? Data
  : Body;

type PageOf<Payload> = Payload extends
  | { readonly nextCursor: string | null }
  | { readonly total: number; readonly limit: number; readonly offset: number }
  ? Payload
  : never;

/** The items of a page. */
export type ItemOf<Page> = Page extends { readonly items: readonly (infer Item)[] }
  ? Item
  : { [Key in keyof Page]: Page[Key] extends readonly (infer Item)[] ? Item : never }[keyof Page];

/** The events of a stream; `never` for other endpoints. */
export type EventAt<T> = T extends EndpointTypes
  ? T["resultHandler"] extends EventStreamResultHandler<infer Events extends EventSchemas>
    ? FromJson<StreamedEvent<Events>>
    : never
  : never;
