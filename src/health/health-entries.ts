import { defaultEndpointsFactory } from "../endpoint/endpoints-factory.ts";
import { findState, type RequestState } from "../pipeline/request-state.ts";
import { sendJson } from "../reply/send-json.ts";
import type { EndpointEntry } from "../routing/walk-routing.ts";
import { CheckRunner, type CheckResult } from "./check-runner.ts";
import type { HealthOptions } from "./health-options.ts";

interface Health {
  readonly status: "up" | "degraded" | "down" | "draining";
  readonly checks?: Readonly<Record<string, CheckResult>>;
}

export const listHealthEntries = ({
  live = "/livez",
  ready = "/readyz",
  checks = {},
  accessLog = false,
}: HealthOptions): readonly EndpointEntry[] => {
  const runners = Object.entries(checks).map(([name, given]) => new CheckRunner(name, given));
  const toEntry = (
    path: string,
    find: (state: RequestState) => Health | Promise<Health>,
  ): EndpointEntry => ({
    method: "get",
    path,
    endpoint: defaultEndpointsFactory.buildVoid({
      method: "get",
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
        runners.map(async (runner) => ({ runner, result: await runner.find(service.logger) })),
      );
      const failed = results.filter(({ result }) => result.status === "down");
      if (failed.length === 0) return { status: "up" };
      return {
        status: failed.some(({ runner }) => runner.isCritical) ? "down" : "degraded",
        checks: Object.fromEntries(results.map(({ runner, result }) => [runner.name, result])),
      };
    }),
  ];
};
