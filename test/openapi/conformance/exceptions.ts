/**
 * A schema of the wire format cannot express what follows a transformation, refinements of a file, or dependencies
 * between query parameters.
 */
export const isLenient = (path: string): boolean =>
  ["/kinds/piped", "/search/{kind}", "/broken", "/v1/users/{id}/picture"].includes(path);

/** A catch accepts anything, and an option of a union drops fields that only the other options declare. */
export const isForgiving = (path: string, mutation: string | undefined): boolean =>
  path === "/kinds/catch" ||
  (path === "/search/{kind}" && /^another query (?:name|age)$/.test(mutation ?? ""));

/** A stream that does not end has no response to check. */
export const isFinite = (at: string): boolean => at !== "get /v1/users/watch";
