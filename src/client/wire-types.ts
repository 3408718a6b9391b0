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
import type { AnySchema } from "../schemas/schema.ts";
import type { EndpointTypes } from "./route-at.ts";

/** A value as it comes out of JSON: dates are strings. */
export type FromJson<Value> = unknown extends Value
  ? Value
  : Value extends boolean | number | string | null | undefined
    ? Value
    : Value extends { toJSON: (key: never) => infer Json }
      ? Json
      : { [Key in keyof Value]: FromJson<Value[Key]> };

/** A body as a client reads it: bytes are a `Blob`. */
export type ReadBody<Body> = Body extends Uint8Array ? Blob : FromJson<Body>;

/** What stands in a path. */
type PathValue = bigint | boolean | number | string | Date;

type Delimiter =
  | ("-" | "." | "/" | ":" | "~" | "," | "@" | "+")
  | ("=" | ";" | "%" | " " | "!" | "&" | "'" | "*");

type NameOf<Rest extends string> = Rest extends `${infer Name}${Delimiter}${string}`
  ? NameOf<Name>
  : Rest;

type NamesOf<Path> = Path extends `${string}:${infer Rest}` ? NameOf<Rest> | NamesOf<Rest> : never;

/** A schema may take anything for a parameter, as `z.coerce.number()` does; a path takes what has a text. */
type PathValues<Key> = Key extends `${string}:${string}`
  ? Readonly<Record<NamesOf<Key>, PathValue>>
  : unknown;

/** Shows an intersection as one object. */
type Shown<Value> = Value extends infer Each ? { [Key in keyof Each]: Each[Key] } : never;

/** What a client gives an endpoint. */
export type InputAt<T, Key> = T extends EndpointTypes
  ? Shown<T["input"]["_zod"]["input"] & T["middlewareInput"] & PathValues<Key>>
  : never;

type HandlerTypes<T extends EndpointTypes> = NonNullable<T["resultHandler"]["~types"]>;

/** The body of a success. */
export type SuccessAt<T> = T extends EndpointTypes
  ? T["statusCode"] extends 204 | 205
    ? undefined
    : T["resultHandler"] extends DefaultResultHandler
      ? SuccessEnvelope<FromJson<T["output"]["_zod"]["output"]>>
      : ReadBody<ResponseBody<HandlerTypes<T>["positive"], T["output"]["_zod"]["output"]>>
  : never;

/** The body of an error; `never` for data means that there is none. */
export type ErrorAt<T, Data = never> = T extends EndpointTypes
  ? T["resultHandler"] extends DefaultResultHandler
    ? [Data] extends [never]
      ? ErrorEnvelope
      : ErrorEnvelopeWithData<FromJson<Data>>
    : ReadBody<ResponseBody<HandlerTypes<T>["negative"], never, Data>>
  : never;

type Schemas<Errors> = {
  [Status in keyof Errors as Errors[Status] extends { readonly schema: AnySchema }
    ? Status
    : never]: Errors[Status] extends { readonly schema: infer Schema extends AnySchema }
    ? Schema["_zod"]["output"]
    : never;
};

/** The errors that carry data, by status; without a key where there are none. */
export type DataErrorsAt<T> = T extends EndpointTypes
  ? {} extends T["errors"] & T["middlewareErrors"]
    ? {}
    : DataErrors<T, Schemas<T["errors"] & T["middlewareErrors"]>>
  : {};

type DataErrors<T, Schemas> = { [Status in keyof Schemas]: ErrorAt<T, Schemas[Status]> };

/** The body of each reply that an API means to give. */
export type BodyAt<T> = T extends EndpointTypes
  ? SuccessAt<T> | ErrorAt<T> | DataErrorsAt<T>[keyof DataErrorsAt<T>]
  : never;

/** The page that a success is; never where it is none. */
export type PageAt<T> = PageOf<PayloadOf<SuccessAt<T>>>;

/** What a success is about: the `data` of the default envelope, else the body itself. */
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

/** The events of a stream; never of an endpoint that is none. */
export type EventAt<T> = T extends EndpointTypes
  ? T["resultHandler"] extends EventStreamResultHandler<infer Events extends EventSchemas>
    ? FromJson<StreamedEvent<Events>>
    : never
  : never;
