import { ServerFault } from "../errors.ts";
import { findUnserialisable } from "./find-unserialisable.ts";
import { logServerFault } from "./log-fault.ts";
import type { Result } from "./result-handler.ts";
import { sendJson } from "./send-json.ts";

const describeFault = (output: unknown): string => {
  const text = "The output cannot be serialised as JSON";
  const found = findUnserialisable(output, "output");
  return found === undefined ? text : `${text}: ${found}`;
};

/**
 * Sends a successful result as JSON, with 200 or another success status that the handler has set, such as 201.
 *
 * @param sendError sends the fault if the body cannot be serialised as JSON
 */
export const sendSuccess = (
  result: Result,
  body: unknown,
  sendError: (result: Result, fault: ServerFault) => void,
): void => {
  const { response, request, logger } = result;
  try {
    const { statusCode } = response;
    sendJson(response, statusCode >= 200 && statusCode < 300 ? statusCode : 200, body);
  } catch (cause) {
    if (response.headersSent) throw cause;
    const fault = new ServerFault("SLP_OUTPUT_UNSERIALIZABLE", describeFault(result.output), cause);
    logServerFault(logger, request, fault);
    sendError(result, fault);
  }
};
