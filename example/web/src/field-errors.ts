import { ReplyError } from "sallyport/client";

/** A message for each invalid field, by its name. */
export type FieldErrors = Readonly<Record<string, string>>;

/** Converts an error of the API to a message for each invalid field. */
export const toFieldErrors = (error: unknown): FieldErrors =>
  error instanceof ReplyError
    ? Object.fromEntries(error.issues.map(({ path, message }) => [path.join("."), message]))
    : {};
