import type { z } from "zod";
import { OutputValidationError } from "../errors.ts";
import { formatIssues } from "../schemas/issues.ts";
import type { Parser } from "../schemas/parse-result.ts";
import { validate } from "./validate.ts";

/**
 * Parses what a handler returned; a promise only where the schema is asynchronous.
 *
 * @throws {@link OutputValidationError} when it does not fit.
 */
export const validateOutput = (parse: Parser, returned: unknown): unknown =>
  validate(parse, returned, toError);

const toError = (cause: z.ZodError): Error =>
  new OutputValidationError(formatIssues(cause.issues, "output"), cause);
