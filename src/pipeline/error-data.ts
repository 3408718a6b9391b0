import { RequestError, ServerFault } from "../errors.ts";
import { readSafely, toErrorStatus } from "../reply/http-error.ts";
import { formatIssues, toZodError } from "../schemas/issues.ts";
import type { ParseResult } from "../schemas/parser.ts";
import { InputValidationError } from "../schemas/validation-errors.ts";
import type { ErrorData } from "./endpoint-plan.ts";
import type { RequestState } from "./request-state.ts";
import { validate } from "./validate.ts";

/** Checks whether the framework itself created an error; such errors carry no data. */
export const isOfFramework = (error: unknown): boolean =>
  error instanceof RequestError || error instanceof InputValidationError;

/**
 * Keeps what is declared of an error for the result handler, and its data, parsed with the schema for its status.
 *
 * @returns the error that was thrown, or a fault if its data does not fit the schema
 */
export const checkErrorData = async (
  declared: ReadonlyMap<number, ErrorData>,
  state: RequestState,
  thrown: unknown,
): Promise<unknown> => {
  const status = toErrorStatus(thrown);
  const problem = isOfFramework(thrown) ? undefined : declared.get(status);
  const data = problem?.parse && readSafely(thrown, "data");
  const toError = (issues: ParseResult["issues"]): Error =>
    new ServerFault(
      "SLP_ERROR_DATA",
      `The data of a thrown ${status} error does not fit the schema in \`errors\`: ${formatIssues(toZodError(issues).issues, "data")}`,
      thrown,
    );
  try {
    if (problem?.parse && !(data === undefined && problem.mayLackData))
      state.errorData = await validate(problem.parse, data, toError);
    state.problem = problem;
    return thrown;
  } catch (error) {
    return error;
  }
};
