import type { MarkedEndpoint } from "../endpoint/endpoint.ts";
import type { Method } from "../http/method.ts";

/** The types that an endpoint carries; of whatever kind, because a comparison of schemas would resolve them. */
// oxlint-disable-next-line typescript/no-explicit-any -- never reaches a user: each is read where it is known
type Some = any;

/** An endpoint as far as a client reads it. */
export interface TypedEndpoint {
  readonly "~types"?: {
    readonly method: Some;
    readonly input: Some;
    readonly output: Some;
    readonly middlewareInput: Some;
    readonly resultHandler: Some;
  };
}

/** The types that an endpoint carries. */
export type TypesOf<E extends TypedEndpoint> = NonNullable<E["~types"]>;

/** An endpoint that says no method has all of them in its type, and answers GET. */
type Answered<M> = Method extends M ? "get" : M;

/** The endpoint of a key that names its method; null where the endpoint declares others. */
type Named<Value, M> = Value extends TypedEndpoint
  ? M extends TypesOf<Value>["method"]
    ? Value
    : null
  : null;

/** What a value answers a method with at its own path: itself, under the method, or under the empty key, as after `nest`. */
type Own<Value, M> = Value extends MarkedEndpoint & TypedEndpoint
  ? M extends Answered<TypesOf<Value>["method"]>
    ? Value
    : null
  : M extends keyof Value
    ? Named<Value[M], M>
    : "" extends keyof Value
      ? Own<Value[""], M>
      : null;

/** The second, where the first is nothing. */
type Else<First, Second> = First extends null ? Second : First;

/** What a map has at a path that is not split any further. */
type Whole<Map, M extends string, Path extends string> = `${M} /${Path}` extends keyof Map
  ? Named<Map[`${M} /${Path}`], M>
  : `${M} ${Path}` extends keyof Map
    ? Named<Map[`${M} ${Path}`], M>
    : Path extends keyof Map
      ? Own<Map[Path], M>
      : `/${Path}` extends keyof Map
        ? Own<Map[`/${Path}`], M>
        : null;

/**
 * What a map has at a path.
 *
 * Segment by segment, so that a call costs as much as its path is long, however many routes there are. A key may have several
 * segments, those that were passed over so far stand in `Passed`.
 */
type Walk<
  Map,
  M extends string,
  Path extends string,
  Passed extends string = "",
> = Path extends `${infer Segment}/${infer Rest}`
  ? `${Passed}${Segment}` extends keyof Map
    ? Else<
        Walk<Map[`${Passed}${Segment}`], M, Rest>,
        Walk<Map, M, Rest, `${Passed}${Segment}/`>
      >
    : `/${Passed}${Segment}` extends keyof Map
      ? Else<
          Walk<Map[`/${Passed}${Segment}`], M, Rest>,
          Walk<Map, M, Rest, `${Passed}${Segment}/`>
        >
      : Walk<Map, M, Rest, `${Passed}${Segment}/`>
  : Whole<Map, M, `${Passed}${Path}`>;

/** The endpoint that a key such as `get /v1/users/:id` calls; null where a routing map has none. */
export type EndpointAt<Routing, Key> = Key extends `${infer M} /${infer Path}`
  ? Key extends keyof Routing
    ? Named<Routing[Key], M>
    : Path extends ""
      ? Own<Routing, M>
      : Walk<Routing, M, Path>
  : null;

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
      ? Map[Key] extends MarkedEndpoint
        ? never
        : `${Unslashed<Key>}/`
      : Unslashed<Key>;
}[keyof Map & string];

type Unslashed<Key extends string> = Key extends `/${infer Rest}` ? Rest : Key;
