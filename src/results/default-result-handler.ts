import { z } from "zod";
import type { ShortIssue } from "../schemas/issues.ts";
import { beginError, toIssuesSchema } from "./answer-error.ts";
import type { ApiResponse, OutputPlaceholder, SchemaOf } from "./api-response.ts";
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

/** One thing that is wrong with the input: keys and indexes that lead to the field, a text, Zod's code of the issue. */
export type InputIssue = ShortIssue;

/** The result handler of `defaultEndpointsFactory`: the envelopes `success` and `error`, as JSON. */
export interface DefaultResultHandler extends ResultHandler<
  ApiResponse<SchemaOf<SuccessEnvelope<OutputPlaceholder>>>,
  ApiResponse<SchemaOf<ErrorEnvelope>>
> {}

/** Made when it is asked for: the first schema of a program costs 8 ms. */
const toNegativeSchema = () =>
  z.object({
    status: z.literal("error"),
    error: z.object({ message: z.string(), issues: toIssuesSchema() }),
  });

const sendError = (result: Result, thrown: unknown): void => {
  const { status, message, issues } = beginError(result, thrown);
  const error = issues ? { message, issues } : { message };
  sendJson(result.response, status, { status: "error", error } satisfies ErrorEnvelope);
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
  negative: () => ({ schema: toNegativeSchema(), mimeType: "application/json" }),
  handler: (result) => {
    if (result.error) sendError(result, result.error);
    else sendSuccess(result, { status: "success", data: result.output }, sendError);
  },
}) as unknown as DefaultResultHandler;
