import { matchParameters, type Segment } from "../path-pattern.ts";

/** A literal, or the literals around parameters. */
type Pattern = string | readonly string[];

const toPattern = (segment: Segment): Pattern => {
  if (segment.kind === "literal") return segment.text;
  return segment.kind === "rest" ? ["", ""] : segment.around;
};

const fits = (pattern: Pattern, text: string): boolean =>
  typeof pattern === "string" ? pattern === text : matchParameters(pattern, text) !== undefined;

/** Checks whether a segment of a route matches a decoded segment of a path. */
export const takes = (segment: Segment, text: string): boolean => fits(toPattern(segment), text);

/** Returns the wildcard at the end of a route, which matches the rest of a path. */
export const findRest = (segments: readonly Segment[]): Segment | undefined => {
  const last = segments.at(-1);
  return last?.kind === "rest" ? last : undefined;
};

/**
 * Finds a path that matches both of two routes.
 *
 * @param filler the value of parameters
 * @param special a value for the segment `at`, instead of a generated one
 */
export const findCommonPath = (
  one: readonly Segment[],
  other: readonly Segment[],
  filler: string,
  { at, special }: { readonly at: number; readonly special: string | undefined },
): string | undefined => {
  const parts: string[] = [];
  for (let index = 0; index < Math.max(one.length, other.length); index++) {
    const first = one[index] ?? findRest(one);
    const second = other[index] ?? findRest(other);
    if (!first || !second) return undefined;
    const [pattern, otherPattern] = [toPattern(first), toPattern(second)];
    const made = combine(pattern, otherPattern, filler);
    const part = index === at ? (special ?? made) : made;
    if (!fits(pattern, part) || !fits(otherPattern, part)) return undefined;
    parts.push(encodeURIComponent(part));
  }
  return `/${parts.join("/")}`;
};

/**
 * Combines two patterns into a string that matches both, if such a string exists: the longer start, everything in
 * between, and the longer end.
 */
const combine = (one: Pattern, other: Pattern, filler: string): string => {
  if (typeof one === "string") return one;
  if (typeof other === "string") return other;
  const longer = (text = "", otherText = ""): string =>
    text.length < otherText.length ? otherText : text;
  const between = [...one.slice(1, -1), ...other.slice(1, -1)];
  return [longer(one[0], other[0]), ...between, longer(one.at(-1), other.at(-1))].join(filler);
};
