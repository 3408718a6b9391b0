import { RequestError, ServerFault } from "../errors.ts";
import { readSafely, toErrorStatus } from "../reply/http-error.ts";
import { formatIssues, toZodError } from "../schemas/issues.ts";
import type { ParseResult } from "../schemas/parser.ts";
import { InputValidationError } from "../schemas/validation-errors.ts";
import type { DeclaredProblem } from "../endpoint/declared-errors.ts";
import type { ErrorData } from "./endpoint-plan.ts";
import { validate } from "./validate.ts";

/** Checks whether the framework itself created an error; such errors carry no data. */
export const isOfFramework = (error: unknown): boolean =>
  error instanceof RequestError || error instanceof InputValidationError;

/** The error to respond with. */
interface CheckedError {
  /** The error that was thrown, or a fault if its data does not fit the schema. */
  readonly error: unknown;
  readonly data?: unknown;
  readonly problem?: DeclaredProblem | undefined;
}

/** Returns what is declared of an error, whose data is parsed with the schema declared for its status. */
export const checkErrorData = async (
  plans: ReadonlyMap<number, ErrorData>,
  thrown: unknown,
): Promise<CheckedError> => {
  if (isOfFramework(thrown)) return { error: thrown };
  const status = toErrorStatus(thrown);
  const problem = plans.get(status);
  if (!problem?.parse) return { error: thrown, problem };
  const { parse, mayLackData } = problem;
  const data = readSafely(thrown, "data");
  if (data === undefined && mayLackData) return { error: thrown, problem };
  const toError = (issues: ParseResult["issues"]): Error =>
    new ServerFault(
      "SLP_ERROR_DATA",
      `The data of a thrown ${status} error does not fit the schema in \`errors\`: ${formatIssues(toZodError(issues).issues, "data")}`,
      thrown,
    );
  try {
    return { error: thrown, problem, data: await validate(parse, data, toError) };
  } catch (error) {
    return { error };
  }
};
