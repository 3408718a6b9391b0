import { RequestError } from "../errors.ts";
import type { EndpointPlan } from "./endpoint-plan.ts";
import { logLateFault } from "./log-abandoned.ts";
import { Deadline, type RequestState } from "./request-state.ts";

/**
 * Runs stages that have a time limit; the time spent reading the body does not count. When the limit expires, the
 * promise rejects at once, although the stages go on.
 *
 * @throws {@link RequestError} with 503 when the time limit expires.
 */
export const runWithin = async (
  plan: EndpointPlan,
  state: RequestState,
  run: () => Promise<void>,
): Promise<void> => {
  let rejectLate: (error: unknown) => void = () => undefined;
  const late = new Promise<never>((_resolve, reject) => {
    rejectLate = reject;
  });
  const expire = (): void => {
    try {
      state.isLate = true;
      const error = toTimeout(plan);
      state.failure ??= error;
      state.abort(error);
      rejectLate(error);
    } catch (defect) {
      rejectLate(defect);
    }
  };
  const deadline = (state.deadline = new Deadline(plan.timeout, expire));
  let stages: Promise<void> | undefined;
  try {
    deadline.start();
    stages = run();
    await Promise.race([stages, late]);
  } finally {
    deadline.stop();
    if (state.isLate && stages)
      endLate(state, stages).catch((error: unknown) =>
        state.logger.error("Server fault", { error }),
      );
  }
};

const endLate = async (state: RequestState, stages: Promise<void>): Promise<void> => {
  try {
    await stages;
  } catch (error) {
    if (error !== state.failure) logLateFault(state, error);
  } finally {
    state.isEnded = true;
    if (state.isAnswered) state.service.running.delete(state);
  }
};

/** Creates the error for an expired time limit; its cause, which only the log shows, names the limit. */
const toTimeout = ({ endpoint, timeout }: EndpointPlan): RequestError =>
  new RequestError("SLP_HANDLER_TIMEOUT", {
    cause: new Error(
      endpoint.timeout === undefined
        ? `The \`requestTimeout\` of ${timeout} ms expired`
        : `The \`timeout\` of ${timeout} ms expired (the endpoint's own limit)`,
    ),
  });
