/** Suggests a known name for a wrong one, as in ` Did you mean x?`; returns an empty string if there is none. */
export const suggest = (wrong: string, known: readonly string[]): string => {
  const [close] = known
    .map((name) => ({ name, distance: toDistance(wrong.toLowerCase(), name) }))
    .filter(({ name, distance }) => distance <= 3 && distance < name.length / 2)
    .toSorted((one, other) => one.distance - other.distance);
  return close ? ` Did you mean \`${close.name}\`?` : "";
};

/** Returns the Levenshtein distance: the minimum number of characters to add, remove or replace. */
const toDistance = (one: string, other: string): number => {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (const [at, letter] of Array.from(one).entries()) {
    const next = [at + 1];
    for (const [to, wanted] of Array.from(other).entries())
      next.push(
        Math.min(
          (row[to] ?? 0) + (letter === wanted ? 0 : 1),
          (row[to + 1] ?? 0) + 1,
          (next[to] ?? 0) + 1,
        ),
      );
    row = next;
  }
  return row.at(-1) ?? 0;
};
