/** Lists the characters of a text; one beyond the basic ones counts once, as in JSON Schema. */
export const toCharacters = (text: string): readonly string[] => Array.from(text);

const known = new Map<string, RegExp | undefined>();

/** Returns a pattern as a regular expression; undefined if JavaScript knows no such. */
export const toRegExp = (pattern: string): RegExp | undefined => {
  if (!known.has(pattern)) known.set(pattern, compile(pattern, "u") ?? compile(pattern, ""));
  return known.get(pattern);
};

const compile = (pattern: string, flags: string): RegExp | undefined => {
  try {
    return new RegExp(pattern, flags);
  } catch {
    return undefined;
  }
};

/** Whether a text matches a pattern; a pattern that JavaScript does not know matches everything. */
export const matches = (pattern: string, text: string): boolean =>
  toRegExp(pattern)?.test(text) ?? true;
