import { validateHeaderName, validateHeaderValue } from "node:http";
import { z } from "zod";
import { InputValidationError, ServerFault } from "../errors.ts";
import { toStatusText } from "../http/status.ts";
import { toShortIssues, type ShortIssue } from "../schemas/issues.ts";
import type { AnySchema } from "../schemas/schema.ts";
import type { ApiResponse, OutputPlaceholder } from "./api-response.ts";
import { clearRepresentation } from "./clear-representation.ts";
import { ensureHttpError, toPublicMessage, type HttpError } from "./http-error.ts";
import { logServerFault } from "./log-fault.ts";
import { ResultHandler, type Result } from "./result-handler.ts";
import { sendJson } from "./send-json.ts";

/** The body of a success. */
export interface SuccessEnvelope<Output> {
  readonly status: "success";
  readonly data: Output;
}

/** The body of an error. */
export interface ErrorEnvelope {
  readonly status: "error";
  readonly error: {
    readonly message: string;
    /** What is wrong with the input; for input validation only. */
    readonly issues?: readonly InputIssue[] | undefined;
  };
}

/** One thing that is wrong with the input: keys and indexes that lead to the field, a text, Zod's code of the issue. */
export type InputIssue = ShortIssue;

interface SchemaOf<Body> extends AnySchema {
  readonly _zod: { readonly input: Body; readonly output: Body };
}

/** The result handler of `defaultEndpointsFactory`: the envelopes `success` and `error`, as JSON. */
export interface DefaultResultHandler extends ResultHandler<
  ApiResponse<SchemaOf<SuccessEnvelope<OutputPlaceholder>>>,
  ApiResponse<SchemaOf<ErrorEnvelope>>
> {}

const negative = z.object({
  status: z.literal("error"),
  error: z.object({
    message: z.string(),
    issues: z
      .array(
        z.object({
          path: z.array(z.union([z.string(), z.int()])),
          message: z.string(),
          code: z.string(),
        }),
      )
      .optional(),
  }),
});

const toErrorEnvelope = (error: HttpError): ErrorEnvelope => {
  const message = toPublicMessage(error);
  const { cause } = error;
  return cause instanceof InputValidationError
    ? { status: "error", error: { message, issues: toShortIssues(cause.cause.issues) } }
    : { status: "error", error: { message } };
};

const canBeSent = (name: string, value: string): boolean => {
  try {
    validateHeaderName(name);
    validateHeaderValue(name, value);
    return true;
  } catch {
    return false;
  }
};

/** Header fields as an error may carry them; other shapes are no fields. */
const toEntries = (headers: unknown): [string, string][] =>
  typeof headers === "object" && headers !== null && !Array.isArray(headers)
    ? Object.entries(headers as Record<string, string>).filter(([, value]) => value !== undefined)
    : [];

/** What the envelope itself decides. */
const envelopeFields: ReadonlySet<string> = new Set([
  "content-encoding",
  "content-length",
  "content-type",
  "transfer-encoding",
]);

const sendError = ({ request, response, logger }: Result, error: HttpError): void => {
  clearRepresentation(response);
  const headers = toEntries(error.headers);
  const sendable = headers.filter(([name, value]) => canBeSent(name, value));
  for (const [name, value] of sendable)
    if (!envelopeFields.has(name.toLowerCase())) response.setHeader(name, value);
  response.setHeader("X-Content-Type-Options", "nosniff");
  response.setHeader("Cache-Control", "no-store");
  if (sendable.length === headers.length) {
    sendJson(response, error.statusCode, toErrorEnvelope(error));
    return;
  }
  const names = headers.filter((header) => !sendable.includes(header)).map(([name]) => name);
  const fault = new ServerFault(
    "SLP_ERROR_HEADERS",
    `The error has header fields that cannot be sent: ${JSON.stringify(names)}`,
    error,
  );
  // that of a 5xx is logged already
  if (error.statusCode < 500) logServerFault(logger, request, fault);
  sendJson(response, 500, { status: "error", error: { message: toStatusText(500) } });
};

const sendSuccess = (result: Result & { readonly error: null }): void => {
  const { response, request, logger, output } = result;
  // a handler may have set another success, such as 201
  const status = response.statusCode < 300 ? response.statusCode : 200;
  try {
    sendJson(response, status, { status: "success", data: output });
  } catch (cause) {
    if (response.headersSent) throw cause;
    const fault = new ServerFault(
      "SLP_OUTPUT_UNSERIALIZABLE",
      "The output cannot be written as JSON",
      cause,
    );
    logServerFault(logger, request, fault);
    sendError(result, ensureHttpError(fault));
  }
};

/**
 * The result handler of `defaultEndpointsFactory`.
 *
 * A success is answered with `{ status: "success", data: output }` and 200, an error with
 * `{ status: "error", error: { message } }` and its status, both as JSON.
 */
export const defaultResultHandler: DefaultResultHandler = new ResultHandler({
  positive: (data) => ({
    schema: z.object({ status: z.literal("success"), data }),
    mimeType: "application/json",
  }),
  negative: { schema: negative, mimeType: "application/json" },
  handler: (result) => {
    if (result.error) sendError(result, ensureHttpError(result.error));
    else sendSuccess(result);
  },
}) as unknown as DefaultResultHandler;
