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

/** The data of a successful response: the `data` of the default envelope, or else the body itself. */
export type PayloadOf<Body> = Body extends { readonly status: "success"; readonly data: infer Data }
  ? Data
  : Body;

/** The type itself if it is a page; `never` otherwise. */
export type PageOf<Payload> = Payload extends
  | { readonly nextCursor: string | null }
  | { readonly total: number; readonly limit: number; readonly offset: number }
  ? Payload
  : never;

/** The pages in what `hasMore` accepts: the reply of `request`, the body in it, or the page itself. */
type PagesIn<Response> = unknown extends Response
  ? Response
  : Response extends { readonly body: infer Body }
    ? PageOf<PayloadOf<Body>>
    : PageOf<PayloadOf<Response>>;

/** Returns whether there are more pages after the result of `provide`, the page in it, or the result of `request`. */
export type HasMore = <Response>(
  response: Response &
    ([PagesIn<Response>] extends [never] ? "This is neither a page nor a reply with one" : unknown),
) => boolean;

export const hasMore: HasMore = (response) => toNextPage(response) !== undefined;

export const toPayload = (body: unknown): unknown =>
  readProperty(body, "status") === "success" && readProperty(body, "data") !== undefined
    ? readProperty(body, "data")
    : body;

/** Returns the items of a page: the array under the name, by default `items`, or else the first array. */
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
