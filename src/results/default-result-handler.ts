import { z } from "zod";
import type { ShortIssue } from "../schemas/issues.ts";
import { beginError, toCodeSchema, toIssuesSchema, type ErrorAnswer } from "./begin-error.ts";
import type {
  ApiResponse,
  ErrorDataPlaceholder,
  OutputPlaceholder,
  SchemaOf,
} from "./api-response.ts";
import { writtenBy } from "./error-bodies.ts";
import { ResultHandler, type Result } from "./result-handler.ts";
import { sendJson } from "../reply/send-json.ts";
import { toUnserialisable } from "../reply/find-unserialisable.ts";
import { ensureError } from "../reply/http-error.ts";
import { warnSampled } from "../logger/sampling.ts";
import { logServerFault, toLoggedRoute } from "./log-fault.ts";

/** The body of a successful response. */
export interface SuccessEnvelope<Output> {
  readonly status: "success";
  readonly data: Output;
}

/** The body of an error. */
export interface ErrorEnvelope {
  readonly status: "error";
  readonly error: {
    readonly message: string;
    /** The name under which the error is declared, or the code of an error of the framework, such as `SLP_INPUT_INVALID`. */
    readonly code?: string | undefined;
    /** The invalid parts of the input; set only for an input validation error. */
    readonly issues?: readonly InputIssue[] | undefined;
  };
}

/** The body of an error whose data an endpoint declares. */
export interface ErrorEnvelopeWithData<Data> {
  readonly status: "error";
  readonly error: ErrorEnvelope["error"] & {
    /** The `data` of the error, parsed with the schema in `errors`. */
    readonly data: Data;
  };
}

/** One problem with the input: the path to the field, a message, and Zod's issue code. */
export type InputIssue = ShortIssue;

/** The result handler of `defaultEndpointsFactory`, which sends the envelopes `success` and `error` as JSON. */
export interface DefaultResultHandler extends ResultHandler<
  ApiResponse<SchemaOf<SuccessEnvelope<OutputPlaceholder>>>,
  ApiResponse<SchemaOf<ErrorEnvelopeWithData<ErrorDataPlaceholder>>>
> {}

const toEnvelope = ({ message, code, issues, data }: ErrorAnswer): ErrorEnvelope => ({
  status: "error",
  error: {
    message,
    ...(code !== undefined && { code }),
    ...(issues && { issues }),
    ...(data !== undefined && { data }),
  },
});

const sendError = (result: Result, thrown: unknown): void => {
  const answer = beginError(result, thrown);
  sendJson(result.response, answer.status, toEnvelope(answer));
};

/** Returns the fault that prevented a body from being sent: the body itself, or what Node has thrown. */
const toFault = (body: unknown, output: unknown, cause: unknown): Error => {
  try {
    JSON.stringify(body);
    return ensureError(cause);
  } catch {
    return toUnserialisable("The output", output, "output", cause);
  }
};

/**
 * Creates the handler of a result handler that sends successes as JSON, with 200 or another success status that the
 * endpoint's handler has set, such as 201.
 *
 * @param sendFault sends an error, or the fault that prevented a body from being sent
 */
export const createHandler =
  <Output>(
    toBody: (output: Output) => unknown,
    sendFault: (result: Result, thrown: unknown) => void,
  ) =>
  (result: Result): void => {
    const { response, request, logger, output, error, errorData } = result;
    if (error) {
      try {
        sendFault(result, error);
      } catch (cause) {
        if (response.headersSent || errorData === undefined) throw cause;
        const fault = toUnserialisable("The data of an error", errorData, "data", cause);
        logServerFault(logger, request, fault, error);
        sendFault(result, fault);
      }
      return;
    }
    const body = toBody(output as Output);
    try {
      const { statusCode } = response;
      const isSuccess = statusCode >= 200 && statusCode < 300;
      if (!isSuccess && process.env["NODE_ENV"] !== "production") warnOfStatus(result, statusCode);
      sendJson(response, isSuccess ? statusCode : 200, body);
    } catch (cause) {
      if (response.headersSent) throw cause;
      const fault = toFault(body, output, cause);
      logServerFault(logger, request, fault);
      sendFault(result, fault);
    }
  };

const warnOfStatus = ({ logger, request }: Result, status: number): void => {
  const code = "SLP_WARN_STATUS_REPLACED";
  const text = `${code}: ${toLoggedRoute(request)} set the status ${status} and returned an output, which is sent with 200. Throw an error in place of returning, or send the response in the handler.`;
  warnSampled(logger, code, text, { status });
};

/**
 * The result handler of `defaultEndpointsFactory`.
 *
 * A success is sent as `{ status: "success", data: output }`, by default with status 200, and an error as
 * `{ status: "error", error: { message } }` with its own status, both as JSON. Input validation errors have
 * `error.issues`, and errors with declared data have `error.data`. `error.code` is the name under which the error is
 * declared, or the code of an error of the framework.
 */
export const defaultResultHandler: DefaultResultHandler = new ResultHandler({
  positive: (data) => ({
    schema: z.object({ status: z.literal("success"), data }),
    mimeType: "application/json",
  }),
  negative: (data, _type, code) => ({
    schema: writtenBy(
      toEnvelope,
      z.object({
        status: z.literal("error"),
        error: z.object({
          message: z.string(),
          code: toCodeSchema(code),
          issues: toIssuesSchema(),
          ...(data && { data }),
        }),
      }),
    ),
    mimeType: "application/json",
  }),
  handler: createHandler((data) => ({ status: "success", data }), sendError),
}) as unknown as DefaultResultHandler;
