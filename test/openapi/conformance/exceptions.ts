/** What follows a transformation, and how parameters of a query depend on each other, is more than a schema of the wire can say. */
export const isLenient = (path: string): boolean =>
  ["/kinds/piped", "/search/{kind}", "/broken"].includes(path);

/** A catch takes anything, and an option of a union drops what only the other options name. */
export const isForgiving = (path: string, mutation: string | undefined): boolean =>
  path === "/kinds/catch" ||
  (path === "/search/{kind}" && /^another query (?:name|age)$/.test(mutation ?? ""));
