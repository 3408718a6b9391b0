import { defaults } from "../../basics/defaults.ts";
import { defaultEndpointsFactory } from "../../define/endpoint/endpoints-factory.ts";
import type { Logger } from "../../basics/logger/logger.ts";
import { findState, type RequestState } from "../../serve/pipeline/request-state.ts";
import { sendJson } from "../../wire/reply/send-json.ts";
import type { EndpointEntry } from "../../define/routing/walk-routing.ts";
import type { HealthCheck, HealthOptions } from "./health-options.ts";

/** The result of a check; the reason for a failure is only logged. */
interface CheckResult {
  readonly status: "up" | "down";
  readonly milliseconds: number;
}

interface Health {
  readonly status: "up" | "degraded" | "down" | "draining";
  readonly checks?: Readonly<Record<string, CheckResult>>;
}

export const listHealthEntries = ({
  live = defaults.health.live,
  ready = defaults.health.ready,
  checks = {},
  accessLog = false,
  access,
}: HealthOptions): readonly EndpointEntry[] => {
  const runners = Object.entries(checks).map(([name, given]) => createRunner(name, given));
  const toEntry = (
    path: string,
    find: (state: RequestState) => Health | Promise<Health>,
  ): EndpointEntry => ({
    method: "get",
    path,
    endpoint: defaultEndpointsFactory.buildVoid({
      method: "get",
      access,
      // each check has its own time limit, which replaces that of requests
      timeout: 0x7fffffff,
      handler: async ({ request, response }) => {
        const state = findState(request) as RequestState;
        state.isUnlogged = !accessLog;
        const health = await find(state);
        const isServing = health.status === "up" || health.status === "degraded";
        response.setHeader("Cache-Control", "no-store");
        sendJson(response, isServing ? 200 : 503, health);
      },
    }),
  });
  return [
    toEntry(live, () => ({ status: "up" })),
    toEntry(ready, async ({ service }) => {
      if (service.running.isDraining) return { status: "draining" };
      const results = await Promise.all(
        runners.map(async (runner) => ({ ...runner, result: await runner.find(service.logger) })),
      );
      const failed = results.filter(({ result }) => result.status === "down");
      if (failed.length === 0) return { status: "up" };
      return {
        status: failed.some(({ critical }) => critical) ? "down" : "degraded",
        checks: Object.fromEntries(results.map(({ name, result }) => [name, result])),
      };
    }),
  ];
};

/** Lists the paths whose requests telemetry leaves out. */
export const listUnobserved = ({
  live = defaults.health.live,
  ready = defaults.health.ready,
  telemetry = false,
}: HealthOptions): readonly string[] => (telemetry ? [] : [live, ready]);

/** Creates what runs a check, at most once per cache time, and logs each change of its state. */
const createRunner = (name: string, given: HealthCheck | HealthCheck["check"]) => {
  const {
    check,
    critical = false,
    timeout = defaults.health.check.timeout,
    cache = defaults.health.check.cache,
  } = typeof given === "function" ? { check: given } : given;
  let latest: Promise<CheckResult> | undefined;
  let isRunning = false;
  /** Whether the last call of the check has not ended, although it may be late. */
  let isPending = false;
  let begin = 0;
  let known: CheckResult["status"] = "up";

  const checkInTime = (): Promise<unknown> => {
    if (isPending) throw new Error("The check is still running");
    isPending = true;
    return new Promise((resolve, reject) => {
      const abort = new AbortController();
      const timer = setTimeout(() => {
        const late = new Error(`The check did not finish within ${timeout} milliseconds`);
        abort.abort(late);
        reject(late);
      }, timeout);
      const settle = (): void => {
        clearTimeout(timer);
        isPending = false;
      };
      const checking = (async () => check({ signal: abort.signal }))();
      checking.finally(settle).then(resolve, reject);
    });
  };

  const run = async (logger: Logger): Promise<CheckResult> => {
    isRunning = true;
    begin = performance.now();
    let status: CheckResult["status"] = "up";
    let error: unknown;
    try {
      await checkInTime();
    } catch (thrown) {
      status = "down";
      error = thrown;
    }
    isRunning = false;
    const milliseconds = Math.round(performance.now() - begin);
    if (status !== known) {
      known = status;
      const text = `The health check "${name}"`;
      if (status === "up") logger.info(`${text} passes again`, { milliseconds });
      else logger[critical ? "error" : "warn"](`${text} fails`, { error, milliseconds });
    }
    return { status, milliseconds };
  };

  /** Returns the latest result, or runs the check; the promise never rejects. */
  const find = (logger: Logger): Promise<CheckResult> => {
    const isOld = !isRunning && performance.now() - begin >= cache;
    if (!latest || isOld) latest = run(logger);
    return latest;
  };
  return { name, critical, find };
};
