/** Names that similar frameworks use, with the names that this package has for the same. */
const otherNames: ReadonlyMap<string, string> = new Map([
  ["beforeParsers", "beforeRouting"],
  ["formParser", "forms"],
  ["hintAllowedMethods", "wrongMethodBehavior"],
  ["jsonParser", "bodyLimit"],
  ["methods", "method"],
  ["middleware", "handler"],
  ["mimeTypes", "mimeType"],
  ["options", "ctx"],
  ["rawParser", "bodyLimit"],
  ["recognizeMethodDependentRoutes", "methodLikeRouteBehavior"],
  ["server", "http"],
  ["statusCode", "errors"],
  ["statusCodes", "statusCode"],
  ["summary", "shortDescription"],
]);

/** Returns the known name for what similar frameworks call otherwise. */
export const findOwnName = (name: string, known: readonly string[]): string | undefined => {
  const own = otherNames.get(name);
  return own !== undefined && known.includes(own) ? own : undefined;
};
