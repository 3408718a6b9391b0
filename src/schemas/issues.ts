import { z } from "zod";

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
  for (const { path, message, code = "custom" } of issues) {
    const issue = { path: path.map(toShortStep), message: truncate(message, maxTextBytes), code };
    room -= Buffer.byteLength(JSON.stringify(issue));
    if (room < 0 && short.length > 0) break;
    short.push(issue);
  }
  return short;
};

const toShortStep = (step: PropertyKey): string | number =>
  typeof step === "number" ? step : truncate(String(step), maxTextBytes);

/** Makes a Zod error of the first raw issues: to finish fifty thousand would cost the server, not the client. */
export const toZodError = (issues: readonly z.core.$ZodRawIssue[]): z.ZodError =>
  new z.ZodError(
    issues
      .slice(0, maxIssues)
      .map((issue) => z.core.util.finalizeIssue(issue, undefined, z.core.config())),
  );

/**
 * Formats issues as `path: message` joined with `; `; dots for keys, `[n]` for indexes.
 *
 * @param root what the path begins with, such as `output`
 */
export const formatIssues = (issues: readonly z.core.$ZodIssue[], root?: string): string =>
  truncate(
    issues
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
