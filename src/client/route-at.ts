import type { Method } from "../http/method.ts";

/** The types that an endpoint carries; of whatever kind, because a comparison of schemas would resolve them. */
export interface EndpointTypes {
  readonly [name: string]: Some;
}

// oxlint-disable-next-line typescript/no-explicit-any -- never reaches a user: each is read where it is known
type Some = any;

/** Stands for the types of an endpoint where there is none. */
export interface NoRoute extends EndpointTypes {
  readonly "~none": true;
}

/** An endpoint as far as a client reads it. */
interface TypedEndpoint {
  readonly "~types"?: Some;
}

type TypesOf<E extends TypedEndpoint> = E["~types"];

/** The types of the endpoint of a key that names its method; no server starts where that is another one. */
type Named<Value> = Value extends TypedEndpoint ? TypesOf<Value> : null;

/** An endpoint that says no method has none in its type, and answers GET. */
type Answered<M> = [M] extends [never] ? "get" : M;

/** What a value answers a method with at its own path: itself, under the method, or under the empty key, as after `nest`. */
type Own<Value, M> = M extends keyof Value
  ? Named<Value[M]>
  : Value extends TypedEndpoint
    ? M extends Answered<TypesOf<Value>["method"]>
      ? TypesOf<Value>
      : null
    : "" extends keyof Value
      ? Own<Value[""], M>
      : null;

/** What a map has at a path that is not split any further. */
type Whole<Map, M extends string, Path extends string> = Path extends keyof Map
  ? Own<Map[Path], M> extends infer Found extends object
    ? Found
    : Spelled<Map, M, Path>
  : Spelled<Map, M, Path>;

/** What a map has at a path in the other spellings of a key. */
type Spelled<Map, M extends string, Path extends string> = `${M} /${Path}` extends keyof Map
  ? Named<Map[`${M} /${Path}`]>
  : `${M} ${Path}` extends keyof Map
    ? Named<Map[`${M} ${Path}`]>
    : `/${Path}` extends keyof Map
      ? Own<Map[`/${Path}`], M>
      : null;

/**
 * What a map has at a path.
 *
 * Segment by segment, so that a call costs as much as its path is long, however many routes there are.
 */
type Walk<
  Map,
  M extends string,
  Path extends string,
> = Path extends `${infer Segment}/${infer Rest}`
  ? Segment extends keyof Map
    ? Walk<Map[Segment], M, Rest> extends infer Found extends object
      ? Found
      : Longer<Map, M, Segment, Rest>
    : Longer<Map, M, Segment, Rest>
  : Whole<Map, M, Path>;

/** What a map has at a path whose first key has a slash before it, or several segments. */
type Longer<
  Map,
  M extends string,
  Passed extends string,
  Path extends string,
> = `/${Passed}` extends keyof Map
  ? Walk<Map[`/${Passed}`], M, Path> extends infer Found extends object
    ? Found
    : Joined<Map, M, Passed, Path>
  : Joined<Map, M, Passed, Path>;

type Joined<
  Map,
  M extends string,
  Passed extends string,
  Path extends string,
> = Path extends `${infer Segment}/${infer Rest}`
  ? `${Passed}/${Segment}` extends keyof Map
    ? Walk<Map[`${Passed}/${Segment}`], M, Rest> extends infer Found extends object
      ? Found
      : Longer<Map, M, `${Passed}/${Segment}`, Rest>
    : Longer<Map, M, `${Passed}/${Segment}`, Rest>
  : Whole<Map, M, `${Passed}/${Path}`>;

/** What a map has at a path, where each key is one segment: most calls end here. */
type Straight<
  Map,
  M extends string,
  Path extends string,
> = Path extends `${infer Segment}/${infer Rest}`
  ? Segment extends keyof Map
    ? Straight<Map[Segment], M, Rest>
    : null
  : Path extends keyof Map
    ? Own<Map[Path], M>
    : null;

/** The types of the endpoint that a key such as `get /v1/users/:id` calls. */
export type TypesAt<Routing, Key> = Key extends `${infer M} /${infer Path}`
  ? Straight<Routing, M, Path> extends infer Found extends EndpointTypes
    ? Found
    : Elsewhere<Routing, Key, M, Path>
  : NoRoute;

type Elsewhere<Routing, Key, M extends string, Path extends string> = (
  Key extends keyof Routing
    ? Named<Routing[Key]>
    : Path extends ""
      ? Own<Routing, M>
      : Walk<Routing, M, Path>
) extends infer Found extends EndpointTypes
  ? Found
  : NoRoute;

/** The keys that could stand where a wrong one stands: its method, then one more segment of its path. */
export type Suggested<Routing, Key> = Key extends `${infer M extends Method} /${infer Path}`
  ? Exclude<Extract<keyof Routing, `${M} ${string}`>, Key> | `${M} /${Next<Routing, M, Path>}`
  : `${Method} /`;

/** A path with one more segment, as far as the maps say. */
type Next<Map, M, Path extends string> = Path extends `${infer Segment}/${infer Rest}`
  ? Segment extends keyof Map
    ? `${Segment}/${Next<Map[Segment], M, Rest>}`
    : never
  : Shown<Map, M>;

/** The segments of a map: with a slash where there is more beneath only. */
type Shown<Map, M> = {
  [Key in keyof Map & string]: Key extends Method | "" | `${Method} ${string}`
    ? never
    : Own<Map[Key], M> extends null
      ? Map[Key] extends TypedEndpoint
        ? never
        : `${Unslashed<Key>}/`
      : Unslashed<Key>;
}[keyof Map & string];

type Unslashed<Key extends string> = Key extends `/${infer Rest}` ? Rest : Key;
