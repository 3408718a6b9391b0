/** An error that a user of the command line can fix; shown without a stack. */
export class CliError extends Error {
  override readonly name = "CliError";
  readonly code: "SLP_CLI_ENTRY" | "SLP_CLI_STARTS_SERVER" | "SLP_CLI_USAGE";

  constructor(code: CliError["code"], message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
  }
}
