import { isEndpoint, type AnyEndpoint } from "../endpoint/endpoint.ts";
import { show } from "../messages/show.ts";
import { describeUnknown } from "../messages/unknown-names.ts";
import { RoutingError } from "../errors.ts";
import { endpointMethods, isMethod, type Method } from "../http/method.ts";
import { RouteTable } from "./route-table.ts";
import type { Routing } from "./routing.ts";
import { isServeStatic, type ServeStatic } from "./static-files.ts";

/** An endpoint at a path, for one method. */
export interface EndpointEntry {
  readonly kind: "endpoint";
  readonly method: Method;
  /** The path with a leading slash and colons, such as `/v1/users/:id`. */
  readonly path: string;
  readonly endpoint: AnyEndpoint;
}

/** Static files at a path. */
export interface StaticEntry {
  readonly kind: "static";
  readonly path: string;
  readonly files: ServeStatic;
}

/** An entry of a routing map, with its path. */
export type RoutingEntry = EndpointEntry | StaticEntry;

/** Options for reading a routing map. */
export interface WalkOptions {
  /**
   * Whether a key such as `get`, with an endpoint as its value, names the method or another segment of the path. The
   * compiler takes it as the method; annotate the map as {@link Routing} if an endpoint of another method is meant.
   *
   * @default "method"
   */
  readonly methodLikeRouteBehavior?: "method" | "path" | undefined;
  /**
   * Whether the letters of a path must have the case of its route. Path parameters always keep their case.
   *
   * @default true
   */
  readonly caseSensitive?: boolean | undefined;
}

const explicitKey = /^([A-Za-z]+)\s+(.*)$/s;
const httpMethods = new Set([
  ...["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "TRACE", "CONNECT"],
]);

/** Walks a routing map in order; throws a {@link RoutingError} if a key or a value is invalid. */
export function* walkRouting(routing: Routing, options: WalkOptions = {}): Generator<RoutingEntry> {
  yield* walkMap(routing, "", options, new Set());
}

function* walkMap(
  map: Routing,
  parent: string,
  options: WalkOptions,
  above: ReadonlySet<unknown>,
): Generator<RoutingEntry> {
  const cause = { path: parent || "/" };
  if (!isPlainMap(map))
    throw new RoutingError(
      "SLP_ROUTING_LEAF",
      `The routing at "${cause.path}" is ${show(map)}; it must be an endpoint, a routing map or a ServeStatic.${typeof map === "function" ? " Build an endpoint with a factory, as in defaultEndpointsFactory.build({ handler: async () => ({ ... }) })." : ""}`,
      cause,
    );
  if (above.has(map))
    throw new RoutingError(
      "SLP_ROUTING_CYCLE",
      `The routing at "${cause.path}" contains itself; a routing map must be finite.`,
      cause,
    );
  const below = new Set(above).add(map);
  for (const [key, value] of Object.entries(map)) {
    const { method, path } = readKey(key, parent, value, options);
    if (isEndpoint(value)) yield* toEntries(value, path, method);
    else if (method !== undefined)
      throw new RoutingError(
        "SLP_ROUTING_EXPLICIT_METHOD_VALUE",
        `The key "${key}" of "${path}" names a method, so its value must be an endpoint; it is ${show(value)}. Put the method on each endpoint below it instead.`,
        { method, path },
      );
    else if (isServeStatic(value)) yield { kind: "static", path, files: value };
    else yield* walkMap(value as Routing, path, options, below);
  }
}

const readKey = (
  key: string,
  parent: string,
  value: unknown,
  { methodLikeRouteBehavior = "method" }: WalkOptions,
): { readonly method?: Method; readonly path: string } => {
  const name = key.trim();
  const where = `The key "${key}" at "${parent || "/"}"`;
  const cause = { path: joinPath(parent, "") };
  const refuseCase = (word: string): never => {
    const lower = word.toLowerCase();
    const fault = isMethod(lower)
      ? `names a method in upper case; write "${lower}".`
      : "names a method that endpoints cannot declare; HEAD and OPTIONS need no declaration.";
    throw new RoutingError("SLP_ROUTING_METHOD_CASE", `${where} ${fault}`, cause);
  };
  const [, word, rest] = explicitKey.exec(name) ?? [];
  if (word !== undefined && rest !== undefined) {
    if (isMethod(word)) return { method: word, path: joinPath(parent, rest) };
    if (httpMethods.has(word.toUpperCase())) refuseCase(word);
    // no path has a space before a slash, so the word is a misspelt method
    if (rest.startsWith("/"))
      throw new RoutingError(
        "SLP_ROUTING_METHOD_UNKNOWN",
        describeUnknown("method", word, endpointMethods, { where }),
        cause,
      );
  }
  if (isEndpoint(value) && methodLikeRouteBehavior === "method") {
    if (isMethod(name)) return { method: name, path: cause.path };
    if (isMethod(name.toLowerCase())) refuseCase(name);
  }
  return { path: joinPath(parent, name) };
};

const joinPath = (parent: string, name: string): string => {
  const segments = `${parent}/${name}`.split("/").map((segment) => segment.trim());
  return `/${segments.filter((segment) => segment !== "").join("/")}`;
};

function* toEntries(
  endpoint: AnyEndpoint,
  path: string,
  explicit: Method | undefined,
): Generator<EndpointEntry> {
  const { methods } = endpoint;
  if (explicit !== undefined && methods !== undefined && !methods.includes(explicit))
    throw new RoutingError(
      "SLP_ROUTING_METHOD_UNSUPPORTED",
      `The method ${explicit} at "${path}" is not supported by the endpoint, which declares ${methods.join(", ")}.`,
      { method: explicit, path },
    );
  const served = explicit === undefined ? (methods ?? ["get"]) : [explicit];
  for (const method of served) yield { kind: "endpoint", method, path, endpoint };
}

/** Checks whether a value is a plain object, which may come from another realm; an instance of a class is a mistake. */
const isPlainMap = (value: unknown): value is Routing => {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const prototype = Object.getPrototypeOf(value) as { constructor?: { name?: string } } | null;
  return prototype === null || prototype.constructor?.name === "Object";
};

/** Lists the entries of a routing map; throws a {@link RoutingError} if it is invalid. */
export const listRoutes = (routing: Routing, options: WalkOptions): readonly RoutingEntry[] => {
  const entries = [...walkRouting(routing, options)];
  const table = new RouteTable<true>(options.caseSensitive);
  for (const entry of entries)
    if (entry.kind === "endpoint") table.add(entry.method, entry.path, true);
  return entries;
};

/** Lets the middlewares of all endpoints reject settings of the Express application. */
export const checkSettings = (entries: readonly RoutingEntry[], settings: object): void => {
  for (const entry of entries)
    if (entry.kind === "endpoint")
      for (const middleware of entry.endpoint.middlewares)
        middleware.checkSettings?.(settings as Readonly<Record<string, unknown>>);
};
