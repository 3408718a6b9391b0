import { z } from "zod";
import { MarkedError, toSee } from "../errors.ts";
import { toNearestIssues } from "./nearest-issues.ts";

/** The maximum number of issues reported for one validation; further issues are dropped unread. */
export const maxIssues = 10;

export const maxMessageBytes = 2048;

const maxIssuesBytes = 4096;

const maxTextBytes = 256;

export interface ShortIssue {
  readonly path: readonly (string | number)[];
  readonly message: string;
  readonly code: string;
}

/** Returns what the JSON of an issue has at most: six bytes for a character, and some for each name and number. */
const toMostBytes = ({ path, message, code }: ShortIssue): number =>
  path.reduce<number>(
    (sum, step) => sum + 30 + (typeof step === "string" ? 6 * step.length : 0),
    6 * (message.length + code.length) + 50,
  );

/** Lists issues with shortened messages, as many as fit into the size limit. */
export const toShortIssues = (issues: readonly z.core.$ZodIssue[]): readonly ShortIssue[] => {
  const short: ShortIssue[] = [];
  let most = 0;
  for (const { path: steps, message, code = "custom" } of listReported(issues)) {
    const path = steps.map((step) =>
      typeof step === "number" ? step : truncate(String(step), maxTextBytes),
    );
    const issue = { path, message: truncate(message, maxTextBytes), code };
    most += toMostBytes(issue);
    short.push(issue);
  }
  if (most <= maxIssuesBytes) return short;
  let room = maxIssuesBytes;
  const end = short.findIndex((issue, at) => {
    room -= Buffer.byteLength(JSON.stringify(issue));
    return room < 0 && at > 0;
  });
  return end < 0 ? short : short.slice(0, end);
};

/** The text shown in place of a key that the client has chosen and that a message does not repeat. */
const hiddenKey = "…";

const maxNamedKeys = 5;

/** Matches keys that messages may repeat, because they cannot pass for other text. */
const safeKey = /^[\w.$-]{1,64}$/;

/** Reports the raw issues that it is given as its own, so that Zod completes them with messages. */
let reporter: z.ZodType | undefined;

/** Completes raw issues as Zod does before it returns an error. */
const finish = (raw: readonly z.core.$ZodRawIssue[]): readonly z.core.$ZodIssue[] => {
  reporter ??= z.unknown().check(({ value, issues }) => {
    issues.push(...(value as z.core.$ZodRawIssue[]));
  });
  return reporter.safeParse(raw).error?.issues ?? [];
};

type DeclaresKey = (key: string) => boolean;

/**
 * Creates a Zod error from the first raw issues only, because finishing fifty thousand issues would waste the server's
 * time.
 *
 * @param declares returns whether the schema declares a key; other keys of the input are named only if that is safe
 */
export const toZodError = (
  issues: readonly z.core.$ZodRawIssue[],
  declares?: DeclaresKey,
): z.ZodError => {
  const first = issues.slice(0, maxIssues);
  if (!declares) return new z.ZodError([...finish(first)]);
  const hidden = hidePaths(finish(first.map(hideNames)), declares);
  for (const issue of hidden) {
    if (issue.code !== "invalid_union") continue;
    const nearest = toNearestIssues(issue).slice(0, maxIssues).map(hideWrittenNames);
    unionIssues.set(issue, hidePaths(finish(nearest), declares));
  }
  return new z.ZodError(hidden);
};

/** The reported issues of unions, without the keys that must not be named. */
const unionIssues = new WeakMap<z.core.$ZodIssue, readonly z.core.$ZodIssue[]>();

const listReported = (issues: readonly z.core.$ZodIssue[]): readonly z.core.$ZodIssue[] =>
  issues
    .flatMap((issue) => unionIssues.get(issue) ?? toNearestIssues(issue))
    .slice(0, Math.max(maxIssues, issues.length));

const hidePaths = (
  issues: readonly z.core.$ZodIssue[],
  declares: DeclaresKey,
): z.core.$ZodIssue[] =>
  issues.map((issue) => ({
    ...issue,
    path: issue.path.map((step) =>
      typeof step === "number" || safeKey.test(String(step)) || declares(String(step))
        ? step
        : hiddenKey,
    ),
  }));

