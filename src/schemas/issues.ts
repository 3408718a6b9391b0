import { z } from "zod";

/** How many issues of one validation are reported; the rest is dropped unread. */
export const maxIssues = 10;

/** How long the text of one validation may be, in bytes. */
export const maxMessageBytes = 2048;

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
  );

const truncate = (text: string): string => {
  if (Buffer.byteLength(text) <= maxMessageBytes) return text;
  // `write` never splits a character
  const room = Buffer.alloc(maxMessageBytes - Buffer.byteLength("…"));
  return `${room.toString("utf8", 0, room.write(text))}…`;
};
