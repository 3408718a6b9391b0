/** Checks whether Node accepts a header field. */
export const canBeSent = (name: string, value: string): boolean => {
  const { validateHeaderName, validateHeaderValue } = process.getBuiltinModule("node:http");
  try {
    validateHeaderName(name);
    validateHeaderValue(name, value);
    return true;
  } catch {
    return false;
  }
};
