import { RequestError } from "../errors.ts";
import { hasTooManyPairs, parseQuery } from "../http/query.ts";

/**
 * Parses a urlencoded body; repeated names become arrays.
 *
 * @throws {@link RequestError} when the body has too many fields, malformed percent-encoding, or a field named
 * `__proto__`.
 */
export const parseForm = (text: string): object => {
  // `curl -d` sends JSON with this type by default
  if (/^\s*[{[]/.test(text)) throw new RequestError("SLP_BODY_JSON_AS_FORM");
  if (hasTooManyPairs(text)) throw new RequestError("SLP_BODY_TOO_MANY_FIELDS");
  return parseQuery(text, decodeStrictly, () => {
    throw new RequestError("SLP_BODY_FORBIDDEN_KEY");
  });
};

const decodeStrictly = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch (cause) {
    throw new RequestError("SLP_BODY_MALFORMED_FORM", { cause });
  }
};
