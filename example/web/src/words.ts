import { ReplyError } from "sallyport/client";
import { hasStatus, isUnreachable } from "./client.ts";

const words: Readonly<Record<number, string>> = {
  400: "Something in this is not right. Check it, and try again.",
  401: "Log in again to do this.",
  412: "This has changed meanwhile. Look at it again first.",
  413: "The file is too large.",
  429: "That was too often. Wait a few minutes, and try again.",
};

/** What customers read when a call has failed. */
export const toWords = (error: Error): string => {
  if (isUnreachable(error)) return "The shop cannot be reached. Try again in a moment.";
  if (!(error instanceof ReplyError)) return error.message;
  if (error.status >= 500) return "Something has gone wrong in the shop. Try again later.";
  // the shop's own messages, such as that of a 409, are written for people; those of validators are not
  return (error.issues.length > 0 ? words[400] : words[error.status]) ?? error.message;
};

/** Tells whether nothing is at an address: no such thing, or an id that cannot be one. */
export const isMissing = (error: unknown): boolean =>
  hasStatus(error, 404) || hasStatus(error, 400);
