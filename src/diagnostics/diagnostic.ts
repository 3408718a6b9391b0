import type { Operation, toQueryParser } from "../api/operation.ts";

/** A log line about something that is legal but probably unintended. */
export interface Diagnostic {
  /** The stable code with which the message begins. */
  readonly code: `SLP_WARN_${string}`;
  /** The cause, the place and the fix, in one line. */
  readonly text: string;
  readonly meta: object;
}

export const toWarning = (
  { method, path }: Operation,
  code: Diagnostic["code"],
  text: string,
  more: object = {},
): Diagnostic => ({ code, text, meta: { method, path, ...more } });

/** Returns a function that tells whether it is called with a value for the first time. */
export const onlyOnce = (): ((value: unknown) => boolean) => {
  const known = new Set<unknown>();
  return (value) => known.size < known.add(value).size;
};

/** The facts about a server that the checks need. */
export interface RoutingFacts {
  readonly queryParser: ReturnType<typeof toQueryParser>;
  readonly takesUploads: boolean;
  /** Whether native middlewares before the API may have parsed bodies in their own way. */
  readonly hasNativeParsers: boolean;
}
