import type { Schema } from "@sallyport/document";

/** Whether all values of a schema are of a type. */
export const isOnly = (type: string, { types, anyOf, nullable }: Schema): boolean =>
  nullable !== true &&
  (types
    ? types.length === 1 && types[0] === type
    : anyOf !== undefined && anyOf.every((one) => isOnly(type, one)));
