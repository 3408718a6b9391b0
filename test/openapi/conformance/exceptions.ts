/**
 * Checks whether valid requests to a path may be rejected: a document cannot express checks after a transformation,
 * refinements of a file, or dependencies between query parameters.
 */
export const isLenient = (path: string): boolean =>
  ["/kinds/piped", "/search/{kind}", "/broken", "/v1/users/{id}/picture"].includes(path);

/**
 * Checks whether an invalid request to a path may be accepted: a catch accepts anything, and an option of a union drops
 * fields that only other options declare.
 */
export const isForgiving = (path: string, mutation: string | undefined): boolean =>
  path === "/kinds/catch" ||
  (path === "/search/{kind}" && /^another query (?:name|age)$/.test(mutation ?? ""));

/** Checks whether the response to an operation ends; an endless stream cannot be checked. */
export const isFinite = (at: string): boolean => at !== "get /v1/users/watch";
