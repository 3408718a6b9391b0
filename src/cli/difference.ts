/** The maximum number of lines to show; further lines are only counted. */
const maxLines = 60;

/** Shows which lines of a text were removed (-) and added (+), each group after two lines of context. */
export const toDifference = (before: string, after: string): string => {
  const [old, own] = [before.split("\n"), after.split("\n")];
  const lines: string[] = [];
  let [at, to] = [0, 0];
  while (at < old.length || to < own.length) {
    if (old[at] === own[to]) {
      at++;
      to++;
      continue;
    }
    const [gone, come] = findNext(old, own, at, to);
    lines.push(`@@ line ${at + 1} @@`);
    for (let back = Math.max(0, at - 2); back < at; back++) lines.push(`  ${old[back]}`);
    lines.push(...old.slice(at, gone).map((line) => `- ${line}`));
    lines.push(...own.slice(to, come).map((line) => `+ ${line}`));
    [at, to] = [gone, come];
  }
  const more = lines.length - maxLines;
  return [...lines.slice(0, maxLines), ...(more > 0 ? [`... and ${more} more lines`] : [])].join(
    "\n",
  );
};

/** Finds the nearest place where both texts are the same again. */
const findNext = (
  old: readonly string[],
  own: readonly string[],
  at: number,
  to: number,
): readonly [number, number] => {
  const most = old.length - at + own.length - to;
  for (let distance = 1; distance <= most; distance++)
    for (
      let gone = Math.max(0, distance - own.length + to);
      gone <= Math.min(distance, old.length - at);
      gone++
    ) {
      const come = distance - gone;
      const [one, other] = [old[at + gone], own[to + come]];
      // a single line, such as a brace, may be the same by chance
      if (one === other && old[at + gone + 1] === own[to + come + 1]) return [at + gone, to + come];
    }
  return [old.length, own.length];
};
