import { ServerFault } from "../../basics/errors.ts";
import { findExchange } from "../../wire/exchange/exchange.ts";
import { toLoggedRoute } from "../../basics/http/logged-path.ts";
import { warnSampled } from "../../basics/logger/sampling.ts";
import { show } from "../../basics/messages/show.ts";
import { toUnserialisable } from "../../wire/reply/find-unserialisable.ts";
import { ensureError } from "../../wire/reply/http-error.ts";
import { listFields, sendReply, type Reply } from "../../wire/reply/send-reply.ts";
import { beginError, type ErrorAnswer } from "./begin-error.ts";
import { logServerFault } from "./log-fault.ts";
import type { Result } from "./result.ts";

/** A reply whose body is JSON, whatever it is. */
interface JsonReply extends Reply {
  readonly json?: unknown;
}

/** Writes the reply for a result; of an error, it also receives the parts that a client may see. */
export type WriteReply = (
  result: Result,
  answer: ErrorAnswer | undefined,
) => JsonReply | Promise<JsonReply>;

/** Makes a writer the `reply` of a ready-made result handler, whose declarations it fits. */
export const toReply = (write: WriteReply): ((result: Result) => Reply<never>) =>
  write as (result: Result) => Reply<never>;

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
  const types = new Map<number, string>();
  const findType = (status: number, isError: boolean): string => {
    const type = toType(status, isError);
    types.set(status, type);
    return type;
  };
  const send = (
    result: Result,
    shown: ErrorAnswer | undefined,
    reply: JsonReply,
  ): Promise<void> | undefined => {
    const { response, error, errorData } = result;
    if (typeof reply !== "object" || reply === null) throw toNoReply(reply);
    const { statusCode: set } = response;
    const isSuccess = set >= 200 && set < 300;
    const status = reply.status ?? shown?.status ?? (isSuccess ? set : warnOfStatus(result, set));
    try {
      const type = types.get(status) ?? findType(status, shown !== undefined);
      return sendReply(response, status, reply, type);
    } catch (cause) {
      const isSent = findExchange(response)?.sentStatus !== undefined;
      if (isSent || (error && errorData === undefined)) throw cause;
      for (const [name] of listFields(reply.headers)) response.removeHeader(name);
      const fault = toFault(result, reply.json ?? reply.body, cause);
      logServerFault(result.logger, result.request, fault, error ?? undefined);
      return answer({ ...result, ...withoutData, output: null, error: fault });
    }
  };
  const answer = (result: Result): Promise<void> | undefined => {
    const shown = result.error ? beginError(result) : undefined;
    const reply = write(result, shown);
    // a promise may come from another realm, such as that of Jest
    const { then } = Object(reply) as Partial<Promise<JsonReply>>;
    if (typeof then === "function")
      return (reply as Promise<JsonReply>).then((late) => send(result, shown, late));
    return send(result, shown, reply as JsonReply);
  };
  return answer;
};

const withoutData = { errorData: undefined, problem: undefined } as const;

const toNoReply = (reply: unknown): ServerFault =>
  new ServerFault(
    "SLP_REPLY",
    `The \`reply\` of a result handler must return an object { status?, headers?, body? }; it returned ${show(reply)}`,
  );

/** Returns the status of an output for which a status was set that is not one of success. */
const warnOfStatus = ({ request, logger }: Result, status: number): number => {
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
