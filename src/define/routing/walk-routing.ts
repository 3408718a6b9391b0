import { defaults } from "../../basics/defaults.ts";
import { isEndpoint, type AnyEndpoint } from "../endpoint/endpoint.ts";
import { isFunction, isObject } from "../../basics/messages/option-checks.ts";
import { show } from "../../basics/messages/show.ts";
import { describeUnknown } from "../../basics/messages/unknown-names.ts";
import { RoutingError } from "../../basics/errors.ts";
import { endpointMethods, isMethod, otherNames, type Method } from "../../basics/http/method.ts";
import { readSafely } from "../../wire/reply/http-error.ts";
import type { AppSettings } from "../../wire/exchange/ways.ts";
import { RouteTable } from "./route-table.ts";
import type { Routing } from "./routing.ts";
import { isServeStatic, type ServeStatic } from "./static-files.ts";

export interface EndpointEntry {
  readonly method: Method;
  /** The path with a leading slash and colons, such as `/v1/users/:id`. */
  readonly path: string;
  readonly endpoint: AnyEndpoint;
}

export interface StaticEntry {
  readonly path: string;
  readonly files: ServeStatic;
}

export interface Routes {
  readonly endpoints: readonly EndpointEntry[];
  readonly statics: readonly StaticEntry[];
  /** The keys with an empty segment in their middle, such as `x//y`, which is left out. */
  readonly gappedKeys: readonly { readonly key: string; readonly path: string }[];
}

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

/** Formats a route for messages, such as `GET /users/:id`. */
export const formatRoute = (method: string, path: string): string =>
  `${method.toUpperCase()} ${path}`;

const explicitKey = /^([A-Za-z]+)\s+(.*)$/s;

export const walkRouting = (routing: Routing, options: WalkOptions = {}): Routes => {
  const endpoints: EndpointEntry[] = [];
  const statics: StaticEntry[] = [];
  const gappedKeys: { key: string; path: string }[] = [];
  const walk = (map: Routing, parent: string, above: readonly Routing[]): void => {
    assertMap(map, parent || "/", above);
    for (const [key, value] of Object.entries(map)) {
      const { method, path } = readKey(key, parent, value, options);
      if (hasGap(key)) gappedKeys.push({ key, path });
      if (isEndpoint(value))
        for (const served of listMethods(value, path, key, method))
          endpoints.push({ method: served, path, endpoint: value });
      else if (method !== undefined)
        throw new RoutingError(
          "SLP_ROUTING_EXPLICIT_METHOD_VALUE",
          `The key "${key}" of "${path}" names a method, so its value must be an endpoint; it is ${show(value)}. Put the method on each endpoint below it instead.`,
          { method, path },
        );
      else if (isServeStatic(value)) statics.push({ path, files: value });
      else walk(value as Routing, path, [...above, map]);
    }
  };
  walk(routing, "", []);
  return { endpoints, statics, gappedKeys };
};

const assertMap = (map: unknown, path: string, above: readonly unknown[]): void => {
  const isUnbuilt = [map, readSafely(map, "handler")].some(isFunction);
  if (isUnbuilt || !isPlainMap(map))
    throw new RoutingError(
      "SLP_ROUTING_LEAF",
      `The routing at "${path}" is ${show(map)}; it must be an endpoint, a routing map or a ServeStatic.${isUnbuilt ? " Build an endpoint with a factory, as in defaultEndpointsFactory.build({ handler: async () => ({ ... }) })." : ""}`,
      { path },
    );
  if (above.includes(map))
    throw new RoutingError(
      "SLP_ROUTING_CYCLE",
      `The routing at "${path}" contains itself; a routing map must be finite.`,
      { path },
    );
};

const readKey = (
  key: string,
  parent: string,
  value: unknown,
  { methodLikeRouteBehavior = defaults.methodLikeRouteBehavior }: WalkOptions,
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
    if (isMethod(word.toLowerCase()) || otherNames.has(word.toUpperCase())) refuseCase(word);
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

/** Checks whether a key has an empty segment between others. */
const hasGap = (key: string): boolean => {
  const isFilled = (segment: string): boolean => segment.trim() !== "";
  const segments = key.split("/");
  return !segments
    .slice(segments.findIndex(isFilled), segments.findLastIndex(isFilled))
    .every(isFilled);
};

const listMethods = (
  { methods }: AnyEndpoint,
  path: string,
  key: string,
  explicit: Method | undefined,
): readonly Method[] => {
  if (explicit === undefined) return methods ?? ["get"];
  if (methods !== undefined && !methods.includes(explicit))
    throw new RoutingError(
      "SLP_ROUTING_METHOD_UNSUPPORTED",
      `The method ${explicit} at "${path}" is not supported by the endpoint, which declares ${methods.join(", ")}.${key.trim() === explicit ? ` If the key is a segment of the path, write "/${explicit}".` : ""}`,
      { method: explicit, path },
    );
  return [explicit];
};

/** Checks whether a value is a plain object, which may come from another realm; an instance of a class is a mistake. */
const isPlainMap = (value: unknown): boolean => {
  if (!isObject(value)) return false;
  const prototype = Object.getPrototypeOf(value) as { constructor?: { name?: string } } | null;
  return prototype === null || prototype.constructor?.name === "Object";
};

/** Reads a routing map; throws a {@link RoutingError} if it is invalid, or has a route twice. */
export const listRoutes = (routing: Routing, options: WalkOptions): Routes => {
  const routes = walkRouting(routing, options);
  const table = new RouteTable<true>(options.caseSensitive);
  for (const { method, path } of routes.endpoints) table.add(method, path, true);
  return routes;
};

/** Lets the middlewares of all endpoints reject settings of the Express application. */
export const checkSettings = ({ endpoints }: Routes, settings: AppSettings): void => {
  for (const { endpoint } of endpoints)
    for (const middleware of endpoint.middlewares) middleware.checkSettings?.(settings);
};
