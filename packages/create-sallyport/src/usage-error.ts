/** An error in what was typed, with the fix in its message. */
export class UsageError extends Error {
  override readonly name = "UsageError";
  /** 2 for arguments that are wrong in themselves, and 1 for those that do not fit the folder. */
  readonly exitCode: 1 | 2;

  constructor(message: string, exitCode: UsageError["exitCode"] = 2) {
    super(message);
    this.exitCode = exitCode;
  }
}
