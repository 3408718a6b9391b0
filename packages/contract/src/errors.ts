/** An error that a user of the command line can fix; shown without a stack. */
export class ContractError extends Error {
  override readonly name = "ContractError";
  /** Whether the command was called incorrectly; such an error exits with 2. */
  readonly isUsage: boolean;

  constructor(message: string, { isUsage = false } = {}) {
    super(message);
    this.isUsage = isUsage;
  }
}

export const toUsageError = (message: string): ContractError =>
  new ContractError(message, { isUsage: true });
