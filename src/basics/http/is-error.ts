import { isNativeError } from "node:util/types";

const { isError: isOfAnyRealm = isNativeError } = Error as {
  readonly isError?: (value: unknown) => boolean;
};

/** Checks for an error, which may come from another realm, such as a context of `node:vm`, in which Jest runs tests. */
export const isError = (value: unknown): value is Error =>
  value instanceof Error || (typeof value === "object" && isOfAnyRealm(value));
