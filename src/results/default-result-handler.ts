import { z } from "zod";
import type { ShortIssue } from "../schemas/issues.ts";
import { beginError, toIssuesSchema } from "./answer-error.ts";
import type {
  ApiResponse,
  ErrorDataPlaceholder,
  OutputPlaceholder,
  SchemaOf,
} from "./api-response.ts";
import { ResultHandler, type Result } from "./result-handler.ts";
import { sendJson } from "./send-json.ts";
import { sendSuccess } from "./send-success.ts";

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

/** The body of an error whose data an endpoint declares. */
export interface ErrorEnvelopeWithData<Data> {
  readonly status: "error";
  readonly error: ErrorEnvelope["error"] & {
    /** What the error carries as `data`, by the schema in `errors`. */
    readonly data: Data;
  };
}

/** One thing that is wrong with the input: keys and indexes that lead to the field, a text, Zod's code of the issue. */
export type InputIssue = ShortIssue;

/** The result handler of `defaultEndpointsFactory`: the envelopes `success` and `error`, as JSON. */
export interface DefaultResultHandler extends ResultHandler<
  ApiResponse<SchemaOf<SuccessEnvelope<OutputPlaceholder>>>,
  ApiResponse<SchemaOf<DeclaredEnvelope>>
> {}

interface DeclaredEnvelope {
  readonly status: "error";
  readonly error: {
    readonly message: string;
    readonly issues?: readonly InputIssue[] | undefined;
    readonly data: ErrorDataPlaceholder;
  };
}

/** Made when it is asked for: the first schema of a program costs 8 ms. */
const toNegativeSchema = (data?: z.ZodType) =>
  z.object({
    status: z.literal("error"),
    error: z.object({ message: z.string(), issues: toIssuesSchema(), ...(data && { data }) }),
  });

const sendError = (result: Result, thrown: unknown): void => {
  const { status, message, issues, data } = beginError(result, thrown);
  const error = {
    message,
    ...(issues && { issues }),
    ...(data !== undefined && { data }),
  };
  sendJson(result.response, status, { status: "error", error } satisfies ErrorEnvelope);
};

/**
 * The result handler of `defaultEndpointsFactory`.
 *
 * A success is answered with `{ status: "success", data: output }` and 200, an error with
 * `{ status: "error", error: { message } }` and its status, both as JSON. Input validation adds `error.issues`, and an error
 * whose data the endpoint declares `error.data`.
 */
export const defaultResultHandler: DefaultResultHandler = new ResultHandler({
  positive: (data) => ({
    schema: z.object({ status: z.literal("success"), data }),
    mimeType: "application/json",
  }),
  negative: (data) => ({ schema: toNegativeSchema(data), mimeType: "application/json" }),
  handler: (result) => {
    if (result.error) sendError(result, result.error);
    else sendSuccess(result, { status: "success", data: result.output }, sendError);
  },
}) as unknown as DefaultResultHandler;
