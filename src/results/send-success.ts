import { ServerFault } from "../errors.ts";
import { findUnserialisable } from "../reply/find-unserialisable.ts";
import { ensureError } from "./http-error.ts";
import { logServerFault } from "./log-fault.ts";
import type { Result } from "./result-handler.ts";
import { sendJson } from "../reply/send-json.ts";

/** Returns the fault that prevented a body from being sent: the body itself, or what Node has thrown. */
const toFault = (body: unknown, output: unknown, cause: unknown): Error => {
  try {
    JSON.stringify(body);
    return ensureError(cause);
  } catch {
    const text = "The output cannot be serialised as JSON";
    const found = findUnserialisable(output, "output");
    return new ServerFault(
      "SLP_OUTPUT_UNSERIALIZABLE",
      found === undefined ? text : `${text}: ${found}`,
      cause,
    );
  }
};

/**
 * Sends a successful result as JSON, with 200 or another success status that the handler has set, such as 201.
 *
 * @param sendError sends the fault if the body cannot be sent
 */
export const sendSuccess = (
  result: Result,
  body: unknown,
  sendError: (result: Result, fault: Error) => void,
): void => {
  const { response, request, logger } = result;
  try {
    const { statusCode } = response;
    sendJson(response, statusCode >= 200 && statusCode < 300 ? statusCode : 200, body);
  } catch (cause) {
    if (response.headersSent) throw cause;
    const fault = toFault(body, result.output, cause);
    logServerFault(logger, request, fault);
    sendError(result, fault);
  }
};
