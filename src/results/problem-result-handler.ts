import { z } from "zod";
import { toStatusText } from "../http/status.ts";
import { beginError, toIssuesSchema, type ErrorAnswer } from "./answer-error.ts";
import { sendSuccess } from "./default-result-handler.ts";
import type {
  ApiResponse,
  ErrorDataPlaceholder,
  OutputPlaceholder,
  SchemaOf,
} from "./api-response.ts";
import type { InputIssue } from "./default-result-handler.ts";
import { readSafely } from "../reply/http-error.ts";
import { ResultHandler, type Result } from "./result-handler.ts";
import { sendJson } from "../reply/send-json.ts";

/**
 * The body of an error in the problem details format, `application/problem+json`.
 *
 * @see https://www.rfc-editor.org/rfc/rfc9457
 */
export interface ProblemDetails {
  /** A URI that identifies the kind of problem; `about:blank` if the status alone describes the problem. */
  readonly type: string;
  /** A short summary of the kind of problem: the reason phrase of the status, unless the error has a title. */
  readonly title: string;
  readonly status: number;
  /** An explanation of this occurrence of the problem. */
  readonly detail: string;
  /** A URI that identifies this occurrence. */
  readonly instance?: string | undefined;
  /** The invalid parts of the input; set only for an input validation error. */
  readonly issues?: readonly InputIssue[] | undefined;
  /** Further members of the error's `problem`. */
  readonly [extension: string]: unknown;
}

/**
 * The result handler of `problemEndpointsFactory`, which sends the bare output on success and problem details on error,
 * both as JSON.
 */
export interface ProblemResultHandler extends ResultHandler<
  ApiResponse<SchemaOf<OutputPlaceholder>>,
  ApiResponse<SchemaOf<ProblemDetails & { readonly data: ErrorDataPlaceholder }>>
> {}

const toNegativeSchema = (data?: z.ZodType) =>
  z.looseObject({
    type: z.string(),
    title: z.string(),
    status: z.int().min(400).max(599),
    detail: z.string(),
    instance: z.string().optional(),
    issues: toIssuesSchema(),
    ...(data && { data }),
  });

/** Reads an error's property `problem`; members whose type violates the RFC are left out. */
const readOwn = (thrown: unknown): Readonly<Record<string, unknown>> => {
  const problem = readSafely(thrown, "problem");
  if (typeof problem !== "object" || problem === null || Array.isArray(problem)) return {};
  const {
    type,
    title,
    instance,
    issues: _issues,
    toJSON: _toJSON,
    ...extensions
  } = problem as Record<string, unknown>;
  return {
    ...extensions,
    ...(typeof type === "string" && { type }),
    ...(typeof title === "string" && { title }),
    ...(typeof instance === "string" && { instance }),
  };
};

const toProblem = (
  { status, message, issues, data, isPublic }: ErrorAnswer,
  thrown: unknown,
): ProblemDetails => ({
  type: "about:blank",
  title: toStatusText(status),
  ...(isPublic && readOwn(thrown)),
  status,
  detail: message,
  ...(issues && { issues }),
  ...(data !== undefined && { data }),
});

const sendError = (result: Result, thrown: unknown): void => {
  const answer = beginError(result, thrown);
  const type = "application/problem+json; charset=utf-8";
  sendJson(result.response, answer.status, toProblem(answer, thrown), type);
};

/**
 * The result handler of `problemEndpointsFactory`.
 *
 * A success is sent as the bare output, by default with status 200, and an error as problem details with its own
 * status, both as JSON. An error can have a property `problem` with a `type`, a `title`, an `instance` and further
 * members, which are sent whenever the error's message is sent. `status`, `detail` and `issues` always come from the
 * error itself, as does `data` if the endpoint declares it.
 *
 * @see https://www.rfc-editor.org/rfc/rfc9457
 * @example
 * throw createHttpError(403, "Your balance is 30, but that costs 50", {
 *   problem: { type: "https://example.com/problems/out-of-credit", title: "Out of credit", balance: 30 },
 * });
 */
export const problemResultHandler: ProblemResultHandler = new ResultHandler({
  positive: (data) => ({ schema: data, mimeType: "application/json" }),
  negative: (data) => ({ schema: toNegativeSchema(data), mimeType: "application/problem+json" }),
  handler: (result) => {
    if (result.error) sendError(result, result.error);
    else sendSuccess(result, result.output, sendError);
  },
}) as unknown as ProblemResultHandler;
