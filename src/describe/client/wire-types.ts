import type { ResponseBody } from "../../define/results/api-response.ts";
import type {
  DefaultResultHandler,
  SuccessEnvelope,
} from "../../define/results/default-result-handler.ts";
import type { EventStreamResponse } from "../../define/results/event-stream-result-handler.ts";
import type { ParametersOf, WildcardOf } from "../../define/routing/path-pattern.ts";
import type { RawContent } from "../../basics/schemas/bodies.ts";
import type { MediaTyped } from "../../basics/schemas/content.ts";
import type { WithoutKey } from "./keyed-routes.ts";
import type { PageOf, PayloadOf } from "./pages.ts";
import type { SuccessReply, SuccessStatus } from "./reply-types.ts";
import type { EndpointTypes } from "./route-at.ts";

type Primitive = bigint | boolean | number | string | symbol | null | undefined;

/** What JSON leaves as it is; arrays of it end the endless types of `z.json()` and the like. */
type Json = Primitive | JsonArray | { readonly [name: string]: Json };

/** An interface, because the compiler resolves the type of an array again for each value that is compared with it. */
interface JsonArray extends ReadonlyArray<Json> {}

/** A value as parsed from JSON: dates are strings. The cases that cost the compiler most come last. */
export type FromJson<Value> = Value extends Primitive | ToJson | JsonArray
  ? Value extends ToJson
    ? ReturnType<Value["toJSON"]>
    : Value
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

/** The names of the parameters in a path; for a segment with several parameters, the whole segment. */
type SegmentsOf<Path> = Path extends `${string}:${infer Rest}`
  ? Rest extends `${infer Name}/${infer More}`
    ? Name | SegmentsOf<More>
    : Rest
  : WildcardOf<Path>;

/** An intersection, shown as one object. */
type Shown<Value> = { [Key in keyof Value]: Value[Key] };

/** The input that a client sends to an endpoint, including the path parameters that no schema has. */
export type InputAt<T extends EndpointTypes, Key> = Placed<
  TextInput<T["input"]["_zod"]["input"], T["input"]["shape"], Key>,
  T["middlewareInput"],
  Key
>;

/** An input whose `z.stringbool()` takes booleans, too, where they are sent as text: in a query. */
type TextInput<Input, Shape, Key> = Key extends `${"delete" | "get"} ${string}`
  ? WithBooleans<Input, FlagsOf<Shape>>
  : Shape extends { readonly raw: unknown }
    ? WithBooleans<Sendable<Input, Shape["raw"]>, FlagsOf<Shape>>
    : Input;

/** An input whose `ez.stream()` takes bytes and text, too. */
type Sendable<Input, Raw> =
  Raw extends MediaTyped<string>
    ? { [Name in keyof Input]: Name extends "raw" ? Input[Name] | RawContent : Input[Name] }
    : Input;

type WithBooleans<Input, Flags> = [Flags] extends [never]
  ? Input
  : { [Name in keyof Input]: Name extends Flags ? Input[Name] | boolean : Input[Name] };

/** The names of the fields that convert strings to booleans. */
type FlagsOf<Shape> = {
  [Name in keyof Shape]: Shape[Name] extends BooleanOutput
    ? Shape[Name] extends Flag | FlagWithin
      ? Name
      : never
    : never;
}[keyof Shape];

/** What most schemas are not, at a lower price. */
interface BooleanOutput {
  readonly _zod: { readonly output: boolean | undefined };
}

interface Flag {
  readonly _zod: {
    readonly output: boolean;
    readonly def: { readonly in: TextSchema; readonly reverseTransform: unknown };
  };
}

interface TextSchema {
  readonly _zod: { readonly output: string };
}

/** An optional one, one with a default, and the like. */
interface FlagWithin {
  readonly _zod: {
    readonly output: boolean | undefined;
    readonly def: { readonly innerType: Flag | FlagWithin };
  };
}

/** The joint input of an endpoint and its middlewares: an intersection, which costs more, only if one has any. */
type Placed<Input, MiddlewareInput, Key> = unknown extends MiddlewareInput
  ? SegmentsOf<Key> extends keyof Input
    ? string extends keyof Input
      ? Joint<Input, MiddlewareInput, Key>
      : Input
    : Joint<Input, MiddlewareInput, Key>
  : Joint<Input, MiddlewareInput, Key>;

type Joint<
  Input,
  MiddlewareInput,
  Key,
  Known = keyof Input | keyof MiddlewareInput,
> = string extends Known
  ? Padded<
      Closed<Input> & Closed<MiddlewareInput>,
      Key,
      NamedKeys<Input> | NamedKeys<MiddlewareInput>
    >
  : Padded<Input & MiddlewareInput, Key, Known>;

/** The input itself, without the index signature that `z.object({})` has. */
type Closed<Input> = string extends keyof Input
  ? [Input[keyof Input]] extends [never]
    ? {}
    : Input
  : Input;

/** An input with the path parameters that it does not name. */
type Padded<Input, Key, Known> = Shown<
  Input & {
    readonly [
      Name in ParametersOf<Key> as Name extends Known ? never : Name
    ]: Name extends WildcardOf<Key> ? readonly PathValue[] : PathValue;
  }
>;

export type NamedKeys<Input> = keyof {
  [Name in keyof Input as string extends Name ? never : number extends Name ? never : Name]: 0;
};

