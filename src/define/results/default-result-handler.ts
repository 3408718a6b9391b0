import { z } from "zod";
import type { ShortIssue } from "../../basics/schemas/issues.ts";
import { toCodeSchema, toIssuesSchema, type ErrorAnswer } from "./begin-error.ts";
import type {
  ApiResponse,
  ErrorDataPlaceholder,
  OutputPlaceholder,
  SchemaOf,
} from "./api-response.ts";
import { writtenBy } from "./error-bodies.ts";
import { ResultHandler } from "./result-handler.ts";
import { toReply } from "./send-result.ts";

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
  reply: toReply(({ output }, answer) => ({
    json: answer ? toEnvelope(answer) : { status: "success", data: output },
  })),
}) as unknown as DefaultResultHandler;
