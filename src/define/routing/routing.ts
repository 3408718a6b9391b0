import type { MarkedEndpoint, endpointMark } from "../endpoint/endpoint.ts";
import type { Method } from "../../basics/http/method.ts";
import type { AnySchema, Fields, SchemaInput } from "../../basics/schemas/schema.ts";
import type { ParametersOf } from "./path-pattern.ts";
import type { ServeStatic } from "./static-files.ts";

/**
 * The routing map: keys are path segments; values are endpoints, static files, or nested maps.
 *
 * A key is one of
 * - `users`, a segment; `v1/users` or `/v1/users`, several segments
 * - `:id`, a path parameter, which becomes part of the input
 * - `get`, `post`, `put`, `patch`, `delete`, `query` with an endpoint: the method at the path so far
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

type KeysOf<Union> = Union extends unknown ? keyof Union : never;

/** The parameters that an input lacks; none if the input may have any key. */
type Missing<Parameters, Input> =
  string extends KeysOf<Input>
    ? never
    : unknown extends Input
      ? never
      : Exclude<Parameters, KeysOf<Input>>;

/** An object whose members may be read without conditions, which would cost the compiler more. */
interface Entries {
  // oxlint-disable-next-line typescript/no-explicit-any -- never reaches a user: the type is known at each use
  readonly [name: string]: any;
}

/** The parameters that are not among the keys of a schema's shape, which is cheaper to read than its input. */
type Unfound<Shape, Parameters> = Parameters extends keyof Shape
  ? string extends keyof Shape
    ? Parameters
    : never
  : Parameters;

interface TypedEndpoint {
  readonly "~types": { readonly input: AnySchema; readonly middlewareInput: unknown };
}

/** The parameters that the types of the inputs lack; resolved only if the shape does not contain all parameters. */
type Lacking<Value, Parameters> = Value extends TypedEndpoint
  ? Missing<
      Parameters,
      Fields<SchemaInput<Value["~types"]["input"]>> & Value["~types"]["middlewareInput"]
    >
  : never;

type Describe<Names> = [Names] extends [never]
  ? unknown
  : `The input schema lacks the path parameter "${Names & string}"`;

/** The check of an endpoint or a map at a path with parameters. */
type CheckBeneath<Value extends Entries, Parameters, At> = typeof endpointMark extends keyof Value
  ? Unfound<Value["~types"]["input"]["shape"], Parameters> extends never
    ? CheckMethod<Value, At>
    : CheckMethod<Value, At> & Describe<Lacking<Value, Parameters>>
  : Value extends MarkedEndpoint | ServeStatic
    ? unknown
    : { [Key in keyof Value]: CheckBeneath<Value[Key], Parameters | ParametersOf<Key>, Key> };

/** The check of the method that an endpoint's key names, if any. */
type CheckMethod<Value extends Entries, Key> = Key extends Value["~types"]["method"]
  ? unknown
  : CheckDeclared<Value["~types"]["method"], Key>;

/** The check of a key against the declared methods; an endpoint that declares none may have any. */
type CheckDeclared<Declared extends Method, Key> = [Declared] extends [never]
  ? unknown
  : Key extends `${Declared} ${string}`
    ? unknown
    : Key extends Method | `${Method} ${string}`
      ? `The endpoint does not declare the method of its key "${Key}"`
      : unknown;

/** A key with a path parameter. */
type Parametric = `${string}:${string}` | `${string}*${string}`;

/**
 * The type that a routing map must also fit: it has a message in place of each endpoint whose input lacks a parameter
 * of its path, or that does not declare the method of its key. An endpoint is recognised by the mark among its keys,
 * which costs the compiler less than comparing it with a type.
 */
export type CheckRouting<Value extends Entries> = string extends keyof Value
  ? unknown
  : {
      [Key in keyof Value]: Key extends Parametric
        ? CheckBeneath<Exclude<Value[Key], undefined>, ParametersOf<Key>, Key>
        : typeof endpointMark extends keyof Value[Key]
          ? // CheckMethod, written out, because an alias would cost the compiler more
            Key extends Value[Key]["~types"]["method"]
            ? unknown
            : CheckDeclared<Value[Key]["~types"]["method"], Key>
          : Value[Key] extends MarkedEndpoint | ServeStatic | undefined
            ? unknown
            : CheckRouting<Value[Key]>;
    };
