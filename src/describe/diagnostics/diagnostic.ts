import type { Operation } from "../api/operation.ts";

/** A log line about something that is legal but probably unintended. */
export interface Diagnostic {
  /** The stable code with which the message begins. */
  readonly code: `SLP_WARN_${string}`;
  /** The cause, the place and the fix, in one line. */
  readonly text: string;
  readonly meta: object;
}

export interface Warning extends Omit<Diagnostic, "meta"> {
  /** The place in the code that several operations may share; it is reported once. */
  readonly at?: unknown;
  readonly meta?: object;
}

export const report = (
  operations: readonly Operation[],
  find: (operation: Operation) => readonly Warning[],
): readonly Diagnostic[] => {
  const known = new Set<unknown>();
  return operations.flatMap((operation) => {
    const { method, path } = operation;
    return find(operation).flatMap(({ at, code, text, meta }) => {
      if (known.has(at)) return [];
      if (at !== undefined) known.add(at);
      return { code, text, meta: { method, path, ...meta } };
    });
  });
};

/** The facts about a server that the checks need. */
export interface RoutingFacts {
  readonly takesUploads: boolean;
  /** Whether native middlewares before the API may have parsed bodies in their own way. */
  readonly hasNativeParsers: boolean;
}
