import type { Response } from "express";
import { RequestError, ServerFault } from "../errors.ts";
import { discardRestOfBody, closeAfterReply } from "../reply/close-after-reply.ts";
import { watchFeeding, isAbandoned, isIdle, isTaken } from "../reply/response-state.ts";
import { ensureError, readSafely, toErrorStatus, toSendingError } from "../reply/http-error.ts";
import { logClientFault, logHandledFault, toLoggedPath } from "../results/log-fault.ts";
import type { DeclaredProblem } from "../endpoint/declared-errors.ts";
import type { AnyResultHandler, Result } from "../results/result-handler.ts";
import { isDeparture, logAndCutOff, recover } from "./last-resort.ts";
import { logAbandoned, logLateFault } from "./log-abandoned.ts";
import { sentByHandler, type RequestState } from "./request-state.ts";
import type { ErrorData } from "./endpoint-plan.ts";
import { OwnReply, type EndpointRun, type Outcome, type RequestContext } from "./endpoint-run.ts";
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
    state.isSending = false;
    if (error instanceof RequestError && error.endsConnection) closeAfterReply(request, response);
    await sendError(state, error instanceof RequestError ? error : toSendingError(error), {
      handler,
    });
  } catch (defect) {
    recover(state, defect);
  }
};

/** How an error is sent. */
interface Sending {
  /** The result handler; by default, that of the endpoint, or of a path without one. */
  readonly handler?: AnyResultHandler;
  /** What is declared of the error, and its parsed data. */
  readonly declared?: {
    readonly error: Error;
    readonly data: unknown;
    readonly problem: DeclaredProblem | undefined;
  };
}

/** Logs any thrown value and passes it to the result handler, or cuts off a response that has begun. */
export const sendError = (
  state: RequestState,
  thrown: unknown,
  sending?: Sending,
): Promise<void> | undefined => {
  const { request, response, logger } = state;
  const error = ensureError(thrown);
  const isUnsent = !isTaken(response) && state.run?.isReplyKept !== true;
  if (isAbandoned(response) && (isUnsent || isDeparture(error))) {
    if (!isDeparture(error)) logLateFault(state, error);
    else if (!response.writableFinished) logAbandoned(state);
    return undefined;
  }
  if (isTaken(response)) {
    // a handler that the end of its response or its time limit has stopped is not at fault
    const isStopped = isDeparture(error) || state.failure?.isLate === true;
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
    if (offered) return sendOffered(state, offered, sending);
  }
  return passError(state, error, sending);
};

/** Responds with the fault that the application's error handlers have passed on, unless one of them has responded. */
const sendOffered = async (
  state: RequestState,
  offered: Promise<unknown>,
  sending: Sending | undefined,
): Promise<void> => {
  const left = await offered;
  if (left === sentByHandler) return;
  const error = ensureError(left);
  // a handler that has begun the response has failed to end it
  if (isTaken(state.response)) logAndCutOff(state, error);
  else await passError(state, error, sending);
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
  // another error is being sent
  if (state.failure) {
    if (thrown !== state.failure.error) logLateFault(state, thrown);
    return;
  }
  void sendFailure(state, thrown, errorData);
};

const sendFailure = async (
  state: RequestState,
  thrown: unknown,
  errorData: ReadonlyMap<number, ErrorData> | undefined,
): Promise<void> => {
  try {
    const error = toSendingError(thrown);
    state.failure = { error, isLate: false };
    state.abort(error);
    state.isSending = false;
    await sendDeclaredError(errorData, state, error);
  } catch (defect) {
    state.failure ??= { error: ensureError(defect), isLate: false };
    recover(state, defect);
  }
};

/** Sends an outcome that is to be sent; returns undefined if that has been done at once. */
export const sendResult = (state: RequestState, outcome: Outcome): Promise<void> | undefined => {
  const { request, response } = state;
  if (!request.complete) discardRestOfBody(request, response, false);
  const { plan, combined: input, ctx } = state.run as EndpointRun;
  return callHandler(state, () =>
    outcome instanceof OwnReply
      ? outcome.send(response)
      : plan.endpoint.resultHandler.handle({
          ...{ input, output: outcome, error: null, errorData: undefined, problem: undefined },
          ...{ ctx, request, response, logger: state.logger },
        } as Result),
  );
};

/** Passes an error to the result handler; returns undefined if the handler has sent it at once. */
const passError = (
  state: RequestState,
  error: Error,
  { handler = toHandler(state), declared }: Sending = {},
): Promise<void> | undefined => {
  const { request, response, run, logger } = state;
  state.handledError = error;
  if (!request.complete) discardRestOfBody(request, response, true);
  let input = run?.combined ?? null;
  if (run && run.body !== "reading")
    try {
      input = run.combine(request);
    } catch {
      // the sources cannot be combined
    }
  // an error handler of the application may have put another error in place of the declared one
  const { data: errorData, problem } = (declared?.error === error ? declared : undefined) ?? {};
  const ctx = run?.ctx ?? noContext;
  return callHandler(state, () =>
    handler.handle({
      input,
      output: null,
      error,
      errorData,
      problem,
      ctx,
      request,
      response,
      logger,
    } as Result),
  );
};

const noContext: RequestContext = Object.freeze({});

/** Returns the result handler of the endpoint, or else that of errors of the path. */
const toHandler = ({ run, errorHandler }: RequestState): AnyResultHandler =>
  run?.plan.endpoint.resultHandler ?? errorHandler;

const callHandler = (state: RequestState, handle: () => unknown): Promise<void> | undefined => {
  try {
    const running = handle();
    if (state.response.writableEnded && !(running instanceof Promise)) return undefined;
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
  await untilFinished(response, state.run?.deadline?.limit ?? sendingLimit);
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
  await sendError(state, sent, { declared: { error: sent, data, problem } });
};
