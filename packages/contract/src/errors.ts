/** An error that a user of the command line can fix; shown without a stack. */
export class ContractError extends Error {
  override readonly name = "ContractError";
  /** Says that the command was called incorrectly: it exits with 2. */
  readonly code: "SLP_CLI_USAGE" | undefined;

  constructor(message: string, { isUsage = false } = {}) {
    super(message);
    this.code = isUsage ? "SLP_CLI_USAGE" : undefined;
  }
}

export const toUsageError = (message: string): ContractError =>
  new ContractError(message, { isUsage: true });
