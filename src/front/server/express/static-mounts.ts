import { isError } from "../../../basics/http/is-error.ts";
import type { InputSource } from "../../../define/endpoint/input-sources.ts";
import { RequestError, RoutingError } from "../../../basics/errors.ts";
import { planEndpoint } from "../../../serve/pipeline/endpoint-plan.ts";
import { sent, type Outcome } from "../../../define/endpoint/outcome.ts";
import { runEndpoint } from "../../../serve/pipeline/run-endpoint.ts";
import type { RequestState } from "../../../serve/pipeline/request-state.ts";
import { ensureError } from "../../../wire/reply/http-error.ts";
import { decodeSegment, parsePathPattern } from "../../../define/routing/path-pattern.ts";
import type { ServeStaticOptions } from "../../../define/routing/static-files.ts";
import type { StaticEntry } from "../../../define/routing/walk-routing.ts";
import { loadExpress } from "../../../basics/lazy/packages.cjs";

export class StaticMounts {
  readonly #mounts: readonly Mount[];

  /** @param requestTimeout the time limit of the guards, in milliseconds; it does not include the sending of a file */
  constructor(
    entries: readonly StaticEntry[],
    sources: readonly InputSource[],
    requestTimeout: number | undefined,
  ) {
    // longer paths come first, so that their guards apply regardless of what is mounted at shorter paths
    this.#mounts = entries
      .map((entry) => toMount(entry, sources, requestTimeout))
      .toSorted((one, other) => other.segments.length - one.segments.length);
  }

  mayServe(path: string): boolean {
    return isPlain(path) && this.#mounts.some((mount) => findPrefix(mount, path) !== undefined);
  }

  /** Serves the file that matches a path; returns false if there is none and no response was sent. */
  async serve(state: RequestState, path: string): Promise<boolean> {
    for (const mount of this.#mounts) {
      const prefix = findPrefix(mount, path);
      if (prefix === undefined) continue;
      if (path.includes("%00")) throw new RequestError("SLP_PATH_MALFORMED");
      // if a middleware of the guard throws, its factory's result handler has sent the error
      let isServed = true;
      const send = async (): Promise<Outcome> => {
        state.run?.timeLimit?.stop();
        isServed = await serveFrom(mount, prefix, state);
        return sent;
      };
      if (mount.guard) await runEndpoint(mount.guard, state, send);
      else await send();
      // the search ends at the first mount that has the file
      if (isServed) return true;
      // what follows has nothing to do with the guard
      state.enter(undefined);
    }
    return false;
  }
}

/**
 * Checks whether every segment of a path can be read in one way only. The file system would normalise what the router
 * does not (`//`, `..`, `%2F`), so such a path could bypass an endpoint or a guard.
 */
const isPlain = (path: string): boolean => {
  const segments = path.split("/").slice(1).map(decodeSegment);
  return segments.every(
    (segment, index) =>
      !/^\.{1,2}$|[/\\]/.test(segment) && (segment !== "" || index === segments.length - 1),
  );
};

type Mount = ReturnType<typeof toMount>;

const toMount = (
  { path, files: { directory, options, guard } }: StaticEntry,
  sources: readonly InputSource[],
  requestTimeout: number | undefined,
) => {
  const segments = parsePathPattern(path).map((segment) => {
    if (segment.kind === "literal") return segment.around.join("");
    throw new RoutingError(
      "SLP_ROUTING_PATH_SYNTAX",
      `The path "${path}" of static files contains a parameter; use literal segments only.`,
      { path },
    );
  });
  return {
    segments,
    serve: loadExpress().static(directory, { ...options, setHeaders: toSetHeaders(options) }),
    guard: guard && planEndpoint(guard, sources, { requestTimeout }),
  };
};

const toSetHeaders =
  (options: ServeStaticOptions): NonNullable<ServeStaticOptions["setHeaders"]> =>
  (response, file, stat) => {
    response.setHeader("X-Content-Type-Options", "nosniff");
    try {
      options.setHeaders?.(response, file, stat);
    } catch (error) {
      failures.set(response, ensureError(error));
      // the exception would end the process, but a file is not sent if a precondition of its request fails
      response.req.headers["if-match"] = '"none"';
      response.removeHeader("ETag");
    }
  };

const failures = new WeakMap<object, Error>();

/** Returns the part of a path that leads to a mount, as it was sent; undefined if the path is not below the mount. */
const findPrefix = ({ segments }: Mount, path: string): string | undefined => {
  const sent = path.split("/").slice(1, segments.length + 1);
  const isBelow = segments.every(
    (segment, index) => decodeURIComponent(sent[index] ?? "") === segment,
  );
  return isBelow ? sent.map((segment) => `/${segment}`).join("") : undefined;
};

/** Runs `express.static` as a mounted middleware, with its path temporarily removed from the URL. */
const serveFrom = ({ serve }: Mount, prefix: string, { request, response }: RequestState) =>
  new Promise<boolean>((resolve, reject) => {
    const { url, baseUrl, headers } = request;
    const { "if-match": match } = headers;
    const below = url.slice(prefix.length);
    request.url = below.startsWith("/") ? below : `/${below}`;
    request.baseUrl = baseUrl + prefix;
    response.once("close", () => resolve(true));
    void serve(request, response, (error?: unknown) => {
      request.url = url;
      request.baseUrl = baseUrl;
      const failure = failures.get(response);
      if (failure) headers["if-match"] = match;
      if (isError(error)) reject(failure ?? error);
      else resolve(false);
    });
  });
