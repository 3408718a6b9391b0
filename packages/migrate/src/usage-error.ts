/** An error that a user of the command can fix; shown without a stack. */
export class UsageError extends Error {
  override readonly name = "UsageError";
  /** The exit code of the command: 2 for wrong arguments, 1 for an application that cannot be migrated. */
  readonly exitCode: 1 | 2;

  constructor(message: string, exitCode: 1 | 2 = 1) {
    super(message);
    this.exitCode = exitCode;
  }
}
