export { openTelemetry, type OpenTelemetryOptions } from "./open-telemetry.ts";
export type { Observation, StageKind, Telemetry } from "../telemetry.ts";
