import { defaults } from "../../../basics/defaults.ts";
import { ConfigError } from "../../../basics/errors.ts";
import type { Request, Response } from "../../../basics/http/express-objects.ts";
import { endsWithSlash, isNormal, normalisePath } from "../../../serve/request/canonical-path.ts";

/** An application or a router, which passes requests to its layers. */
export interface Handling {
  handle?: (request: Request, response: Response, next: (error?: unknown) => void) => unknown;
  readonly parent?: Handling;
  readonly on?: (event: "mount", listener: (parent: Handling) => void) => unknown;
}

/** The requests with a slash at the end of their paths that are normalised, apart from that, before any layer sees them. */
const normalised = new WeakSet<object>();

/** The requests of which a layer may have seen another spelling than the API does. */
const misread = new WeakSet<object>();

/** The applications and routers that guard paths, with whether each API in them is case-sensitive. */
const guarding = new WeakMap<object, boolean>();

/**
 * Makes an application, and those that it is mounted on, normalise paths before any layer sees them, so that what
 * guards a path guards each of its spellings. The API itself asks {@link mayServe}.
 *
 * @throws ConfigError when a router of the application tells letter cases apart that the API does not.
 */
export const guardPaths = (
  app: Handling,
  caseSensitive: boolean = defaults.caseSensitive,
): void => {
  if (!caseSensitive && hasRouter(app, "caseSensitive"))
    throw new ConfigError(
      "SLP_CONFIG_VALUE",
      "`caseSensitive` is false, but the application has a case-sensitive router, whose guards a path in other letters would pass. Omit `caseSensitive: false`, or the option `caseSensitive` of the router and the setting `case sensitive routing` of the application.",
    );
  const known = guarding.get(app);
  guarding.set(app, caseSensitive && known !== false);
  const { handle, parent } = app;
  if (parent) guardPaths(parent, caseSensitive);
  if (known !== undefined || typeof handle !== "function") return;
  const isRouter = typeof app.on !== "function";
  app.on?.("mount", (outer) => guardPaths(outer, guarding.get(app)));
  app.handle = function (this: unknown, request, response, next) {
    // layers of an outer application, which is unknown if a function passes requests on, may have seen another spelling
    if (!isRouter && !request.originalUrl) normaliseFirst(request);
    else enterFromOutside(app, request);
    if (endsWithSlash(request.originalUrl || request.url) && isStrict(app)) misread.add(request);
    return handle.call(this, request, response, next);
  };
};

/** Guards the paths of an outer application, which may not have been known, and finds what its layers have misread. */
const enterFromOutside = (app: Handling, request: Request): void => {
  const { originalUrl } = request;
  const outer = request.app as Handling | undefined;
  if (outer && outer !== app) {
    const caseSensitive = guarding.get(app) !== false;
    if (guarding.get(outer) === undefined || (!caseSensitive && guarding.get(outer)))
      guardPaths(outer, caseSensitive);
    if (endsWithSlash(originalUrl) && isStrict(outer)) misread.add(request);
  }
  // where an application is mounted at `/`, among other paths, Express passes on `//a` as `/a`
  if (doubleSlash.test(originalUrl) && !doubleSlash.test(request.url)) misread.add(request);
};

const doubleSlash = /^[^?#]*\/\//;

/** Normalises the path of a request that no layer has seen yet. */
export const normaliseFirst = (request: Request): void => {
  normalisePath(request);
  if (endsWithSlash(request.url)) normalised.add(request);
};

/**
 * Checks whether the layers before the API have seen the path of a request in the spelling that they guard; if not, the
 * request must be passed on.
 */
export const mayServe = (request: Request): boolean => {
  const { url, baseUrl } = request;
  if (misread.has(request) || !isNormal(baseUrl + url)) return false;
  return !endsWithSlash(url) || normalised.has(request);
};

/** Checks whether a router of an application, or of one on which it is mounted, tells a slash at the end of a path. */
const isStrict = (app: Handling): boolean => {
  const { parent } = app;
  return hasRouter(app, "strict") || (parent !== undefined && isStrict(parent));
};

/** Checks whether a router of an application, or among its layers, has an option. */
const hasRouter = (app: Handling, option: "strict" | "caseSensitive"): boolean => {
  const seen = new Set<unknown>();
  /** @param part an application, a router, a layer or a route */
  const search = (part: unknown): boolean => {
    if (!["object", "function"].includes(typeof part) || part === null || seen.has(part))
      return false;
    seen.add(part);
    const read = (name: string): unknown => Reflect.get(part as object, name);
    const stack = read("stack");
    return (
      read(option) === true ||
      ["router", "handle", "route"].some((name) => search(read(name))) ||
      (Array.isArray(stack) && stack.some(search))
    );
  };
  try {
    return search(app);
  } catch {
    // whatever cannot be examined, such as an application of Express 4, may have the option
    return true;
  }
};
