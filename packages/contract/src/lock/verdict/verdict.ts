import type { Change } from "../compare/change.ts";
import { applyLevel, type Levels } from "./levels.ts";
import type { Acceptance } from "../file/lock-file.ts";
import type { Bump } from "../rules/rule.ts";
import { toVisible } from "./visible.ts";

/** A change, and why it is accepted, if it is. */
export interface JudgedChange extends Change {
  readonly why?: string;
  /** Why its rule has another level in this project, if it has. */
  readonly levelWhy?: string;
}

/** The least serious level that must be accepted; what opens access counts as what breaks. */
export type FailOn = "breaking" | "warning";

export interface Verdict {
  readonly changes: readonly JudgedChange[];
  /** The release that all changes together call for; undefined if nothing has changed. */
  readonly bump: Bump | undefined;
  readonly failOn: FailOn;
  /** Whether no change is open. */
  readonly isAcceptable: boolean;
}

const ranks = { breaking: 0, access: 1, warning: 2, harmless: 3 };
const bumps = ["major", "minor", "patch"] as const;

export const judge = (
  given: readonly Change[],
  {
    accepted,
    levels,
    failOn,
  }: {
    readonly accepted: readonly Acceptance[];
    readonly levels: Levels;
    readonly failOn: FailOn;
  },
): Verdict => {
  const changes = given
    .map((one): JudgedChange => {
      const change = applyLevel(one, levels);
      const found = accepted.find((acceptance) => covers(acceptance, change));
      return toVisibleChange(found ? { ...change, why: found.why } : change);
    })
    .toSorted(
      (one, other) => ranks[one.level] - ranks[other.level] || compare(one.path, other.path),
    );
  return {
    ...{ changes, failOn },
    bump: bumps.find((bump) => changes.some((change) => change.bump === bump)),
    isAcceptable: !changes.some((change) => isOpen(change, failOn)),
  };
};

/** Shows in one line whatever the documents say, so that no report takes it for its own. */
const toVisibleChange = (change: JudgedChange): JudgedChange =>
  Object.fromEntries(
    Object.entries(change).map(([key, value]: [string, unknown]) => [
      key,
      typeof value === "string" ? toVisible(value) : value,
    ]),
  ) as unknown as JudgedChange;

/** Whether a change must be accepted, and is not. */
export const isOpen = ({ level, why }: JudgedChange, failOn: FailOn): boolean =>
  why === undefined && ranks[level] <= (failOn === "warning" ? ranks.warning : ranks.access);

export const nothing = "Nothing has changed that clients could notice.";

/** Why a change is accepted, and why its rule has another level. */
export const listReasons = ({ level, why, levelWhy }: JudgedChange): readonly string[] => [
  ...(why === undefined ? [] : [`accepted: ${why}`]),
  ...(levelWhy === undefined ? [] : [`${level} here: ${levelWhy}`]),
];

/** Whether an acceptance is about a change: its path, as reports show it, is that of the change, or a beginning. */
export const covers = ({ rule, path }: Omit<Acceptance, "why">, change: Change): boolean => {
  const shown = toVisible(change.path);
  return (
    rule === change.rule &&
    shown.startsWith(path) &&
    // a name must not end in its middle
    /^(?:$|[ .[(])/.test(shown.slice(path.length))
  );
};

const compare = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);
