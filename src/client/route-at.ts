import type { Method } from "../http/method.ts";

/** The types of an endpoint. Constraints would force the compiler to resolve schemas, to compare them. */
export interface EndpointTypes {
  readonly [name: string]: Some;
}

// oxlint-disable-next-line typescript/no-explicit-any -- never reaches a user: the type is known at each use
type Some = any;

/** The types of an endpoint that does not exist. */
export interface NoRoute extends EndpointTypes {
  readonly "~none": true;
}

/** The part of an endpoint that a client needs. */
interface TypedEndpoint {
  readonly "~types": Some;
}

/** The types of an endpoint whose key names its method; a server in which the endpoint has another does not start. */
type Named<Value> = Value extends TypedEndpoint ? Value["~types"] : null;

/** The methods that an endpoint serves: the declared ones, or GET if it declares none. */
type Answered<M> = [M] extends [never] ? "get" : M;

/** A key that names a method, and is no segment of a path, if its value is an endpoint. */
type MethodKey = Method | `${Method} ${string}`;

/** The endpoint for a method: the value itself, or the value's entry under the method or under the empty key. */
type Own<Value, M> = M extends keyof Value
  ? Named<Value[M]>
  : Value extends TypedEndpoint
    ? M extends Answered<Value["~types"]["method"]>
      ? Value["~types"]
      : null
    : "" extends keyof Value
      ? string extends keyof Value
        ? null
        : Own<Value[""], M>
      : null;

/** The types that were found; null if there are none. */
type Present<Found> = [NonNullable<Found>] extends [never] ? null : NonNullable<Found>;

/** The endpoint for a method in a value that may be undefined, or one of several, as in `isDev ? one : other`. */
type AnyOwn<Value, M> = Present<Value extends object ? Own<Value, M> : null>;

/** The entry of a map for a path that is not split any further. */
type Whole<Map, M extends string, Path extends string> = (
  Path extends keyof Map ? (Path extends MethodKey ? null : AnyOwn<Map[Path], M>) : null
) extends infer Found extends object
  ? Found
  : Spelled<Map, M, Path>;

/** The entry of a map for a path whose key has another spelling. */
type Spelled<Map, M extends string, Path extends string> = `${M} /${Path}` extends keyof Map
  ? Present<Named<Map[`${M} /${Path}`]>>
  : `${M} ${Path}` extends keyof Map
    ? Present<Named<Map[`${M} ${Path}`]>>
    : `/${Path}` extends keyof Map
      ? AnyOwn<Map[`/${Path}`], M>
      : null;

/** The entry of a map for a path, which is resolved segment by segment. A map may be undefined, or one of several. */
type Walk<Map, M extends string, Path extends string> = Present<
  Map extends object
    ? Path extends `${infer Segment}/${infer Rest}`
      ? Step<Map, M, Segment, Rest>
      : Whole<Map, M, Path>
    : null
>;

/** The entry of a map for a path whose first key consists of the passed segments, or of more. */
type Step<Map, M extends string, Passed extends string, Path extends string> =
  Beneath<Map, M, Passed, Path> extends infer Found extends object
    ? Found
    : Beneath<Map, M, `/${Passed}`, Path> extends infer Found extends object
      ? Found
      : Path extends `${infer Segment}/${infer Rest}`
        ? Step<Map, M, `${Passed}/${Segment}`, Rest>
        : Whole<Map, M, `${Passed}/${Path}`>;

/** The entry for a path in the map beneath a key. */
type Beneath<Map, M extends string, Key extends string, Path extends string> = Key extends keyof Map
  ? Walk<Map[Key], M, Path>
  : null;

/** The entry of a map for a path if each key is one segment, as in most maps. */
type Straight<
  Map,
  M extends string,
  Path extends string,
> = Path extends `${infer Segment}/${infer Rest}`
  ? Segment extends keyof Map
    ? Straight<Map[Segment], M, Rest>
    : null
  : Path extends keyof Map
    ? Path extends MethodKey
      ? null
      : Own<Map[Path], M>
    : null;

/** The types of the endpoint that a key such as `get /v1/users/:id` calls. */
export type TypesAt<Routing, Key> = Key extends `${infer M} /${infer Path}`
  ? Straight<Routing, M, Path> extends EndpointTypes
    ? Straight<Routing, M, Path>
    : Elsewhere<Routing, Key, M, Path>
  : NoRoute;

type Elsewhere<Routing, Key, M extends string, Path extends string> = (
  Key extends keyof Routing
    ? Present<Named<Routing[Key]>>
    : Path extends ""
      ? AnyOwn<Routing, M>
      : Walk<Routing, M, Path>
) extends infer Found extends EndpointTypes
  ? Found
  : NoRoute;

/** The keys suggested for an unknown key: those with the same method, and the same path up to the last segment. */
export type Suggested<Routing, Key> = Key extends `${infer M extends Method} /${infer Path}`
  ? Exclude<Extract<keyof Routing, `${M} ${string}`>, Key> | `${M} /${Next<Routing, M, Path>}`
  : Key extends `${infer M extends Uppercase<Method>} ${infer Path}`
    ? `${Lowercase<M>} ${Path}`
    : Key extends `/${string}`
      ? `${Method} ${Key}`
      : `${Method} /`;

/** The paths that differ from a path only in the last segment; a message in place of the keys of a `: Routing` map. */
type Next<Map, M, Path extends string> = Map extends object
  ? string extends keyof Map
    ? "... is declared `: Routing`, which loses its keys: use `satisfies Routing`"
    : Path extends `${infer Segment}/${infer Rest}`
      ? Segment extends keyof Map
        ? `${Segment}/${Next<Map[Segment], M, Rest>}`
        : never
      : Shown<Map, M>
  : never;

/** The segments of a map, each with a trailing slash if it leads only to further segments. */
type Shown<Map, M> = {
  [Key in keyof Map & string]: Key extends Method | "" | `${Method} ${string}`
    ? never
    : AnyOwn<Map[Key], M> extends null
      ? NonNullable<Map[Key]> extends TypedEndpoint
        ? never
        : `${Unslashed<Key>}/`
      : Unslashed<Key>;
}[keyof Map & string];

type Unslashed<Key extends string> = Key extends `/${infer Rest}` ? Rest : Key;
