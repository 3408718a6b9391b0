import { ReplyError } from "sallyport/client";

/** Converts an error of the API to a message for each invalid field. */
export const toFieldErrors = (error: unknown): Readonly<Record<string, string>> => {
  if (!(error instanceof ReplyError)) return {};
  if (error.status === 409) return { email: "This address is taken" };
  return Object.fromEntries(error.issues.map(({ path, message }) => [path.join("."), message]));
};
