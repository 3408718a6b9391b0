import { z } from "zod";
import { showLiteral } from "./zod-internals.ts";

type Issue = z.core.$ZodIssue;
type UnionIssue = z.core.$ZodIssueInvalidUnion & { readonly inclusive?: boolean };

/** How deep unions within unions are looked at; what is deeper is told as Zod tells it. */
const maxDepth = 8;

/**
 * Tells what is wrong with a value of a union: the issues of the alternative that comes nearest, with their whole paths,
 * instead of "Invalid input" at the union itself.
 *
 * @returns the issue itself where it is none of a union, or where the application has given it a message
 */
export const toNearestIssues = (issue: Issue, depth = 0): readonly Issue[] => {
  if (issue.code !== "invalid_union" || depth >= maxDepth) return [issue];
  const alternatives = listAlternatives(issue, depth);
  if (alternatives.length === 0 || !hasOwnText(issue)) return [issue];
  const within = (found: readonly Issue[]): Issue[] =>
    found.map((one) => ({ ...one, path: [...issue.path, ...one.path] }));
  // a value of another kind, which none of them takes
  if (alternatives.every(isOfOtherKind))
    return within([{ ...issue, path: [], message: joinKinds(alternatives.flat()) }]);
  const ranked = alternatives
    .filter((one) => !isOfOtherKind(one))
    .toSorted((one, other) => rank(one) - rank(other));
  const [nearest = []] = ranked;
  const tag = nearest.find(isWrongTag);
  // none of the alternatives is meant for sure, so what their fields lack says nothing
  return within(tag ? [joinTags(tag, ranked.flat())] : nearest);
};

const listAlternatives = ({ errors }: UnionIssue, depth: number): Issue[][] =>
  errors
    .filter((one) => one.length > 0)
    .map((one) => one.flatMap((nested) => toNearestIssues(nested, depth + 1)));

/** Tells whether the text of an issue is that of Zod or of its language. */
const hasOwnText = (issue: UnionIssue): boolean => {
  const { localeError } = z.core.config();
  const { message, ...raw } = issue;
  const told = localeError?.({ ...raw, input: undefined });
  return message === ((typeof told === "string" ? told : told?.message) ?? "Invalid input");
};

const isOfOtherKind = (issues: readonly Issue[]): boolean =>
  issues.some(
    ({ path, code }) => path.length === 0 && code !== "unrecognized_keys" && code !== "custom",
  );

/** Fields with fixed values tell alternatives apart, so one that differs weighs more than anything else. */
const rank = (issues: readonly Issue[]): number =>
  issues.filter(isWrongTag).length * 1000 + issues.length;

const isWrongTag = ({ code, path }: Issue): boolean => code === "invalid_value" && path.length > 0;

type ValueIssue = z.core.$ZodIssueInvalidValue;

/** One issue for a field that each alternative wants another fixed value of. */
const joinTags = (tag: Issue, all: readonly Issue[]): Issue => {
  const place = z.core.toDotPath(tag.path);
  const wanted = all.filter(
    (one): one is ValueIssue => isWrongTag(one) && z.core.toDotPath(one.path) === place,
  );
  const values = [...new Set(wanted.flatMap((one) => one.values))];
  const [first] = wanted;
  if (!first || values.length === first.values.length) return tag;
  const named = values.slice(0, 20).map(showLiteral);
  return {
    ...first,
    values,
    message: `Invalid option: expected one of ${named.join("|")}`,
  };
};

/** "expected string or number, received boolean", where Zod has said the parts; otherwise what each alternative says. */
const joinKinds = (issues: readonly Issue[]): string => {
  const texts = [...new Set(issues.map(({ message }) => message))];
  const parts = texts.map(splitText);
  const [first] = parts;
  if (first && parts.every((part) => part?.received === first.received))
    return `${expectation}${parts.map((part) => part?.expected).join(" or ")}${first.received}`;
  return texts.slice(0, 5).join(", or ");
};

const expectation = "Invalid input: expected ";

const splitText = (text: string): { expected: string; received: string } | undefined => {
  const end = text.lastIndexOf(", received ");
  if (!text.startsWith(expectation) || end < 0) return undefined;
  return { expected: text.slice(expectation.length, end), received: text.slice(end) };
};
