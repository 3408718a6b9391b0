import type { Response } from "express";
import { RequestError, ServerFault } from "../errors.ts";
import { discardRestOfBody, closeAfterReply } from "../reply/close-after-reply.ts";
import { toStatusText } from "../http/status.ts";
import {
  clearRepresentation,
  cutOff,
  watchFeeding,
  isAbandoned,
  isIdle,
  isTaken,
} from "../reply/response-state.ts";
import { ensureError, readSafely, toErrorStatus, toSendingError } from "../reply/http-error.ts";
import {
  logClientFault,
  logHandledFault,
  logServerFault,
  toLoggedPath,
} from "../results/log-fault.ts";
import type { AnyResultHandler, Result } from "../results/result-handler.ts";
import { logAbandoned, logLateFault } from "./log-abandoned.ts";
import { sentByHandler, type RequestState } from "./request-state.ts";
import type { ErrorData } from "./endpoint-plan.ts";
import { formatIssues, InputValidationError, toZodError } from "../schemas/issues.ts";
import { validate } from "./validate.ts";

/**
 * How long a result handler may take to send the response after it has returned, in milliseconds, until a warning is
 * logged and until sallyport responds instead; if it returned a promise, sallyport does so after the first time. Files
 * and pages begin well within a second, and after 30, as after the default `responseIdleTimeout`, clients have given up.
 */
export const sendingGrace = 1000;
export const sendingLimit = 30_000;

/** Responds with an error that has occurred before an endpoint was reached; never rejects. */
export const refuse = async (
  state: RequestState,
  error: unknown,
  handler: AnyResultHandler,
): Promise<void> => {
  const { request, response } = state;
  try {
    state.resultHandler = handler;
    state.isSending = false;
    if (error instanceof RequestError && error.endsConnection) closeAfterReply(request, response);
    await sendError(state, error instanceof RequestError ? error : toSendingError(error));
  } catch (defect) {
    recover(state, defect);
  }
};

/** Logs any thrown value and passes it to the result handler, or cuts off a response that has begun. */
export const sendError = (state: RequestState, thrown: unknown): Promise<void> | undefined => {
  const { request, response, logger } = state;
  const error = ensureError(thrown);
  const isUnsent = !isTaken(response) && !state.isReplyKept;
  if (isAbandoned(response) && (isUnsent || isDeparture(error))) {
    if (!isDeparture(error)) logLateFault(state, error);
    else if (!response.writableFinished) logAbandoned(state);
    return undefined;
  }
  if (isTaken(response)) {
    // a handler that the end of its response or its time limit has stopped is not at fault
    const isStopped = isDeparture(error) || state.isLate;
    if (!response.writableEnded || !isStopped) logAndCutOff(state, error);
    return undefined;
  }
  const status = toErrorStatus(error);
  if (status < 500) logClientFault(logger, request, status, error);
  else {
    logHandledFault(logger, request, error);
    const { offerFault } = state.service;
    const offered = state.mayOfferFault ? offerFault?.(error, request, response) : undefined;
    state.mayOfferFault = false;
    if (offered) return sendOffered(state, offered);
  }
  return sendResult(state, error);
};

/** Responds with the fault that the application's error handlers have passed on, unless one of them has responded. */
const sendOffered = async (state: RequestState, offered: Promise<unknown>): Promise<void> => {
  const left = await offered;
  if (left === sentByHandler) return;
  const error = ensureError(left);
  // a handler that has begun the response has failed to end it
  if (isTaken(state.response)) logAndCutOff(state, error);
  else await sendResult(state, error);
};

/** Responds with an error if Express has failed to send something for a handler, such as a missing file. */
export const interruptSending = (state: RequestState, thrown: unknown): void => {
  if (!state.handledError) {
    interrupt(state, thrown);
    return;
  }
  // the result handler has failed to send an error, and would fail again
  state.isSending = false;
  sendLastResort(state, thrown);
};

