import { isPromise } from "node:util/types";
import type { Response } from "express";
import type { DeclaredProblem } from "../../define/endpoint/declared-errors.ts";
import { ServerFault } from "../../basics/errors.ts";
import { discardRestOfBody } from "../../wire/reply/close-after-reply.ts";
import { ensureError, readSafely } from "../../wire/reply/http-error.ts";
import { sendLastResort } from "../../wire/reply/last-resort.ts";
import { logServerFault } from "../../define/results/log-fault.ts";
import { toLoggedPath } from "../../basics/http/logged-path.ts";
import type { Result } from "../../define/results/result.ts";
import type { AnyResultHandler } from "../../define/results/result-handler.ts";
import type { RequestContext } from "./endpoint-run.ts";
import { logAbandoned } from "./log-abandoned.ts";
import type { RequestState } from "./request-state.ts";

/**
 * How long a result handler may take to send the response after it has returned, in milliseconds, until a warning is
 * logged and until sallyport responds instead; if it returned a promise, sallyport does so after the first time. Files
 * and pages begin well within a second, and after 30, as after the default `responseIdleTimeout`, clients have given up.
 */
export const sendingGrace = 1000;
export const sendingLimit = 30_000;

/**
 * Passes an output, or an error with what is declared of it, to a result handler; returns undefined if the handler has
 * sent it at once.
 */
export const callResultHandler = (
  state: RequestState,
  handler: Pick<AnyResultHandler, "handle">,
  input: Result["input"],
  output: unknown,
  error: Error | null = null,
  { data: errorData, problem }: Partial<Pick<DeclaredError, "data" | "problem">> = noDeclaration,
): Promise<void> | undefined => {
  const { request, response, run, logger } = state;
  if (!request.complete) discardRestOfBody(request, response, error !== null);
  const ctx = run ? run.ctx : noContext;
  try {
    const running = handler.handle({
      input,
      output,
      error,
      errorData,
      problem,
      ctx,
      request,
      response,
      logger,
    } as Result);
    if (state.phase === "ended" && !isPromise(running)) return undefined;
    return untilSent(state, running);
  } catch (thrown) {
    giveUp(state, thrown);
    return undefined;
  }
};

const noContext: RequestContext = Object.freeze({});
const noDeclaration = Object.freeze({});

/** An error with what is declared of it. */
export interface DeclaredError {
  readonly error: Error;
  /** The parsed data. */
  readonly data: unknown;
  readonly problem: DeclaredProblem | undefined;
}

const untilSent = async (state: RequestState, running: unknown): Promise<void> => {
  try {
    await running;
  } catch (error) {
    giveUp(state, error);
    return;
  }
  if (isAwaited(state)) await waitForSending(state, isPromise(running));
  state.watchFeeding();
  if (state.hasLeft) return;
  const { phase } = state;
  if (phase === "headed")
    giveUp(
      state,
      toNothingSent("The result handler sent the headers but did not end the response"),
    );
  else if (phase === "open")
    giveUp(state, toNothingSent("The result handler returned without sending a response"));
};

/** Checks whether nothing of a response has been sent, nothing is about to be, and the client waits. */
const isAwaited = ({ phase, hasLeft }: RequestState): boolean =>
  (phase === "open" || phase === "headed") && !hasLeft;

const toNothingSent = (text: string): Error => new ServerFault("SLP_NOTHING_SENT", text);

/** The methods that tools replace to hold a response back, for example until a session is saved. */
export const senders = ["end", "json", "send"] as const;

/** Waits for a response that a tool sends later than it was asked to; cuts it off if the tool never does. */
export const waitForTool = async (state: RequestState): Promise<void> => {
  const { response } = state;
  await untilFinished(response, state.run?.timeLimit?.milliseconds ?? sendingLimit);
  state.setSending(false);
  // the tool would hold back any other response, too
  if (isAwaited(state)) logAndCut(state, toNothingSent("A tool has held the response back"));
};

const waitForSending = async (state: RequestState, isSettled: boolean): Promise<void> => {
  const { request, response, logger } = state;
  if (senders.some((name) => Object.hasOwn(response, name))) {
    await waitForTool(state);
    return;
  }
  await untilFinished(response, sendingGrace);
  if (isSettled || !isAwaited(state)) return;
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

/**
 * Deals with a failure after which no result handler can be called: responds with 500 in plain text, or cuts off a response
 * that has begun, so that the client does not take it for a complete one. One that has ended is kept.
 */
export const giveUp = (state: RequestState, thrown: unknown): void => {
  const error = ensureError(thrown);
  const { phase } = state;
  if (phase === "open") recover(state, error, state.handledError);
  // a result handler that streams fails with such an error when the client leaves
  else if (state.hasLeft && isDeparture(error)) logAbandoned(state);
  else if (phase === "ended") warnAlreadySent(state, error);
  else logAndCut(state, error);
};

const logAndCut = (state: RequestState, error: Error): void => {
  logServerFault(state.logger, state.request, error, state.handledError);
  state.cut();
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
  sendLastResort(response);
};

export const isDeparture = (error: unknown): boolean =>
  ["ECONNABORTED", "ERR_STREAM_PREMATURE_CLOSE", "ABORT_ERR", "ECONNRESET", "EPIPE"].includes(
    String(readSafely(error, "code")),
  );

/** Logs that an output or an error was dropped because the response had already been sent. */
export const warnAlreadySent = ({ request, logger }: RequestState, error?: Error): void => {
  logger.warn("The response was already sent", {
    method: request.method,
    path: toLoggedPath(request),
    ...(error && { error }),
  });
};
