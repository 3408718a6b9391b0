import { isPromiseLike } from "../../define/endpoint/handler-arguments.ts";
import type { Request, Response } from "../../basics/http/express-objects.ts";
import type { Logger } from "../../basics/logger/logger.ts";
import type { EndpointPlan } from "../../serve/pipeline/endpoint-plan.ts";
import type { RequestState } from "../../serve/pipeline/request-state.ts";
import { runObserved } from "../../serve/pipeline/run-observed.ts";
import type { Observation } from "../../wire/exchange/exchange.ts";

/** What observes the requests of a server; made by `openTelemetry` of `sallyport/opentelemetry`. */
export interface Telemetry {
  /**
   * Called when a request begins; returns undefined for a request that is not observed.
   *
   * @param isProbe whether the request asks for the health of the server, and neither it nor its checks shall be traced
   */
  readonly begin: (
    request: Request,
    response: Response,
    isProbe: boolean,
  ) => Observation | undefined;
  readonly tracePlan: (plan: EndpointPlan) => EndpointPlan;
}

/** Guards telemetry: whatever fails in it fails no request, and is logged once for each of its functions. */
export const guardTelemetry = (
  telemetry: Telemetry,
  logger: Logger,
  isProbe: (request: Request) => boolean,
) => {
  const failed = new Set<string>();
  const attempt = <T>(name: string, act: () => T): T | undefined => {
    const report = (error: unknown): void => {
      if (!failed.has(name)) logger.error("The telemetry failed", { error });
      failed.add(name);
    };
    try {
      const value = act();
      if (!isPromiseLike(value)) return value;
      value.then(undefined, report);
    } catch (error) {
      report(error);
    }
    return undefined;
  };
  return {
    tracePlan: (plan: EndpointPlan) =>
      attempt("tracePlan", () => telemetry.tracePlan(plan)) ?? plan,
    observe: <T>(state: RequestState, serve: () => T): T => {
      if (state.observation) return serve();
      const { request, response } = state;
      const observation = attempt("begin", () =>
        telemetry.begin(request, response, isProbe(request)),
      );
      state.observation = {
        logFields: observation?.logFields,
        recordFault: (error) => attempt("recordFault", () => observation?.recordFault(error)),
      };
      if (!observation) return serve();
      state.onEnd(() => attempt("end", () => observation.end()));
      return runObserved((run) => attempt("run", () => observation.run(run)), serve);
    },
  };
};
