import { parse } from "node:querystring";
import { RequestError } from "../errors.ts";

/** How many fields a form, and how many parameters a query may have. */
export const maxFields = 1000;

/** Tells whether a urlencoded text has more than the allowed pairs; cheap for short texts. */
export const hasTooManyPairs = (text: string): boolean => {
  if (text.length < maxFields) return false;
  let pairs = 1;
  for (let at = text.indexOf("&"); at >= 0; at = text.indexOf("&", at + 1))
    if (++pairs > maxFields) return true;
  return false;
};

/**
 * Parses a urlencoded body; a repeated name gives a list.
 *
 * @throws {@link RequestError} when it has too many fields, malformed percent-encoding, or a field named `__proto__`.
 */
export const parseForm = (text: string): object => {
  if (hasTooManyPairs(text)) throw new RequestError("SLP_BODY_TOO_MANY_FIELDS");
  let fault: unknown;
  // node:querystring swallows what a decoder throws, so the fault is remembered
  const decode = (encoded: string): string => {
    try {
      return decodeURIComponent(encoded);
    } catch (cause) {
      fault ??= cause;
      return encoded;
    }
  };
  const fields = parse(text, "&", "=", { maxKeys: 0, decodeURIComponent: decode });
  if (fault !== undefined) throw new RequestError("SLP_BODY_MALFORMED_FORM", undefined, fault);
  if ("__proto__" in fields) throw new RequestError("SLP_BODY_FORBIDDEN_KEY");
  return fields;
};
