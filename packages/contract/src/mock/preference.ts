import { ApiError } from "sallyport";
import type { MockedOperation } from "./list-operations.ts";

/** What the client chooses in the header field `Prefer`. */
export interface Preference {
  readonly code?: number;
  /** The name or the index of an example, or the name of a declared error. */
  readonly example?: string;
}

export const toBadRequest = (description: string): ApiError => new ApiError("400", { description });

/**
 * Reads the preferences that belong to a mock; others are ignored.
 *
 * @throws {@link ApiError} when the operation does not declare the status.
 * @see RFC 7240, section 2
 */
export const readPreference = (
  field: string | string[] | undefined,
  { replies }: MockedOperation,
): Preference => {
  const parts = String(field ?? "")
    .split(/[,;]/)
    .map((part) => /^\s*(code|example)\s*=\s*"?([^"]*?)"?\s*$/i.exec(part));
  const find = (name: string): string | undefined =>
    parts.find((part) => part?.[1]?.toLowerCase() === name)?.[2];
  const [code, example] = [find("code"), find("example")];
  if (code !== undefined && !replies.has(Number(code)))
    throw toBadRequest(
      `Prefer: the operation declares no reply with this code; use one of ${[...replies.keys()].join(", ")}`,
    );
  return { ...(code !== undefined && { code: Number(code) }), ...(example && { example }) };
};
