import type { CheckName } from "./check.ts";
import type { StatusTable } from "./coverage.ts";
import type { Failure } from "./session.ts";

/** What was left out, and why. */
export interface Skipped {
  /** The operation, or one of its checks. */
  readonly name: string;
  readonly reason: string;
}

/** How often a check of an operation was made. */
export interface CheckCount {
  readonly operation: string;
  readonly check: CheckName;
  readonly count: number;
  readonly failures: number;
}

/** What `verify` has found. */
export interface VerifyResult {
  /** Whether all operations keep to the document. */
  readonly ok: boolean;
  readonly failures: readonly Failure[];
  /** The statuses of each operation: declared and seen. */
  readonly table: StatusTable;
  readonly checks: readonly CheckCount[];
  readonly skipped: readonly Skipped[];
  /** What could not be checked, with the fix. */
  readonly notes: readonly string[];
  /** What generated calls follow from. */
  readonly seed: number;
  /** The number of requests that were sent. */
  readonly calls: number;
  /** The report for people. */
  readonly text: string;
}
