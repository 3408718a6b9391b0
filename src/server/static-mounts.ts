import type { Request, RequestHandler, Response } from "express";
import { RoutingError } from "../errors.ts";
import { parsePathPattern } from "../routing/path-pattern.ts";
import type { StaticEntry } from "../routing/walk-routing.ts";
import { loadExpress } from "./express-objects.ts";

interface Mount {
  /** The path without a trailing slash; empty for the root. */
  readonly prefix: string;
  readonly serve: RequestHandler;
}

/** The static files of a server. */
export class StaticMounts {
  readonly #mounts: readonly Mount[];

  /** @throws {@link RoutingError} when a path has parameters. */
  constructor(entries: readonly StaticEntry[]) {
    const express = loadExpress();
    this.#mounts = entries.map(({ path, files }) => {
      if (parsePathPattern(path).some(({ kind }) => kind !== "literal"))
        throw new RoutingError(
          "SLP_ROUTING_PATH_SYNTAX",
          `The static files at "${path}" have a parameter in their path; only literal segments can lead to files.`,
          { path },
        );
      return {
        prefix: path === "/" ? "" : path,
        serve: express.static(files.directory, files.options),
      };
    });
  }

  /**
   * Serves a file where one fits.
   *
   * @returns false when there is none
   */
  async serve(request: Request, response: Response, path: string): Promise<boolean> {
    for (const mount of this.#mounts) {
      const isBelow = path === mount.prefix || path.startsWith(`${mount.prefix}/`);
      // the first mount that has the file ends the search
      if (isBelow && (await serveFrom(mount, request, response))) return true;
    }
    return false;
  }
}

/** Runs `express.static` as a mounted middleware: with its path cut off for the time being. */
const serveFrom = (
  { prefix, serve }: Mount,
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
