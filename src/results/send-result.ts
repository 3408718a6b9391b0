import { isPromise } from "node:util/types";
import { ServerFault } from "../errors.ts";
import { findExchange } from "../exchange/exchange.ts";
import { toLoggedRoute } from "../http/logged-path.ts";
import { warnSampled } from "../logger/sampling.ts";
import { show } from "../messages/show.ts";
import { toUnserialisable } from "../reply/find-unserialisable.ts";
import { ensureError } from "../reply/http-error.ts";
import { sendReply, type Reply } from "../reply/send-reply.ts";
import { beginError, type ErrorAnswer } from "./begin-error.ts";
import { logServerFault } from "./log-fault.ts";
import type { AcceptedOutput, Result } from "./result.ts";

/** Writes the reply for a result; of an error, it also receives the parts that a client may see. */
export type WriteReply = (
  result: Result,
  answer: ErrorAnswer | undefined,
) => Reply | Promise<Reply>;

/** Creates the `reply` of a ready-made result handler, which sends JSON, or errors as text. */
export const toReplyWriter = (
  toBody: (output: AcceptedOutput) => unknown,
  toErrorBody: (answer: ErrorAnswer, result: Result) => unknown,
): ((result: Result) => Reply<never>) => {
  const write: WriteReply = (result, answer) => ({
    body: answer ? toErrorBody(answer, result) : toBody(result.output as AcceptedOutput),
  });
  return write as (result: Result) => Reply<never>;
};

/**
 * Creates the function that sends what `write` returns. If JSON cannot represent an output, or the data of an error, the
 * fault is logged and sent in its place.
 *
 * @param toType finds the declared media type of a status
 */
export const createSending = (
  write: WriteReply,
  toType: (status: number, isError: boolean) => string,
): ((result: Result) => Promise<void> | undefined) => {
  const answer = (result: Result, thrown: unknown): Promise<void> | undefined => {
    const shown = thrown === null ? undefined : beginError(result, thrown);
    const reply = write(result, shown);
    if (isPromise(reply)) return reply.then((late) => send(result, shown, late));
    return send(result, shown, reply);
  };
  const send = (
    result: Result,
    shown: ErrorAnswer | undefined,
    reply: Reply,
  ): Promise<void> | undefined => {
    const { response, error, errorData } = result;
    assertReply(reply);
    const status = reply.status ?? shown?.status ?? toSuccessStatus(result);
    try {
      return sendReply(response, status, reply, toType(status, shown !== undefined));
    } catch (cause) {
      const isSent = findExchange(response)?.sentStatus !== undefined;
      if (isSent || (error && errorData === undefined)) throw cause;
      const fault = toFault(result, reply.body, cause);
      logServerFault(result.logger, result.request, fault, error ?? undefined);
      return answer({ ...result, ...withoutData, output: null, error: fault }, fault);
    }
  };
  return (result) => answer(result, result.error);
};

const withoutData = { errorData: undefined, problem: undefined } as const;

const assertReply = (reply: unknown): void => {
  if (typeof reply === "object" && reply !== null) return;
  throw new ServerFault(
    "SLP_REPLY",
    `The \`reply\` of a result handler must return an object { status?, headers?, body? }; it returned ${show(reply)}`,
  );
};

/** Returns the success status that the endpoint or its handler has set, such as 201. */
const toSuccessStatus = ({ response, request, logger }: Result): number => {
  const { statusCode: status } = response;
  if (status >= 200 && status < 300) return status;
  if (process.env["NODE_ENV"] !== "production") {
    const code = "SLP_WARN_STATUS_REPLACED";
    const text = `${code}: ${toLoggedRoute(request)} set the status ${status} and returned an output, which is sent with 200. Throw an error in place of returning, or send the response in the handler.`;
    warnSampled(logger, code, text, { status });
  }
  return 200;
};

/** Returns the fault that prevented a body from being sent: the body itself, or what Node has thrown. */
const toFault = ({ error, output, errorData }: Result, body: unknown, cause: unknown): Error => {
  try {
    JSON.stringify(body);
    return ensureError(cause);
  } catch {
    return error
      ? toUnserialisable("The data of an error", errorData, "data", cause)
      : toUnserialisable("The output", output, "output", cause);
  }
};
