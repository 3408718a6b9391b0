/**
 * Says that a name is unknown, which name was probably meant, and which names exist.
 *
 * @param place the beginning of the sentence, and the prefix of each name, such as `cors.` or `--`
 */
export const describeUnknown = (
  kind: string,
  name: string,
  known: readonly string[],
  { where, prefix = "" }: { readonly where?: string; readonly prefix?: string } = {},
): string => {
  const names = known.map((one) => `${prefix}${one}`).join(", ");
  const start = where === undefined ? "There" : `${where}: there`;
  return `${start} is no ${kind} \`${prefix}${name}\`.${suggest(name, known, prefix)} The ${kind}s are ${names}.`;
};

/** Suggests a known name for a wrong one, as in ` Did you mean x?`; returns an empty string if there is none. */
export const suggest = (wrong: string, known: readonly string[], prefix = ""): string => {
  const close = known
    .map((name) => ({ name, distance: toDistance(wrong.toLowerCase(), name.toLowerCase()) }))
    .filter(({ name, distance }) => distance <= (name.length > 5 ? 3 : 2) && distance < name.length)
    .toSorted((one, other) => one.distance - other.distance)[0];
  return close ? ` Did you mean \`${prefix}${close.name}\`?` : "";
};

/** Returns the Levenshtein distance: the minimum number of characters to add, remove or replace. */
const toDistance = (one: string, other: string): number => {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let at = 0; at < one.length; at++) {
    const next = [at + 1];
    for (let to = 0; to < other.length; to++) {
      const replaced = (row[to] ?? 0) + (one[at] === other[to] ? 0 : 1);
      next.push(Math.min(replaced, (row[to + 1] ?? 0) + 1, (next[to] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
};
