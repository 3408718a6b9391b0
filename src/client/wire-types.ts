import type { ResponseBody } from "../results/api-response.ts";
import type { DefaultResultHandler, ErrorEnvelope, SuccessEnvelope } from "../results/default-result-handler.ts";
import type { StreamedEvent, EventStreamResultHandler, EventSchemas } from "../results/event-stream-result-handler.ts";
import type { TypedEndpoint, TypesOf } from "./route-at.ts";

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
export type InputAt<E, Key> = E extends TypedEndpoint
  ? Shown<TypesOf<E>["input"]["_zod"]["input"] & TypesOf<E>["middlewareInput"] & PathValues<Key>>
  : never;

type Declared<E extends TypedEndpoint> = NonNullable<TypesOf<E>["resultHandler"]["~types"]>;

type OutputAt<E extends TypedEndpoint> = TypesOf<E>["output"]["_zod"]["output"];

/** The body of a success. */
export type SuccessAt<E> = E extends TypedEndpoint
  ? TypesOf<E>["resultHandler"] extends DefaultResultHandler
    ? SuccessEnvelope<FromJson<OutputAt<E>>>
    : ReadBody<ResponseBody<Declared<E>["positive"], OutputAt<E>>>
  : never;

/** The body of an error. */
export type ErrorAt<E> = E extends TypedEndpoint
  ? TypesOf<E>["resultHandler"] extends DefaultResultHandler
    ? ErrorEnvelope
    : ReadBody<ResponseBody<Declared<E>["negative"]>>
  : never;

/** The page that a success is; never where it is none. */
export type PageAt<E> = E extends TypedEndpoint ? PageOf<PayloadOf<SuccessAt<E>>> : never;

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
export type EventAt<E> = E extends TypedEndpoint
  ? TypesOf<E>["resultHandler"] extends EventStreamResultHandler<infer Events extends EventSchemas>
    ? FromJson<StreamedEvent<Events>>
    : never
  : never;