/** Responds with an error that occurred outside the stages, which must not send anything from now on. */
export const interrupt = (
  state: RequestState,
  thrown: unknown,
  errorData?: ReadonlyMap<number, ErrorData>,
): void => {
  if (state.isInterrupted) return;
  // a time limit has expired, and its error is being sent
  if (state.failure) {
    if (thrown !== state.failure) logLateFault(state, thrown);
    return;
  }
  state.isInterrupted = true;
  void sendFailure(state, thrown, errorData);
};

const sendFailure = async (
  state: RequestState,
  thrown: unknown,
  errorData: ReadonlyMap<number, ErrorData> | undefined,
): Promise<void> => {
  try {
    const error = toSendingError(thrown);
    state.failure ??= error;
    state.abort(error);
    state.isSending = false;
    await sendDeclaredError(errorData, state, error);
  } catch (defect) {
    state.failure ??= ensureError(defect);
    recover(state, defect);
  }
};

/** Passes the output, or an error, to the result handler; returns undefined if the handler has sent it at once. */
export const sendResult = (state: RequestState, error: Error | null): Promise<void> | undefined => {
  const { request, response, ctx, logger, output } = state;
  // an error handler of the application may have put another error in place of the declared one
  const declared = error && state.declared?.error === error ? state.declared : undefined;
  if (error) state.handledError = error;
  if (!request.complete) discardRestOfBody(request, response, error !== null);
  let input = state.combined;
  if (error && state.plan && state.body !== "failing")
    try {
      input = state.combine(state.plan);
    } catch {
      // the sources cannot be combined
    }
  try {
    const running = state.resultHandler.handle({
      input,
      output: error ? null : output,
      error,
      errorData: declared?.data,
      problem: declared?.problem,
      ctx,
      request,
      response,
      logger,
    } as Result);
    if (response.writableEnded && !(running instanceof Promise)) return undefined;
    return untilSent(state, running);
  } catch (thrown) {
    sendLastResort(state, thrown);
    return undefined;
  }
};

const untilSent = async (state: RequestState, running: unknown): Promise<void> => {
  const { response } = state;
  try {
    await running;
  } catch (error) {
    sendLastResort(state, error);
    return;
  }
  if (isIdle(response) && !isAbandoned(response))
    await waitForSending(state, running instanceof Promise);
  if (isTaken(response)) watchFeeding(response);
  if (isAbandoned(response)) return;
  if (response.headersSent && isIdle(response))
    logAndCutOff(
      state,
      toNothingSent("The result handler sent the headers but did not end the response"),
    );
  else if (!isTaken(response))
    sendLastResort(state, toNothingSent("The result handler returned without sending a response"));
};

const toNothingSent = (text: string): Error => new ServerFault("SLP_NOTHING_SENT", text);

/** The methods that tools replace to hold a response back, for example until a session is saved. */
export const senders = ["end", "json", "send"] as const;

/** Waits for a response that a tool sends later than it was asked to; cuts it off if the tool never does. */
export const waitForTool = async (state: RequestState): Promise<void> => {
  const { response } = state;
  await untilFinished(response, state.deadline?.limit ?? sendingLimit);
  state.isSending = false;
  // the tool would hold back any other response, too
  if (isIdle(response) && !isAbandoned(response))
    logAndCutOff(state, toNothingSent("A tool has held the response back"));
};

const waitForSending = async (state: RequestState, isSettled: boolean): Promise<void> => {
  const { request, response, logger } = state;
  if (senders.some((name) => Object.hasOwn(response, name))) {
    await waitForTool(state);
    return;
  }
  await untilFinished(response, sendingGrace);
  if (isSettled || !isIdle(response) || isAbandoned(response)) return;
  logger.warn("The result handler has returned, but it has not sent a response yet", {
    method: request.method,
    path: toLoggedPath(request),
  });
  await untilFinished(response, sendingLimit - sendingGrace);
};

