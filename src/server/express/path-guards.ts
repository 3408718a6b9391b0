import { ConfigError } from "../../errors.ts";
import type { Request, Response } from "../../http/express-objects.ts";
import { endsWithSlash, isNormal, normalisePath } from "../../http/normal-path.ts";

/** An application or a router, which passes requests to its layers. */
export interface Handling {
  handle?: (request: Request, response: Response, next: (error?: unknown) => void) => unknown;
  readonly parent?: Handling;
  readonly on?: (event: "mount", listener: (parent: Handling) => void) => unknown;
  /** The router of an application, which is itself one. */
  readonly router?: Handling;
  readonly stack?: readonly { readonly handle?: object }[];
  readonly strict?: boolean;
  readonly caseSensitive?: boolean;
}

/** The requests whose paths were normalised before any layer saw them, but may be spelled in another way still. */
const normalised = new WeakSet<object>();

/** The requests with a slash at the end of their paths that have passed a router that tells such paths apart. */
const strictlyRouted = new WeakSet<object>();

/**
 * Makes an application, and those that it is mounted on, normalise paths before any layer sees them, so that what
 * guards a path guards each of its spellings. The API itself asks {@link mayServe}.
 *
 * @throws ConfigError when a router of the application tells letter cases apart that the API does not.
 */
export const guardPaths = (app: Handling, caseSensitive = true): void => {
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
    else if (request.app && !guarding.has(request.app))
      guardPaths(request.app as Handling, guarding.get(app));
    if (endsWithSlash(request.url) && hasRouter(app, "strict")) strictlyRouted.add(request);
    return handle.call(this, request, response, next);
  };
};

/** The applications and routers whose paths are guarded, with whether each API in them is case-sensitive. */
const guarding = new WeakMap<object, boolean>();

/** Normalises the path of a request that no layer has seen yet. */
export const normaliseFirst = (request: Request): void => {
  normalisePath(request);
  if (!isNormal(request.url)) normalised.add(request);
};

/**
 * Checks whether the layers before the API have seen the path of a request in the spelling that they guard; if not, the
 * request must be passed on.
 */
export const mayServe = (request: Request): boolean =>
  isNormal(request.url) || (normalised.has(request) && !strictlyRouted.has(request));

/** Checks whether an application or a router, or a router among its layers, has an option. */
const hasRouter = (handling: Handling, option: "strict" | "caseSensitive"): boolean => {
  const { [option]: isSet, stack = [] } = handling.router ?? handling;
  return isSet === true || stack.some(({ handle = {} }) => hasRouter(handle, option));
};
