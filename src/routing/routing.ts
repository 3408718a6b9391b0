import type { MarkedEndpoint } from "../endpoint/endpoint.ts";
import type { AnySchema } from "../schemas/schema.ts";
import type { ServeStatic } from "./static-files.ts";

/**
 * The routing map: keys are path segments; values are endpoints, static files, or nested maps.
 *
 * A key is one of
 * - `users`, a segment; `v1/users` or `/v1/users`, several segments
 * - `:id`, a path parameter, which becomes part of the input
 * - `get`, `post`, `put`, `patch`, `delete` with an endpoint: the method at the path so far
 * - `post /v1/users`, a method and a path
 * - an empty key, the path so far
 *
 * @example
 * const routing: Routing = {
 *   v1: {
 *     users: { get: listUsers, post: createUser, ":id": getUser },
 *   },
 *   public: new ServeStatic("assets", { dotfiles: "deny" }),
 * };
 */
export interface Routing {
  readonly [key: string]: Routing | MarkedEndpoint | ServeStatic;
}

/** The names of the path parameters in a key: `"a" | "b"` for `x/:a/:b`. */
type ParametersOf<Key> = Key extends `${string}:${infer Rest}`
  ? NameOf<Rest> | ParametersOf<Rest>
  : Key extends `${string}*${infer Name}`
    ? Name
    : never;

/** The characters that end the name of a parameter. */
type Delimiter =
  | ("/" | "-" | "." | ":" | "~" | "," | "@" | "+")
  | ("=" | ";" | "%" | " " | "!" | "&" | "'" | "*");

/** The name at the start of a string. */
type NameOf<Text extends string> = Text extends `${infer Name}${Delimiter}${string}`
  ? NameOf<Name>
  : Text;

type KeysOf<Union> = Union extends unknown ? keyof Union : never;

/** The parameters that an input lacks; none if the input may have any key. */
type Missing<Parameters, Input> =
  string extends KeysOf<Input>
    ? never
    : unknown extends Input
      ? never
      : Exclude<Parameters, KeysOf<Input>>;

interface EndpointTypes {
  readonly input: AnySchema;
  readonly middlewareInput: unknown;
}

interface TypedEndpoint {
  readonly "~types": EndpointTypes;
}

type InputOf<Value extends TypedEndpoint> = Value["~types"]["input"];
type MiddlewareInputOf<Value extends TypedEndpoint> = Value["~types"]["middlewareInput"];

/** The keys of an object schema's shape are cheap to read, unlike its input type, which is only read if they do not suffice. */
type CheckEndpoint<Value extends TypedEndpoint, Parameters> = [Parameters] extends [
  ShapeKeys<InputOf<Value>> | KeysOf<MiddlewareInputOf<Value>>,
]
  ? Value
  : CheckInput<
      Value,
      Missing<Parameters, InputOf<Value>["_zod"]["input"] & MiddlewareInputOf<Value>>
    >;

type ShapeKeys<Schema> = Schema extends { readonly shape: infer Shape } ? keyof Shape : never;

type CheckInput<Value, Lacking> = [Lacking] extends [never]
  ? Value
  : `The input schema lacks the path parameter "${Lacking & string}"`;

type CheckValue<Value, Parameters extends string> = Value extends MarkedEndpoint & TypedEndpoint
  ? [Parameters] extends [never]
    ? Value
    : CheckEndpoint<Value, Parameters>
  : Value extends ServeStatic
    ? Value
    : CheckRouting<Value, Parameters>;

/** A routing map in which an endpoint whose input lacks a parameter of its path is replaced by a message. */
export type CheckRouting<Map, Parameters extends string = never> = string extends keyof Map
  ? Map
  : { [Key in keyof Map]: CheckValue<Map[Key], Parameters | ParametersOf<Key>> };
