import { retrievalNames } from "../../basics/http/method.ts";
import { parseQuery, toQueryText } from "../../basics/http/query.ts";
import type { Pagination } from "../../basics/schemas/paginated.ts";
import type { Request, Response } from "express";

/** The maximum length of the `Link` field, in characters, because proxies reject long heads. */
const maxFieldLength = 4096;

/** A link to another page: its relation and the parameters of that page. */
type PageLink = readonly [relation: string, parameters: Readonly<Record<string, string>>];

/**
 * Adds a `Link` header with links to the neighbouring pages to the response to a GET or HEAD request. Each link is a
 * query, the request's own with other pagination parameters, so no part of it comes from `Host`.
 *
 * @see RFC 8288
 */
export const setLinks = (
  { style }: Pagination,
  { request, response }: { readonly request: Request; readonly response: Response },
  output: unknown,
): void => {
  if (!retrievalNames.has(request.method)) return;
  // the client or a timeout may have ended the response during output validation
  if (response.headersSent) return;
  const page = output as Readonly<Record<string, unknown>>;
  const links = style === "offset" ? listOffsetLinks(page) : listCursorLinks(page);
  if (links.length === 0) return;
  const query = parseQuery(toQueryText(request.url));
  const own = response.getHeader("Link");
  let field = own === undefined ? "" : [own].flat().join(", ");
  for (const [relation, parameters] of links) {
    const link = `<?${toQuery(parameters, query)}>; rel="${relation}"`;
    if (relation !== "next" && field.length + link.length > maxFieldLength) break;
    field = field === "" ? link : `${field}, ${link}`;
  }
  if (field !== "") response.setHeader("Link", field);
};

/** Lists the links for offset pagination. Pages have the output's `limit`, so they never overlap. */
const listOffsetLinks = ({
  total,
  limit,
  offset,
}: Readonly<Record<string, unknown>>): PageLink[] => {
  if (!isCount(total) || !isCount(limit) || !isCount(offset) || limit === 0) return [];
  const toLink = (relation: string, start: number): PageLink => [
    relation,
    { limit: String(limit), offset: String(start) },
  ];
  const hasNext = offset + limit < total;
  const previous = Math.max(0, Math.min(offset, total) - limit);
  const last = offset + Math.floor((total - 1 - offset) / limit) * limit;
  return [
    ...(hasNext ? [toLink("next", offset + limit)] : []),
    ...(offset > 0 ? [toLink("prev", previous), toLink("first", 0)] : []),
    ...(hasNext ? [toLink("last", last)] : []),
  ];
};

const listCursorLinks = ({ nextCursor, limit }: Readonly<Record<string, unknown>>): PageLink[] =>
  typeof nextCursor === "string" && isCount(limit)
    ? [["next", { limit: String(limit), cursor: nextCursor }]]
    : [];

/** Checks whether a value is a count; a transformation in the schema may have changed the fields of the output. */
const isCount = (value: unknown): value is number =>
  typeof value === "number" && Number.isSafeInteger(value) && value >= 0;

/** Formats the query of a link and encodes every character that could end a link or a header; never throws. */
const toQuery = (
  parameters: Readonly<Record<string, string>>,
  query: Readonly<Record<string, string | string[]>>,
): string => {
  const pairs = new URLSearchParams(parameters);
  for (const [name, value] of Object.entries(query)) {
    if (Object.hasOwn(parameters, name)) continue;
    for (const one of [value].flat()) pairs.append(name, one);
  }
  return pairs.toString();
};
