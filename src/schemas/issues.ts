import { z } from "zod";
import { toNearestIssues } from "./nearest-issues.ts";
import { finishIssue } from "./zod-internals.ts";

/** How many issues of one validation are reported; the rest is dropped unread. */
export const maxIssues = 10;

/** How long the text of one validation may be, in bytes. */
export const maxMessageBytes = 2048;

/** How long the list of issues of one validation may be as JSON, in bytes. */
const maxIssuesBytes = 4096;

/** How long the text of one issue and one key of its path may be, in bytes. */
const maxTextBytes = 256;

/** One thing that is wrong with a value, cut to a size that is fit to be sent. */
export interface ShortIssue {
  readonly path: readonly (string | number)[];
  readonly message: string;
  readonly code: string;
}

/** Lists issues with texts cut, as many as fit into the size that a message may have. */
export const toShortIssues = (issues: readonly z.core.$ZodIssue[]): ShortIssue[] => {
  const short: ShortIssue[] = [];
  let room = maxIssuesBytes;
  for (const { path, message, code = "custom" } of tell(issues)) {
    const issue = { path: path.map(toShortStep), message: truncate(message, maxTextBytes), code };
    room -= Buffer.byteLength(JSON.stringify(issue));
    if (room < 0 && short.length > 0) break;
    short.push(issue);
  }
  return short;
};

const toShortStep = (step: PropertyKey): string | number =>
  typeof step === "number" ? step : truncate(String(step), maxTextBytes);

/** What a key is of which the client knows the spelling, and nobody else needs it. */
const hiddenKey = "…";

/** How many unknown keys one issue names. */
const maxNamedKeys = 5;

/** Keys that are repeated in texts: no spaces, quotes or control characters, in which a text could go on. */
const safeKey = /^[\w.$-]{1,64}$/;

/**
 * Makes a Zod error of the first raw issues: to finish fifty thousand would cost the server, not the client.
 *
 * @param declares tells whether the schema spells a key; of input, other keys are named only where their spelling is safe
 */
export const toZodError = (
  issues: readonly z.core.$ZodRawIssue[],
  declares?: (key: string) => boolean,
): z.ZodError =>
  new z.ZodError(
    issues.slice(0, maxIssues).map((issue) => {
      if (!declares) return finish(issue);
      const finished = finish(
        issue.code === "unrecognized_keys" ? { ...issue, keys: hideKeys(issue.keys) } : issue,
      );
      const hidden = hidePath(finished, declares);
      if (hidden.code === "invalid_union")
        told.set(
          hidden,
          toNearestIssues(hidden).map((one) => hidePath(hideNames(one), declares)),
        );
      return hidden;
    }),
  );

/** What is told of the issues of unions, without the keys that are not to be told. */
const told = new WeakMap<z.core.$ZodIssue, readonly z.core.$ZodIssue[]>();

/** What is told of issues, as many as are reported. */
const tell = (issues: readonly z.core.$ZodIssue[]): readonly z.core.$ZodIssue[] =>
  issues
    .flatMap((issue) => told.get(issue) ?? toNearestIssues(issue))
    .slice(0, Math.max(maxIssues, issues.length));

const hidePath = (
  issue: z.core.$ZodIssue,
  declares: (key: string) => boolean,
): z.core.$ZodIssue => ({
  ...issue,
  path: issue.path.map((step) =>
    typeof step === "number" || safeKey.test(String(step)) || declares(String(step))
      ? step
      : hiddenKey,
  ),
});

/** Zod has written the text already, with all keys. */
const hideNames = (issue: z.core.$ZodIssue): z.core.$ZodIssue => {
  if (issue.code !== "unrecognized_keys" || issue.keys.every((key) => safeKey.test(key)))
    return issue;
  const { message: _message, ...rest } = issue;
  return finish({ ...rest, keys: hideKeys(issue.keys), input: undefined });
};

const finish = (issue: z.core.$ZodRawIssue): z.core.$ZodIssue => finishIssue(issue);

const hideKeys = (keys: readonly string[]): string[] => {
  const named: string[] = [];
  for (const key of keys) {
    if (named.length === maxNamedKeys) break;
    if (safeKey.test(key)) named.push(key);
  }
  return named.length === keys.length ? named : [...named, hiddenKey];
};

/**
 * Formats issues as `path: message` joined with `; `; dots for keys, `[n]` for indexes.
 *
 * @param root what the path begins with, such as `output`
 */
export const formatIssues = (issues: readonly z.core.$ZodIssue[], root?: string): string =>
  truncate(
    tell(issues)
      .map(({ path, message }) => {
        const place = z.core.toDotPath(root === undefined ? path : [root, ...path]);
        return place === "" ? message : `${place}: ${message}`;
      })
      .join("; "),
    maxMessageBytes,
  );

const truncate = (text: string, bytes: number): string => {
  if (Buffer.byteLength(text) <= bytes) return text;
  // `write` never splits a character
  const room = Buffer.alloc(bytes - Buffer.byteLength("…"));
  return `${room.toString("utf8", 0, room.write(text))}…`;
};
