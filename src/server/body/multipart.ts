import { RequestError } from "../../errors.ts";
import type { ContentType } from "../../http/content-type.ts";

/**
 * Returns the Content-Type field of a multipart body in the form that the parser expects.
 *
 * @throws {@link RequestError} when the field has no boundary or a malformed one.
 */
export const toMultipartField = ({ type, parameters }: ContentType): string => {
  const boundary = parameters.get("boundary") ?? "";
  if (!/^[\w'()+,./:=? -]{0,69}[\w'()+,./:=?-]$/.test(boundary))
    throw new RequestError("SLP_UPLOAD_MALFORMED");
  return `${type}; boundary="${boundary}"`;
};

/** Values by name, with arrays for repeated names. */
export type Several<T> = Record<string, T | T[]>;

/** Adds a value under a name; returns false if the name is missing or could change a prototype. */
export const add = <T>(target: Several<T>, name: string | undefined, value: T): boolean => {
  if (name === undefined || name === "" || name === "__proto__") return false;
  const known = target[name];
  if (known === undefined) target[name] = value;
  else if (Array.isArray(known)) known.push(value);
  else target[name] = [known, value];
  return true;
};
