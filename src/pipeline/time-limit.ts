import { RequestError } from "../errors.ts";
import type { Deadline, RequestState } from "./request-state.ts";

/** A time limit, and the option that sets it. */
export interface TimeLimit {
  readonly option: "requestTimeout" | "timeout";
  readonly milliseconds: number;
}

/**
 * Runs stages that have a time limit; the time spent reading the body does not count. When the limit expires, the
 * promise rejects at once, and `onEnd` is called once the stages have settled.
 *
 * @throws {@link RequestError} with 503 when the time limit expires.
 */
export const runWithin = async (
  limit: TimeLimit,
  state: RequestState,
  run: () => Promise<void>,
  onEnd: (late: { readonly error?: unknown }) => void,
): Promise<void> => {
  let rejectLate: (error: unknown) => void = () => undefined;
  const late = new Promise<never>((_resolve, reject) => {
    rejectLate = reject;
  });
  const expire = (): void => {
    try {
      state.isLate = true;
      const error = toTimeout(limit);
      state.failure ??= error;
      state.abort(error);
      rejectLate(error);
    } catch (defect) {
      rejectLate(defect);
    }
  };
  const deadline = new RunningDeadline(limit.milliseconds, expire);
  state.deadline = deadline;
  let stages: Promise<void> | undefined;
  try {
    deadline.start();
    stages = run();
    await Promise.race([stages, late]);
  } finally {
    deadline.stop();
    if (state.isLate)
      stages
        ?.then(
          () => onEnd({}),
          (error: unknown) => onEnd({ error }),
        )
        .catch((error: unknown) => state.logger.error("Server fault", { error }));
  }
};

/** Creates the error for an expired time limit; its cause, which only the log shows, names the limit. */
const toTimeout = ({ option, milliseconds }: TimeLimit): RequestError =>
  new RequestError("SLP_HANDLER_TIMEOUT", {
    cause: new Error(
      `The \`${option}\` of ${milliseconds} ms expired${option === "timeout" ? " (the endpoint's own limit)" : ""}`,
    ),
  });

class RunningDeadline implements Deadline {
  readonly limit: number;
  readonly #onExpire: () => void;
  #left: number;
  #since = 0;
  #isOver = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(limit: number, onExpire: () => void) {
    this.limit = limit;
    this.#left = limit;
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
