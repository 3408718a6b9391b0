import type { IncomingMessage } from "node:http";
import type { Request } from "./express-objects.ts";

/** Matches everything before the path of a target that is a URL. */
const beforePath = /^[^/]+(?:\/[/\\][^/]*)?/;

/** Removes the credentials of a URL, which may also be part of a path, as in `/proxy/https://user:password@host`. */
const withoutCredentials = (segment: string, index: number, all: readonly string[]): string => {
  const at = segment.lastIndexOf("@");
  const isBehindScheme = index > 1 && /^$|:$/.test(all[index - 1] ?? "");
  return isBehindScheme || segment.slice(0, at + 1).includes(":") ? segment.slice(at + 1) : segment;
};

/** Returns the canonical path of a request, without the authority and the query, which may contain secrets. */
export const toLoggedPath = (request: IncomingMessage & { originalUrl?: string }): string => {
  const [target = ""] = (request.originalUrl || request.url || "").split(/[?#]/, 1);
  if (target === "*") return target;
  let path = target.replace(beforePath, "");
  // a path that was not normalised may have the characters as escapes
  if (/@|%40/.test(path))
    path = path
      .replaceAll(/%40/g, "@")
      .replaceAll(/%3A/gi, ":")
      .split("/")
      .map(withoutCredentials)
      .join("/");
  return path.length > 1 && path.endsWith("/") ? path.slice(0, -1) : path || "/";
};

/** Returns the route of a request for logs, such as `GET /v1/users/:id`; its path if it has no route. */
export const toLoggedRoute = (request: Request): string => {
  const { path } = (request.route ?? {}) as { readonly path?: string };
  return `${request.method} ${path ?? toLoggedPath(request)}`;
};
