import type { Method } from "../../basics/http/method.ts";

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

/** Static files, recognised by a member, because another copy's class is another type. */
interface Files {
  readonly directory: string;
}

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
  ? // the compiler asks for the keys of all methods before it knows the key, which would walk the whole map
    Method extends M
    ? `${M} /`
    : `${M} /${Nearest<Routing, M, FolderOf<Path>>}`
  : Key extends `${infer M extends Uppercase<Method>} ${infer Path}`
    ? `${Lowercase<M>} ${Path}`
    : Key extends `/${string}`
      ? `${Method} ${Key}`
      : `${Method} /`;

/** A path up to its last slash. */
type FolderOf<Path> = Path extends `${infer Segment}/${infer Rest}`
  ? `${Segment}/${FolderOf<Rest>}`
  : "";

/** The paths in a folder, or in the nearest one above it that has some. */
type Nearest<Map, M, Folder> = [Within<Map, M, Folder>] extends [never]
  ? Folder extends `${infer Path}/`
    ? Nearest<Map, M, FolderOf<Path>>
    : never
  : Within<Map, M, Folder>;

/** The paths of a map that begin with a folder; a message in place of the keys of a `: Routing` map. */
type Within<Map, M, Folder> = Map extends object
  ? Map extends TypedEndpoint | Files
    ? never
    : string extends keyof Map
      ? "... is declared `: Routing`, which loses its keys: use `satisfies Routing`"
      : { [Key in keyof Map & string]: Offered<Map[Key], M, Key, Folder> }[keyof Map & string]
  : never;

/** The paths of an entry that begin with a folder: up to its key, or beneath the key if the folder contains the key. */
type Offered<Value, M, Key extends string, Folder> = Key extends ""
  ? Within<Value, M, Folder>
  : Key extends MethodKey
    ? NonNullable<Value> extends TypedEndpoint
      ? Key extends `${M & string} ${infer Path}`
        ? Extract<Unslashed<Path>, `${Folder & string}${string}`>
        : never
      : OfferedPath<Value, M, Key, Folder>
    : OfferedPath<Value, M, Unslashed<Key>, Folder>;

type OfferedPath<Value, M, Path extends string, Folder> = Folder extends `${Path}/${infer Rest}`
  ? `${Path}/${Within<Value, M, Rest>}`
  : Path extends `${Folder & string}${string}`
    ? AnyOwn<Value, M> extends null
      ? // a path that leads only to further ones ends with a slash
        [Within<Value, M, "">] extends [never]
        ? never
        : `${Path}/`
      : Path
    : never;

type Unslashed<Key extends string> = Key extends `/${infer Rest}` ? Rest : Key;