const hideNames = (issue: z.core.$ZodRawIssue): z.core.$ZodRawIssue =>
  issue.code === "unrecognized_keys" ? { ...issue, keys: hideKeys(issue.keys) } : issue;

/** Hides unsafe keys in a completed issue, whose message names all of them. */
const hideWrittenNames = (issue: z.core.$ZodIssue): z.core.$ZodRawIssue => {
  if (issue.code !== "unrecognized_keys" || issue.keys.every((key) => safeKey.test(key)))
    return issue as z.core.$ZodRawIssue;
  const { message: _message, ...rest } = issue;
  return { ...rest, keys: hideKeys(issue.keys), input: undefined };
};

const hideKeys = (keys: readonly string[]): string[] => {
  const named = keys.filter((key) => safeKey.test(key)).slice(0, maxNamedKeys);
  return named.length === keys.length ? named : [...named, hiddenKey];
};

/** Formats issues as `root.path: message`, joined with `; `. A path has dots before keys and `[n]` for indexes. */
export const formatIssues = (issues: readonly z.core.$ZodIssue[], root?: string): string => {
  const texts: string[] = [];
  for (const { path, message } of listReported(issues)) {
    const place = z.core.toDotPath(root === undefined ? path : [root, ...path]);
    texts.push(place === "" ? message : `${place}: ${message}`);
  }
  return truncate(texts.join("; "), maxMessageBytes);
};

const truncate = (text: string, bytes: number): string => {
  if (3 * text.length <= bytes || Buffer.byteLength(text) <= bytes) return text;
  // `write` never splits a character
  const room = Buffer.alloc(bytes - Buffer.byteLength("…"));
  return `${room.toString("utf8", 0, room.write(text))}…`;
};

/**
 * The error for input that does not fit the schema of an endpoint or a middleware; the response has status 400.
 *
 * @example
 * throw new InputValidationError(zodError);
 */
export class InputValidationError extends MarkedError {
  static readonly "~name" = "InputValidationError";
  override readonly name = "InputValidationError";
  readonly code = "SLP_INPUT_INVALID";
  readonly statusCode = 400;
  readonly expose = true;
  /** Set if declared header fields are invalid; the paths of the issues then begin with `headers`. */
  declare readonly source?: "headers";
  /** The issues that Zod reports, at most ten; undefined if the error was created from a message alone. */
  declare readonly cause: z.ZodError | undefined;

  constructor(message: string, cause?: z.ZodError);
  /** @param cause its issues are also the message */
  constructor(cause: z.ZodError);
  constructor(given: z.ZodError | string, cause?: z.ZodError) {
    const issues = typeof given === "string" ? cause : given;
    const message = typeof given === "string" ? given : formatIssues(given.issues);
    super(message, issues && { cause: issues });
  }
}

/** The error for a handler's return value that does not fit the output schema; the response has status 500. */
export class OutputValidationError extends MarkedError {
  static readonly "~name" = "OutputValidationError";
  override readonly name = "OutputValidationError";
  readonly code = "SLP_OUTPUT_INVALID";
  /** The address of the section that explains the code. */
  readonly see: string = toSee(this.code);
  readonly statusCode = 500;
  readonly expose = false;
  /** The issues that Zod reports, at most ten; undefined if the error was created from a message alone. */
  declare readonly cause: z.ZodError | undefined;
  /** The probable mistake, for the log. */
  declare readonly hint?: string;

  constructor(message: string, cause?: z.ZodError, hint?: string);
  /** @param cause its issues are also the message */
  constructor(cause: z.ZodError);
  constructor(given: z.ZodError | string, cause?: z.ZodError, hint?: string) {
    const issues = typeof given === "string" ? cause : given;
    const message = typeof given === "string" ? given : formatIssues(given.issues, "output");
    super(message, issues && { cause: issues });
    if (hint !== undefined) this.hint = hint;
  }
}
