import type { Outcome } from "../../define/endpoint/outcome.ts";
import { RequestError } from "../../basics/errors.ts";
import type { EndpointPlan, PlannedRun } from "./endpoint-plan.ts";
import type { TimeLimit } from "./endpoint-run.ts";
import { logLateFault } from "./log-abandoned.ts";
import type { RequestState } from "./request-state.ts";
import { discardContent } from "./send-content.ts";

/**
 * Runs stages that have a time limit; the time spent reading the body does not count. When the limit expires, the
 * promise rejects at once, although the stages go on.
 *
 * @throws {@link RequestError} with 503 when the time limit expires.
 */
export const runWithin = async (
  run: PlannedRun,
  state: RequestState,
  runAll: () => Promise<Outcome>,
): Promise<Outcome> => {
  let rejectLate: (error: unknown) => void = () => undefined;
  const late = new Promise<never>((_resolve, reject) => {
    rejectLate = reject;
  });
  let isLate = false;
  const expire = (): void => {
    isLate = true;
    try {
      const error = toTimeout(run.plan);
      state.fail(error, isLate);
      rejectLate(error);
    } catch (defect) {
      rejectLate(defect);
    }
  };
  const timeLimit = (run.timeLimit = new Clock(run.plan.timeout, expire));
  let stages: Promise<Outcome> | undefined;
  try {
    timeLimit.start();
    stages = runAll();
    return await Promise.race([stages, late]);
  } finally {
    timeLimit.stop();
    if (isLate && stages) run.ending = endLate(run, state, stages);
  }
};

/** Waits for the stages that go on after a time limit; never rejects. */
const endLate = async (
  { plan }: PlannedRun,
  state: RequestState,
  stages: Promise<Outcome>,
): Promise<void> => {
  try {
    const outcome = await stages;
    if (plan.content && "output" in outcome) discardContent(outcome.output);
  } catch (error) {
    if (error === state.failure?.error) return;
    try {
      logLateFault(state, error);
    } catch (defect) {
      state.logger.error("Server fault", { error: defect });
    }
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

class Clock implements TimeLimit {
  readonly milliseconds: number;
  readonly #onExpire: () => void;
  #left: number;
  #since = 0;
  #isOver = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(milliseconds: number, onExpire: () => void) {
    this.milliseconds = milliseconds;
    this.#left = milliseconds;
    this.#onExpire = onExpire;
  }

  start(): void {
    if (this.#isOver) return;
    this.#since = performance.now();
    this.#timer = setTimeout(this.#onExpire, Math.max(1, this.#left));
  }

  stop(): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
  }

  async pauseFor(reading: Promise<void>): Promise<void> {
    clearTimeout(this.#timer);
    this.#left -= performance.now() - this.#since;
    try {
      await reading;
    } finally {
      this.start();
    }
  }
}
