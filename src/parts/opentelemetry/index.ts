export { openTelemetry } from "./open-telemetry.ts";
export type { OpenTelemetryOptions } from "./open-telemetry.ts";
export type { StageKind } from "./trace-stages.ts";
export type { Telemetry } from "./telemetry.ts";
export type { Observation } from "../../wire/exchange/exchange.ts";