const untilFinished = (response: Response, limit: number): Promise<void> =>
  new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      response.off("finish", end).off("close", end);
      resolve();
    };
    const timer = setTimeout(end, limit);
    response.on("finish", end).on("close", end);
  });

const sendLastResort = (state: RequestState, thrown: unknown): void => {
  const { response } = state;
  const error = ensureError(thrown);
  if (isTaken(response)) {
    // a result handler that streams fails with such an error when the client leaves
    if (isAbandoned(response) && isDeparture(error)) logAbandoned(state);
    else logAndCutOff(state, error);
    return;
  }
  recover(state, error, state.handledError);
};

/**
 * Logs an error of the framework itself, or of a result handler, and responds with 500 in plain text. Never throws.
 *
 * @param original the error that a result handler was to send
 */
export const recover = (
  { request, response, logger }: Pick<RequestState, "logger" | "request" | "response">,
  error: unknown,
  original?: Error,
): void => {
  try {
    logServerFault(logger, request, error, original);
  } catch {
    logger.error("Server fault", { error });
  }
  try {
    if (response.headersSent) {
      if (!response.writableEnded) cutOff(response);
      return;
    }
    if (response.destroyed || response.closed) return;
    const text = toStatusText(500);
    clearRepresentation(response);
    response.statusCode = 500;
    response.setHeader("Content-Type", "text/plain; charset=utf-8");
    response.setHeader("Content-Length", text.length);
    response.setHeader("Cache-Control", "no-store");
    response.setHeader("X-Content-Type-Options", "nosniff");
    response.end(request.method === "HEAD" ? undefined : text);
  } catch {
    // a method of the response was replaced, or a value that Node rejects was set
    response.destroy();
  }
};

export const isDeparture = (error: unknown): boolean =>
  ["ECONNABORTED", "ERR_STREAM_PREMATURE_CLOSE", "ABORT_ERR", "ECONNRESET", "EPIPE"].includes(
    String(readSafely(error, "code")),
  );

/** Keeps a complete response, and cuts off an incomplete one, so that the client does not take it for a complete one. */
const logAndCutOff = (state: RequestState, error: Error): void => {
  const { request, response, logger } = state;
  if (response.writableEnded) {
    warnAlreadySent(state, error);
    return;
  }
  logServerFault(logger, request, error, state.handledError);
  cutOff(response);
};

/** Logs that an output or an error was dropped because the response had already been sent. */
export const warnAlreadySent = ({ request, logger }: RequestState, error?: Error): void => {
  logger.warn("The response was already sent", {
    method: request.method,
    path: toLoggedPath(request),
    ...(error && { error }),
  });
};

/** Checks whether the framework itself created an error; such errors carry no data. */
export const isOfFramework = (error: unknown): boolean =>
  error instanceof RequestError || error instanceof InputValidationError;

/** Sends an error with what is declared of it, and its data; a fault if that does not fit the schema of its status. */
export const sendDeclaredError = async (
  declared: ReadonlyMap<number, ErrorData> | undefined,
  state: RequestState,
  thrown: unknown,
): Promise<void> => {
  const status = toErrorStatus(thrown);
  let problem = declared?.get(status);
  if (problem && isOfFramework(thrown)) problem = undefined;
  let data = problem?.parse && readSafely(thrown, "data");
  let error = thrown;
  try {
    if (problem?.parse && !(data === undefined && problem.mayLackData))
      data = await validate(problem.parse, data, (issues) => {
        const text = formatIssues(toZodError(issues).issues, "data");
        const hint = data === undefined ? ". Pass it as the property `data` of the error" : "";
        return new ServerFault(
          "SLP_ERROR_DATA",
          `The data of a thrown ${status} error does not fit the schema in \`errors\`: ${text}${hint}`,
          thrown,
        );
      });
  } catch (fault) {
    [error, data, problem] = [fault, undefined, undefined];
  }
  const sent = ensureError(error);
  state.declared = { error: sent, data, problem };
  await sendError(state, sent);
};
