import { readDeclaration, type ApiError } from "../../define/endpoint/error-factories.ts";
import { mapError } from "../../define/endpoint/error-mapping.ts";
import { RequestError, ServerFault } from "../../basics/errors.ts";
import { closeAfterReply } from "../../wire/reply/close-after-reply.ts";
import type { CombinedInput } from "../request/combine-input.ts";
import {
  ensureError,
  readSafely,
  toErrorStatus,
  toSendingError,
} from "../../wire/reply/http-error.ts";
import { logClientFault, logHandledFault } from "../../define/results/log-fault.ts";
import type { AnyResultHandler } from "../../define/results/result-handler.ts";
import { formatIssues, InputValidationError, toZodError } from "../../basics/schemas/issues.ts";
import { callResultHandler, isDeparture, giveUp, recover, type DeclaredError } from "./answer.ts";
import {
  toOwnErrorData,
  type EndpointPlan,
  type ErrorData,
  type PlannedRun,
} from "./endpoint-plan.ts";
import { logAbandoned, logLateFault } from "./log-abandoned.ts";
import { sentByHandler, type RequestState } from "./request-state.ts";
import { validate } from "./validate.ts";

/** How an error is answered. */
export interface Answering {
  /** The result handler; by default, that of the endpoint, or of a path without one. */
  readonly handler?: AnyResultHandler;
  /** The plan of the endpoint whose stages have thrown the error. */
  readonly plan?: Pick<EndpointPlan, "challenge" | "errorData" | "errorMappers"> | undefined;
  /** Whether the error takes the place of a response that was to be sent later, as by `response.sendFile`. */
  readonly replaces?: boolean;
}

/**
 * Answers a request with anything that was thrown: logs it, offers a fault to the error handlers of the application, and
 * calls the result handler; or cuts off a response that has begun. Never rejects.
 */
export const answerError = async (
  state: RequestState,
  thrown: unknown,
  { handler = toHandler(state), plan, replaces = false }: Answering = {},
): Promise<void> => {
  try {
    if (replaces) state.setSending(false);
    let raised = ensureError(thrown);
    if (raised instanceof RequestError && raised.endsConnection)
      closeAfterReply(state.request, state.response);
    const hasLeft = isDeparture(raised) && state.hasLeft;
    if (plan && plan.errorMappers.length > 0 && !hasLeft)
      raised = await mapError(plan.errorMappers, raised, state);
    const known = findDeclared(raised, plan?.errorData);
    const found = known ? await readDeclared(raised, known) : toUndeclared(raised);
    const { error } = found;
    if (isSettled(state, error)) return;
    const offered = logAndOffer(state, error);
    const left = offered && (await offered);
    if (left === sentByHandler) return;
    const last = offered ? ensureError(left) : error;
    // a handler that has begun the response has failed to end it
    if (offered && state.phase !== "open") {
      giveUp(state, last);
      return;
    }
    state.handledError = last;
    if (plan?.challenge !== undefined) setChallenge(state, last, plan.challenge);
    // an error handler of the application may have put another error in place of the declared one
    const shown = last === error ? found : undefined;
    const sending = callResultHandler(state, handler, combineAtLast(state), null, last, shown);
    if (sending) await sending;
  } catch (defect) {
    recover(state, defect);
  }
};

/** Returns the result handler of the endpoint, or else that of errors of the path. */
const toHandler = ({ run, errorHandler }: RequestState): AnyResultHandler =>
  run?.plan.endpoint.resultHandler ?? errorHandler;

/** Checks whether the framework itself created an error; such errors carry no data. */
export const isOfFramework = (error: unknown): boolean =>
  error instanceof RequestError || error instanceof InputValidationError;

const findDeclared = (error: Error, declared: EndpointPlan["errorData"]): ErrorData | undefined => {
  const own = readDeclaration(error);
  if (own) return toOwnErrorData(own, (error as ApiError).code);
  return isOfFramework(error) ? undefined : declared?.get(toErrorStatus(error));
};

/** Sets the challenge of a 401, before a result handler, which may replace it by that of the error. */
const setChallenge = ({ response }: RequestState, error: Error, challenge: string): void => {
  if (toErrorStatus(error) === 401 && !response.hasHeader("WWW-Authenticate"))
    response.setHeader("WWW-Authenticate", challenge);
};

const toUndeclared = (error: Error): DeclaredError => ({
  ...{ error, data: undefined, problem: undefined },
});

/** Parses the data of a declared error; a fault takes its place if the data does not fit the schema of its status. */
const readDeclared = async (error: Error, problem: ErrorData): Promise<DeclaredError> => {
  const { parse, mayLackData } = problem;
  const data = parse && readSafely(error, "data");
  if (!parse || (data === undefined && mayLackData)) return { error, data, problem };
  try {
    const parsed = await validate(parse, data, (issues) => {
      const text = formatIssues(toZodError(issues).issues, "data");
      const hint = data === undefined ? ". Pass it as the property `data` of the error" : "";
      return new ServerFault(
        "SLP_ERROR_DATA",
        `The data of a thrown ${toErrorStatus(error)} error does not fit the schema in \`errors\`: ${text}${hint}`,
        error,
      );
    });
    return { error, data: parsed, problem };
  } catch (fault) {
    return toUndeclared(ensureError(fault));
  }
};

/** Checks whether an error is not sent, because the client has left or the response has begun; if so, deals with it. */
const isSettled = (state: RequestState, error: Error): boolean => {
  const { phase, hasLeft } = state;
  const isUnsent = phase === "open" && state.run?.isReplyKept !== true;
  if (hasLeft && (isUnsent || isDeparture(error))) {
    if (!isDeparture(error)) logLateFault(state, error);
    else if (!state.isDelivered) logAbandoned(state);
    return true;
  }
  if (phase === "open") return false;
  // a handler that the end of its response or its time limit has stopped is not at fault
  const isStopped = isDeparture(error) || state.failure?.isLate === true;
  if (phase !== "ended" || !isStopped) giveUp(state, error);
  return true;
};

/** Logs an error, and offers a fault to the error handlers of the application, if there are any. */
const logAndOffer = (state: RequestState, error: Error): Promise<unknown> | undefined => {
  const { request, response, logger, service } = state;
  const status = toErrorStatus(error);
  if (status < 500) {
    logClientFault(logger, request, status, error);
    return undefined;
  }
  logHandledFault(logger, request, error);
  const offered = state.isOffered ? undefined : service.offerFault?.(error, request, response);
  state.isOffered = true;
  return offered;
};

/** Returns the combined input for the result handler, unless it cannot be combined. */
const combineAtLast = ({ run, request }: RequestState): CombinedInput | null => {
  if (!run || run.body === "reading") return run?.combined ?? null;
  try {
    return run.combine(request);
  } catch {
    return run.combined;
  }
};

/** Answers with an error that occurred outside the stages, which must not send anything from now on. */
export const interrupt = (state: RequestState, thrown: unknown, plan?: Answering["plan"]): void => {
  // another error is being sent
  if (state.failure) {
    if (thrown !== state.failure.error) logLateFault(state, thrown);
    return;
  }
  const error = toSendingError(thrown);
  state.fail(error, false);
  void answerError(state, error, { plan, replaces: true });
};

/** Answers with an error if Express has failed to send something for a handler, such as a missing file. */
export const interruptSending = (state: RequestState, thrown: unknown): void => {
  if (!state.handledError) {
    interrupt(state, thrown, (state.run as PlannedRun | undefined)?.plan);
    return;
  }
  // the result handler has failed to send an error, and would fail again
  state.setSending(false);
  giveUp(state, thrown);
};
