/** An error that a user of the command line can fix; shown without a stack, and the command exits with 2. */
export class ContractError extends Error {
  override readonly name = "ContractError";
  readonly code = "SLP_CLI_USAGE";
}
