/** What the client chooses in the header field `Prefer`. */
export interface Preference {
  readonly code?: number;
  /** The name or the index of an example, or the name of a declared error. */
  readonly example?: string;
  /** Whether examples of the whole are left out, and each reply is another one. */
  readonly isDynamic?: boolean;
}

/**
 * Reads the preferences that belong to a mock; others are ignored.
 *
 * @see RFC 7240, section 2
 */
export const readPreference = (field: string | readonly string[] | undefined): Preference => {
  const parts = String(field ?? "")
    .split(/[,;]/)
    .map((part) => /^\s*(code|example|dynamic)\s*=\s*"?([^"]*?)"?\s*$/i.exec(part));
  const find = (name: string): string | undefined =>
    parts.find((part) => part?.[1]?.toLowerCase() === name)?.[2];
  const [code, example] = [find("code"), find("example")];
  return {
    ...(code !== undefined && { code: Number(code) }),
    ...(example && { example }),
    ...(find("dynamic") === "true" && { isDynamic: true }),
  };
};
