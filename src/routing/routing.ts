import type { AnyEndpoint, Endpoint } from "../endpoint/endpoint.ts";
import type { Method } from "../http/method.ts";
import type { AnySchema } from "../schemas/schema.ts";
import type { ServeStatic } from "./static-files.ts";

/**
 * The routing map: keys are path segments, values are endpoints, static files, or maps beneath.
 *
 * A key is one of
 * - `users`, a segment; `v1/users` or `/v1/users`, several segments
 * - `:id`, a path parameter, which joins the input
 * - `get`, `post`, `put`, `patch`, `delete` with an endpoint: the method at the path so far
 * - `post /v1/users`, method and path
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
  readonly [key: string]: Routing | AnyEndpoint | ServeStatic;
}

/** The names of the path parameters in a key: `"a" | "b"` of `x/:a/:b`. */
type ParametersOf<Key> = Key extends `${string}:${infer Rest}`
  ? NameOf<Rest> | ParametersOf<Rest>
  : never;

/** The name at the start of a text. */
type NameOf<Text extends string> = Text extends `${infer Name}${"/" | "-" | "." | ":" | "~" | "," | "@"}${string}`
  ? NameOf<Name>
  : Text;

type KeysOf<Union> = Union extends unknown ? keyof Union : never;

type Missing<Parameters, Input> = string extends KeysOf<Input>
  ? never
  : unknown extends Input
    ? never
    : Exclude<Parameters, KeysOf<Input>>;

type CheckEndpoint<Value, Parameters extends string> = [Parameters] extends [never]
  ? Value
  : Value extends Endpoint<Method, infer Input, AnySchema, infer MiddlewareInput, unknown>
    ? [Missing<Parameters, Input["_zod"]["input"] & MiddlewareInput>] extends [never]
      ? Value
      : `The input schema lacks the path parameter "${Missing<Parameters, Input["_zod"]["input"] & MiddlewareInput>}"`
    : Value;

/** A routing map in which an endpoint whose input lacks a parameter of its path is replaced by a message. */
export type CheckRouting<Map, Parameters extends string = never> = string extends keyof Map
  ? Map
  : CheckedEntries<Map, Parameters>;

type CheckedEntries<Map, Parameters extends string> = {
  [Key in keyof Map]: Map[Key] extends AnyEndpoint
    ? CheckEndpoint<Map[Key], Parameters | ParametersOf<Key>>
    : Map[Key] extends ServeStatic
      ? Map[Key]
      : CheckRouting<Map[Key], Parameters | ParametersOf<Key>>;
};
