import type { Host } from "./ensure-hosts.ts";

/** Tests that fail on a host. Each other failure, and each of these that passes, fails the tests of the host. */
interface KnownDifference {
  readonly hosts: readonly Host[];
  /** The file, in `test/http/`. */
  readonly file: string;
  /** The full names of the tests; `all` if the file is not run there. */
  readonly tests: readonly string[] | "all";
  readonly why: string;
}

export const knownDifferences: readonly KnownDifference[] = [];
