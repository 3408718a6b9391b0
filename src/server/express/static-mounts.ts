import type { Request, RequestHandler, Response } from "express";
import type { InputSource } from "../../endpoint/input-sources.ts";
import { RequestError, RoutingError } from "../../errors.ts";
import type { Logger } from "../../logger/logger.ts";
import { planEndpoint, type EndpointPlan } from "../../pipeline/endpoint-plan.ts";
import { runMiddlewares } from "../../pipeline/run-middlewares.ts";
import { sendError } from "../../pipeline/send-result.ts";
import { Walk } from "../../pipeline/walk.ts";
import { parsePathPattern } from "../../routing/path-pattern.ts";
import type { ServeStaticOptions } from "../../routing/static-files.ts";
import type { StaticEntry } from "../../routing/walk-routing.ts";
import { loadExpress } from "../../lazy/packages.ts";

interface Mount {
  /** The decoded segments of its path; none for the root. */
  readonly segments: readonly string[];
  readonly serve: RequestHandler;
  /** What runs before a file is looked for. */
  readonly guard: EndpointPlan | undefined;
}

/** The static files of a server. */
export class StaticMounts {
  readonly #mounts: readonly Mount[];

  /**
   * @param sources what feeds the input of guarding middlewares, as for GET
   * @throws {@link RoutingError} when a path has parameters.
   */
  constructor(entries: readonly StaticEntry[], sources: readonly InputSource[]) {
    // a longer path comes first, so that its guard holds whatever else is mounted above it
    this.#mounts = entries
      .map((entry) => toMount(entry, sources))
      .toSorted((one, other) => other.segments.length - one.segments.length);
  }

  /** Tells whether a path is below one of the mounts. */
  mayServe(path: string): boolean {
    return isPlain(path) && this.#mounts.some((mount) => findPrefix(mount, path) !== undefined);
  }

  /**
   * Serves a file where one fits.
   *
   * @returns false when there is none, and nobody has answered instead
   * @throws {@link RequestError} when the path has a NUL.
   */
  async serve(
    request: Request,
    response: Response,
    path: string,
    logger: Logger,
  ): Promise<boolean> {
    for (const mount of this.#mounts) {
      const prefix = findPrefix(mount, path);
      if (prefix === undefined) continue;
      if (path.includes("%00")) throw new RequestError("SLP_PATH_MALFORMED");
      const send = (): Promise<boolean> => serveFrom(mount, prefix, request, response);
      const isServed = mount.guard
        ? await guarded(mount.guard, request, response, logger, send)
        : await send();
      // the first mount that has the file ends the search
      if (isServed) return true;
    }
    return false;
  }
}

/**
 * Tells whether a path names each of its segments once and for all.
 *
 * The file system would fold what the router does not (`//`, `..`, `%2F`), and so get around the endpoint of a path.
 */
const isPlain = (path: string): boolean => {
  const segments = path.split("/").slice(1).map(decodeURIComponent);
  return segments.every(
    (segment, index) =>
      !/^\.{1,2}$|[/\\]/.test(segment) && (segment !== "" || index === segments.length - 1),
  );
};

/**
 * Sends a file behind the middlewares that guard it; what they throw is answered by their factory's result handler.
 *
 * @returns false where all of them let the request pass and there is no file
 */
const guarded = async (
  plan: EndpointPlan,
  request: Request,
  response: Response,
  logger: Logger,
  send: () => Promise<boolean>,
): Promise<boolean> => {
  const walk = new Walk(request, response, logger, plan.endpoint.resultHandler);
  let isServed = true;
  try {
    await runMiddlewares(plan, walk, async () => {
      isServed = await send();
    });
  } catch (error) {
    await sendError(walk, error);
  }
  return isServed;
};

const toMount = (
  { path, files: { directory, options, guard } }: StaticEntry,
  sources: readonly InputSource[],
): Mount => {
  const segments = parsePathPattern(path).map((segment) => {
    if (segment.kind === "literal") return segment.text;
    throw new RoutingError(
      "SLP_ROUTING_PATH_SYNTAX",
      `The static files at "${path}" have a parameter in their path; only literal segments can lead to files.`,
      { path },
    );
  });
  const setHeaders: ServeStaticOptions["setHeaders"] = (response, file, stat) => {
    response.setHeader("X-Content-Type-Options", "nosniff");
    options.setHeaders?.(response, file, stat);
  };
  return {
    segments,
    serve: loadExpress().static(directory, { ...options, setHeaders }),
    guard: guard && planEndpoint(guard, sources),
  };
};

/** The part of a path that leads to a mount, as it was sent. */
const findPrefix = ({ segments }: Mount, path: string): string | undefined => {
  const sent = path.split("/").slice(1, segments.length + 1);
  const isBelow = segments.every(
    (segment, index) => decodeURIComponent(sent[index] ?? "") === segment,
  );
  return isBelow ? sent.map((segment) => `/${segment}`).join("") : undefined;
};

/** Runs `express.static` as a mounted middleware: with its path cut off for the time being. */
const serveFrom = (
  { serve }: Mount,
  prefix: string,
  request: Request,
  response: Response,
): Promise<boolean> =>
  new Promise((resolve, reject) => {
    const { url, baseUrl } = request;
    const below = url.slice(prefix.length);
    request.url = below.startsWith("/") ? below : `/${below}`;
    request.baseUrl = baseUrl + prefix;
    response.once("close", () => resolve(true));
    void serve(request, response, (error?: unknown) => {
      request.url = url;
      request.baseUrl = baseUrl;
      if (error instanceof Error) reject(error);
      else resolve(false);
    });
  });
