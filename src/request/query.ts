import type { Application } from "express";
import { RequestError } from "../errors.ts";
import { hasTooManyPairs, parseQuery } from "../http/query.ts";
import type { AppSettings } from "../reply/reply-state.ts";

/** Returns the query of a URL as it was sent, without the question mark. */
export const toQueryText = (url: string): string => {
  const start = url.indexOf("?");
  const end = url.indexOf("#");
  return start < 0 ? "" : url.slice(start + 1, end < 0 ? undefined : end);
};

/**
 * Parses a query according to the settings of an application.
 *
 * @throws {@link RequestError} when the query has too many parameters.
 */
export const readQuery = (
  query: string,
  settings: AppSettings,
  getApp: () => Application,
): unknown => {
  if (hasTooManyPairs(query)) throw new RequestError("SLP_QUERY_TOO_MANY_PARAMETERS");
  if (settings["query parser"] === "simple") return parseQuery(query);
  const parse = getApp().get("query parser fn") as ((query: string) => unknown) | undefined;
  const parsed = parse?.(query) ?? {};
  if (settings["query parser"] === "extended") dropForbidden(parsed);
  return parsed;
};

/** Deletes each `constructor` with a `prototype`; the parser has limited the depth, and has dropped `__proto__`. */
const dropForbidden = (value: unknown): void => {
  if (typeof value !== "object" || value === null) return;
  for (const [name, below] of Object.entries(value)) {
    const isForbidden =
      name === "constructor" &&
      typeof below === "object" &&
      below !== null &&
      Object.hasOwn(below, "prototype");
    if (isForbidden) Reflect.deleteProperty(value, name);
    else dropForbidden(below);
  }
};
