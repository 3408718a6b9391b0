import type { Telemetry } from "../pipeline/endpoint-plan.ts";
import type { RequestState } from "../pipeline/request-state.ts";
import { runSurrounded } from "../pipeline/run-surrounded.ts";

/** Serves a request, observed by the option `telemetry`. */
export type Observe = <T>(state: RequestState, serve: () => T) => T;

/** Creates the function that observes requests; a failure of the telemetry fails no request. */
export const createObserving =
  (telemetry: Telemetry): Observe =>
  (state, serve) => {
    const { request, response } = state;
    if (state.observation) return serve();
    const observation = attempt(state, () => telemetry.begin(request, response));
    if (!observation) return serve();
    state.observation = observation;
    let isEnded = false;
    const end = (): void => {
      if (isEnded) return;
      isEnded = true;
      attempt(state, observation.end);
    };
    state.harmlessFinishes++;
    state.harmlessCloses++;
    // before the listeners of tools that read what the observation knows at the end
    response.prependOnceListener("finish", end).prependOnceListener("close", end);
    return runSurrounded((run) => attempt(state, () => observation.run(run)), serve);
  };

const attempt = <T>({ logger }: RequestState, act: () => T): T | undefined => {
  try {
    return act();
  } catch (error) {
    logger.error("The telemetry failed", { error });
    return undefined;
  }
};
