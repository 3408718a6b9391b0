/** What follows a transformation, the refinements of a file, and how parameters of a query depend on each other, is more than a schema of the wire can say. */
export const isLenient = (path: string): boolean =>
  ["/kinds/piped", "/search/{kind}", "/broken", "/v1/users/{id}/picture"].includes(path);

/** A catch takes anything, and an option of a union drops what only the other options name. */
export const isForgiving = (path: string, mutation: string | undefined): boolean =>
  path === "/kinds/catch" ||
  (path === "/search/{kind}" && /^another query (?:name|age)$/.test(mutation ?? ""));

/** A stream that does not end has no response to check. */
export const isFinite = (at: string): boolean => at !== "get /v1/users/watch";
