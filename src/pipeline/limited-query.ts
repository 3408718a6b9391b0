import { RequestError } from "../errors.ts";
import { hasTooManyPairs, parseQuery, type Query } from "../http/query.ts";

/**
 * Parses the query of a request.
 *
 * @param query the object that receives the parameters
 * @throws {@link RequestError} when the query has too many parameters.
 */
export const parseLimitedQuery = (text: string, query?: Query): Query => {
  if (hasTooManyPairs(text)) throw new RequestError("SLP_QUERY_TOO_MANY_PARAMETERS");
  return parseQuery(text, undefined, undefined, query);
};
