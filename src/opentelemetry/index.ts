export { openTelemetry } from "./open-telemetry.ts";
export type { OpenTelemetryOptions } from "./open-telemetry.ts";
export type { StageKind } from "./trace-stages.ts";
export type { Telemetry } from "../pipeline/endpoint-plan.ts";
export type { Observation } from "../exchange/response-state.ts";
