import { ReplyError } from "sallyport/client";

/** Returns the messages for each field, as reported by the API. */
export const toFieldErrors = (error: unknown): Readonly<Record<string, string>> => {
  if (!(error instanceof ReplyError)) return {};
  if (error.status === 409) return { email: "This address is taken" };
  return Object.fromEntries(error.issues.map(({ path, message }) => [path.join("."), message]));
};