/** The body of content that is sent without an envelope, by its declared media type. */
type ContentBody<Type extends string> = string extends Type
  ? Blob | string
  : Type extends `${infer Bare};${string}`
    ? ContentBody<Bare>
    : Type extends `${string}${"/" | "+"}json`
      ? unknown
      : Type extends `text/${string}` | `${string}${"/" | "+"}xml`
        ? string
        : Blob;

export type HandlerTypes<T extends EndpointTypes> = NonNullable<T["resultHandler"]["~types"]>;

/** The result handler of an event stream, recognised by its response, because another copy's class is another type. */
interface EventStreamTypes {
  readonly "~types": {
    readonly positive: Pick<EventStreamResponse<{}>, "statusCode" | "mimeType"> & {
      readonly schema: { readonly _zod: { readonly output: { readonly event: string } } };
    };
  };
}

/** The body of a declared response, whose media types may say that it is no JSON. */
export type WireBody<Each, Output, Data = never> = Each extends { readonly mimeType: infer Type }
  ? TypedBody<
      Type extends readonly (infer One)[] ? One : Type,
      ReadBody<ResponseBody<Each, Output, Data>>
    >
  : ReadBody<ResponseBody<Each, Output, Data>>;
type TypedBody<Type, Parsed> = Type extends string
  ? string extends Type
    ? Parsed
    : Type extends `${string}${"/" | "+"}json` | `${string}${"/" | "+"}json${"" | " "};${string}`
      ? Parsed
      : ContentBody<Type>
  : Parsed;

/** The body of a successful response. */
export type SuccessAt<T> = T extends EndpointTypes
  ? T["statusCode"] extends 204 | 205
    ? undefined
    : T["output"] extends MediaTyped<infer Type>
      ? ContentBody<Type>
      : T["resultHandler"] extends DefaultResultHandler
        ? SuccessEnvelope<FromJson<T["output"]["_zod"]["output"]>>
        : T["resultHandler"] extends EventStreamTypes
          ? "This is an event stream: use `subscribe`"
          : WireBody<EachOf<HandlerTypes<T>["positive"]>, T["output"]["_zod"]["output"]>
  : never;

export type EachOf<Declaration> = Declaration extends readonly (infer Each)[] ? Each : Declaration;

/** The statuses that a response declares; `never` if it may have any. */
export type CodesOf<Each> = Each extends { readonly statusCode: infer Code }
  ? number extends Code
    ? never
    : Code extends readonly (infer One extends number)[]
      ? One
      : Code extends number
        ? Code
        : never
  : never;

type AnyStatus<Each> = Each extends unknown
  ? [CodesOf<Each>] extends [never]
    ? Each
    : never
  : never;

/** The responses for a status that none of them declares: those that declare none, or else all. */
export type OthersOf<Each> = [AnyStatus<Each>] extends [never] ? Each : AnyStatus<Each>;

export type EachAt<Each, Status> =
  Status extends CodesOf<Each>
    ? Each extends unknown
      ? Status extends CodesOf<Each>
        ? Each
        : never
      : never
    : OthersOf<Each>;

type StatusAt<T extends EndpointTypes> = number extends T["statusCode"]
  ? SuccessStatus
  : T["statusCode"];

/** The header fields that a route demands: those that its endpoint declares, and a required idempotency key. */
export type FieldsAt<R, Key, T extends EndpointTypes> = T["middlewareErrors"] extends KeyRequired
  ? Key extends `${"delete" | "patch" | "post" | "put"} ${string}`
    ? Attached<R, Key, T["headers"]["_zod"]["input"] & { readonly "idempotency-key": string }>
    : T["headers"]["_zod"]["input"]
  : Attached<R, Key, T["headers"]["_zod"]["input"]>;

/** The errors of `idempotency({ required: true })`. */
interface KeyRequired {
  readonly SLP_IDEMPOTENCY_IN_FLIGHT: { readonly "~isKeyRequired"?: true | undefined };
}

/** Part of the routing map of a client that attaches idempotency keys; exists only for the compiler. */
export interface AttachesKeys {
  readonly "~attachesKeys": true;
}

type Attached<R, Key, Fields> = R extends AttachesKeys ? WithoutKey<Key, Fields> : Fields;

type ResponseFieldsAt<T extends EndpointTypes> = T["responseHeaders"]["_zod"]["input"];

/** The successful replies: one for each status that the result handler declares. */
export type SuccessReplyAt<T> = T extends EndpointTypes
  ? (
      T["output"] extends MediaTyped<string> ? never : CodesOf<EachOf<HandlerTypes<T>["positive"]>>
    ) extends infer Codes extends number
    ? [Codes] extends [never]
      ? SuccessReply<StatusAt<T>, SuccessAt<T>, ResponseFieldsAt<T>>
      : PositiveReplies<T, EachOf<HandlerTypes<T>["positive"]>, Codes>
    : never
  : never;

type PositiveReplies<T extends EndpointTypes, Each, Codes extends number> =
  | {
      [Code in Codes]: SuccessReply<
        Code,
        PositiveBody<T, Code, EachAt<Each, Code>>,
        ResponseFieldsAt<T>
      >;
    }[Codes]
  | ([AnyStatus<Each>] extends [never]
      ? never
      : SuccessReply<
          Exclude<StatusAt<T>, Codes>,
          PositiveBody<T, 200, AnyStatus<Each>>,
          ResponseFieldsAt<T>
        >);

type PositiveBody<T extends EndpointTypes, Code, Each> = Code extends 204 | 205
  ? undefined
  : WireBody<Each, T["output"]["_zod"]["output"]>;

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
