import { z } from "zod";

type Issue = z.core.$ZodIssue;
type UnionIssue = z.core.$ZodIssueInvalidUnion & { readonly inclusive?: boolean };

/** The depth to which nested unions are searched; deeper unions are reported as Zod reports them. */
const maxDepth = 8;

/** The number of an alternative's issues that are looked at; an array in a union may have an issue per element. */
const maxLooked = 100;

/**
 * Explains why a value does not fit a union: returns the issues of the nearest alternative, with their full paths,
 * instead of "Invalid input" at the union itself.
 *
 * @returns the issue itself if it does not come from a union, or if the application has set its message
 */
export const toNearestIssues = (issue: Issue, depth = 0): readonly Issue[] => {
  if (issue.code !== "invalid_union" || depth >= maxDepth) return [issue];
  const alternatives = listAlternatives(issue, depth);
  if (alternatives.length === 0 || !hasOwnText(issue)) return [issue];
  const within = (found: readonly Issue[]): Issue[] =>
    found.map((one) => ({ ...one, path: [...issue.path, ...one.path] }));
  // the value is of a kind that no alternative accepts
  if (alternatives.every(isOfOtherKind))
    return within([{ ...issue, path: [], message: joinKinds(alternatives.flat()) }]);
  const ranked = alternatives
    .filter((one) => !isOfOtherKind(one))
    .toSorted((one, other) => rank(one) - rank(other));
  const [nearest = []] = ranked;
  const tag = nearest.find(isWrongTag);
  // if the tag is wrong, it is unclear which alternative is meant, so missing fields are not reported
  return within(tag ? [joinTags(tag, ranked.flat())] : nearest);
};

const listAlternatives = ({ errors }: UnionIssue, depth: number): Issue[][] =>
  errors
    .filter((one) => one.length > 0)
    .map((one) => one.slice(0, maxLooked).flatMap((nested) => toNearestIssues(nested, depth + 1)));

/** Checks whether the message of an issue is Zod's own, in any language. */
const hasOwnText = ({ message, ...raw }: UnionIssue): boolean => {
  const localized = z.core.config().localeError?.({ ...raw, input: undefined });
  const text = typeof localized === "string" ? localized : localized?.message;
  return message === (text ?? "Invalid input");
};

const isOfOtherKind = (issues: readonly Issue[]): boolean =>
  issues.some(
    ({ path, code }) => path.length === 0 && code !== "unrecognized_keys" && code !== "custom",
  );

/** Returns how far an alternative is from the value; wrong fixed values count most. */
const rank = (issues: readonly Issue[]): number =>
  issues.filter(isWrongTag).length * 1000 + issues.length;

const isWrongTag = ({ code, path }: Issue): boolean => code === "invalid_value" && path.length > 0;

/** Joins the issues of a field for which each alternative expects a different fixed value. */
const joinTags = (tag: Issue, all: readonly Issue[]): Issue => {
  const place = z.core.toDotPath(tag.path);
  const wanted = all.filter(
    (one): one is z.core.$ZodIssueInvalidValue =>
      isWrongTag(one) && z.core.toDotPath(one.path) === place,
  );
  const values = [...new Set(wanted.flatMap((one) => one.values))];
  const [first] = wanted;
  if (!first || values.length === first.values.length) return tag;
  const named = values.slice(0, 20).map(showLiteral);
  return { ...first, values, message: `Invalid option: expected one of ${named.join("|")}` };
};

const showLiteral = (value: z.core.util.Primitive): string => {
  if (typeof value === "string") return JSON.stringify(value);
  return typeof value === "bigint" ? `${value}n` : String(value);
};

/** Joins messages as in "expected string or number, received boolean" if all have that form; otherwise lists them. */
const joinKinds = (issues: readonly Issue[]): string => {
  const texts = [...new Set(issues.map(({ message }) => message))];
  const received = texts[0]?.slice(texts[0].lastIndexOf(", received ")) ?? "";
  const hasForm = (text: string): boolean =>
    text.startsWith(expectation) && text.endsWith(received) && received.startsWith(", received ");
  if (!texts.every(hasForm)) return texts.slice(0, 5).join(", or ");
  const expected = texts.map((text) => text.slice(expectation.length, -received.length));
  return `${expectation}${expected.join(" or ")}${received}`;
};

const expectation = "Invalid input: expected ";
