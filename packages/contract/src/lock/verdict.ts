import type { Change } from "./change.ts";
import type { Acceptance } from "./lock-file.ts";
import type { Bump } from "./rule.ts";

/** A change, and why it is accepted, if it is. */
export interface JudgedChange extends Change {
  readonly why?: string;
}

export interface Verdict {
  readonly changes: readonly JudgedChange[];
  /** The release that all changes together call for; undefined if nothing has changed. */
  readonly bump: Bump | undefined;
  /** Whether no change breaks clients or opens access, other than accepted ones. */
  readonly isAcceptable: boolean;
}

const ranks = { breaking: 0, access: 1, warning: 2, harmless: 3 };
const bumps = ["major", "minor", "patch"] as const;

export const judge = (changes: readonly Change[], accepted: readonly Acceptance[]): Verdict => {
  const judged = changes
    .map((change): JudgedChange => {
      const found = accepted.find((one) => covers(one, change));
      return found ? { ...change, why: found.why } : change;
    })
    .toSorted(
      (one, other) => ranks[one.level] - ranks[other.level] || compare(one.path, other.path),
    );
  return {
    changes: judged,
    bump: bumps.find((bump) => changes.some((change) => change.bump === bump)),
    isAcceptable: judged.every(({ level, why }) => why !== undefined || !needsAcceptance(level)),
  };
};

/** Whether a change of a level must be accepted. */
export const needsAcceptance = (level: Change["level"]): boolean =>
  level === "breaking" || level === "access";

/** Whether an acceptance is about a change: its path is that of the change, or a beginning. */
export const covers = ({ rule, path }: Omit<Acceptance, "why">, change: Change): boolean =>
  rule === change.rule &&
  change.path.startsWith(path) &&
  // a name must not end in its middle
  /^(?:$|[ .[(])/.test(change.path.slice(path.length));

const compare = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);
