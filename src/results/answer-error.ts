import { z } from "zod";
import { ServerFault } from "../errors.ts";
import { loadNodeHttp } from "../lazy/node-modules.ts";
import { toStatusText } from "../http/status.ts";
import { toShortIssues, type ShortIssue } from "../schemas/issues.ts";
import { InputValidationError } from "../schemas/validation-errors.ts";
import { clearRepresentation } from "../reply/response-state.ts";
import { ensureHttpError, getMessageFromError, isPublic } from "../reply/http-error.ts";
import { logServerFault } from "./log-fault.ts";
import type { Result } from "./result-handler.ts";

/** The parts of an error that a client may see. */
export interface ErrorAnswer {
  readonly status: number;
  readonly message: string;
  /** The invalid parts of the input; set only for an input validation error that has them. */
  readonly issues: readonly ShortIssue[] | undefined;
  /** The data of the error, as declared; undefined if there is none. */
  readonly data: unknown;
  /** The declared kind of problem; undefined if there is none. */
  readonly problem: Result["problem"];
  /** Whether the client may see the error's own message. */
  readonly isPublic: boolean;
}

/** Creates the schema of {@link ErrorAnswer.issues} in a body. Only documents need it. */
export const toIssuesSchema = (): z.ZodType<ErrorAnswer["issues"]> =>
  z
    .array(
      z.object({
        path: z.array(z.union([z.string(), z.int()])),
        message: z.string(),
        code: z.string(),
      }),
    )
    .optional();

const canBeSent = (name: string, value: string): boolean => {
  const { validateHeaderName, validateHeaderValue } = loadNodeHttp();
  try {
    validateHeaderName(name);
    validateHeaderValue(name, value);
    return true;
  } catch {
    return false;
  }
};

/** Lists the header fields of an error; ignores `headers` that are not an object. */
const toEntries = (headers: unknown): [string, string][] =>
  typeof headers === "object" && headers !== null && !Array.isArray(headers)
    ? Object.entries(headers as Record<string, string>).filter(([, value]) => value !== undefined)
    : [];

/** The header fields that depend on the body. */
const bodyFields: ReadonlySet<string> = new Set([
  "content-encoding",
  "content-length",
  "content-type",
  "trailer",
  "transfer-encoding",
]);

const noDetails: Partial<Result> = {};

/**
 * Prepares a response for an error: sets the error's header fields, and those that prevent caching and MIME sniffing.
 *
 * @returns the status and the parts of the body
 */
export const beginError = (result: Result, thrown: unknown): ErrorAnswer => {
  const { request, response, logger } = result;
  const error = ensureHttpError(thrown);
  clearRepresentation(response);
  const headers = toEntries(error.headers);
  const sendable = headers.filter(([name, value]) => canBeSent(name, value));
  for (const [name, value] of sendable)
    if (!bodyFields.has(name.toLowerCase())) response.setHeader(name, value);
  response.setHeader("X-Content-Type-Options", "nosniff");
  response.setHeader("Cache-Control", "no-store");
  if (sendable.length === headers.length) {
    const { statusCode: status, cause } = error;
    const issues =
      cause instanceof InputValidationError && cause.cause
        ? toShortIssues(cause.cause.issues)
        : undefined;
    // a fault that replaces the error has no data
    const { errorData: data, problem } = thrown === result.error ? result : noDetails;
    const shown = isPublic(error);
    const message = shown ? getMessageFromError(error) : toStatusText(status);
    return { status, message, issues, data, problem, isPublic: shown };
  }
  const names = headers.filter((header) => !sendable.includes(header)).map(([name]) => name);
  const fault = new ServerFault(
    "SLP_ERROR_HEADERS",
    `The error has headers that cannot be sent: ${JSON.stringify(names)}`,
    error,
  );
  // an error with a 5xx status has been logged already
  if (error.statusCode < 500) logServerFault(logger, request, fault);
  return {
    status: 500,
    message: toStatusText(500),
    issues: undefined,
    data: undefined,
    problem: undefined,
    isPublic: false,
  };
};
