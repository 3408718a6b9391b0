import { readProperty } from "./client-errors.ts";

interface Page {
  readonly nextCursor?: unknown;
  readonly total?: number;
  readonly limit?: number;
  readonly offset?: number;
}

const isPage = (value: unknown): value is Page =>
  readProperty(value, "nextCursor") !== undefined ||
  ["total", "limit", "offset"].every((name) => typeof readProperty(value, name) === "number");

const findPage = (response: unknown): Page | undefined => {
  const body = readProperty(response, "body");
  return [response, readProperty(response, "data"), body, readProperty(body, "data")].find(isPage);
};

/** Returns the input to add for the next page; undefined on the last page. */
export const toNextPage = (
  response: unknown,
): { readonly cursor: unknown } | { readonly offset: number } | undefined => {
  const { nextCursor = null, total = 0, limit = 0, offset = 0 } = findPage(response) ?? {};
  if (nextCursor !== null) return { cursor: nextCursor };
  return offset + limit < total ? { offset: offset + limit } : undefined;
};

/**
 * Returns whether there are more pages.
 *
 * @param response the result of `provide`, the page in it, or the result of `request`
 */
export const hasMore = (response: unknown): boolean => toNextPage(response) !== undefined;

/** Returns the data of a successful response: the `data` of the default envelope, or else the body itself. */
export const toPayload = (body: unknown): unknown =>
  readProperty(body, "status") === "success" && readProperty(body, "data") !== undefined
    ? readProperty(body, "data")
    : body;

/**
 * Returns the items of a page: the array under the given name, by default `items`, or else the first array; undefined
 * if there is none.
 *
 * @param name the name of the items, if known
 */
export const findItems = (
  response: unknown,
  name: string | undefined,
): readonly unknown[] | undefined => {
  const page: unknown = findPage(response) ?? toPayload(response);
  const named = readProperty(page, name ?? "items");
  if (Array.isArray(named)) return named;
  const parts: readonly unknown[] = Object.values(page ?? {});
  return parts.find(Array.isArray);
};
