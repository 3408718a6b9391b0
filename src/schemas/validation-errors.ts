import type { z } from "zod";
import { formatIssues } from "./issues.ts";

/**
 * The error for input that does not fit the schema of an endpoint or a middleware; the response has status 400.
 *
 * @example
 * throw new InputValidationError(zodError);
 */
export class InputValidationError extends Error {
  override readonly name = "InputValidationError";
  readonly code = "SLP_INPUT_INVALID";
  readonly statusCode = 400;
  readonly expose = true;
  /** The issues that Zod reports, at most ten; undefined if the error was created from a message alone. */
  declare readonly cause: z.ZodError | undefined;

  constructor(message: string, cause?: z.ZodError);
  /** @param cause its issues are also the message */
  constructor(cause: z.ZodError);
  constructor(given: z.ZodError | string, cause?: z.ZodError) {
    const issues = typeof given === "string" ? cause : given;
    const message = typeof given === "string" ? given : formatIssues(given.issues);
    super(message, issues && { cause: issues });
  }
}

/** The error for a handler's return value that does not fit the output schema; the response has status 500. */
export class OutputValidationError extends Error {
  override readonly name = "OutputValidationError";
  readonly code = "SLP_OUTPUT_INVALID";
  readonly statusCode = 500;
  readonly expose = false;
  /** The issues that Zod reports, at most ten; undefined if the error was created from a message alone. */
  declare readonly cause: z.ZodError | undefined;
  /** The probable mistake, for the log. */
  declare readonly hint?: string;

  constructor(message: string, cause?: z.ZodError, hint?: string);
  /** @param cause its issues are also the message */
  constructor(cause: z.ZodError);
  constructor(given: z.ZodError | string, cause?: z.ZodError, hint?: string) {
    const issues = typeof given === "string" ? cause : given;
    const message = typeof given === "string" ? given : formatIssues(given.issues, "output");
    super(message, issues && { cause: issues });
    if (hint !== undefined) this.hint = hint;
  }
}
