import { ReplyError } from "sallyport/client";
import { hasStatus, isUnreachable } from "./client.ts";

/** For the framework's own errors, whose messages are for programmers. */
const words: Readonly<Record<number, string>> = {
  400: "Something in this is not right. Check it, and try again.",
  412: "This has changed meanwhile. Look at it again first.",
  413: "The file is too large.",
  429: "That was too often. Wait a few minutes, and try again.",
};

/** What customers read when a call has failed. */
export const toWords = (error: Error): string => {
  if (error instanceof ReplyError && isOwn(error)) return error.message;
  if (isUnreachable(error)) return "The shop cannot be reached. Try again in a moment.";
  if (!(error instanceof ReplyError)) return error.message;
  if (error.status >= 500) return "Something has gone wrong in the shop. Try again later.";
  return words[error.status] ?? error.message;
};

interface Fault {
  readonly code?: unknown;
  readonly error?: { readonly code?: unknown };
}

/** Tells whether the shop has declared an error, with words for people, such as that of a 409. */
const isOwn = ({ status, body }: ReplyError): boolean => {
  // that of a proxy is a text
  if (typeof body !== "object" || body === null) return false;
  const { code, error } = body as Fault;
  const name = error?.code ?? code;
  return typeof name === "string" ? !name.startsWith("SLP_") : status < 500;
};

/** Tells whether nothing is at an address: no such thing, or an id that cannot be one. */
export const isMissing = (error: unknown): boolean =>
  hasStatus(error, 404) || hasStatus(error, 400);
