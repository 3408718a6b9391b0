import type { Request, Response } from "./http/express-objects.ts";

/** The kinds of stages that can have spans of their own. */
export const stageKinds = ["middlewares", "validation", "handler"] as const;

/** A kind of stages. */
export type StageKind = (typeof stageKinds)[number];

/** What observes one request. */
export interface Observation {
  /** The fields that each log line of the request has. */
  readonly logFields: object;
  /** Runs the request; what runs inside belongs to the request. */
  readonly run: <T>(serve: () => T) => T;
  /** Records a fault (5xx) of the request. */
  readonly recordFault: (error: unknown) => void;
  /** Called once, when the response has ended or the client has left. */
  readonly end: () => void;
}

/** What observes the requests of a server; made by `openTelemetry` of `sallyport/opentelemetry`. */
export interface Telemetry {
  /** Called when a request begins; returns undefined for a request that is not observed. */
  readonly begin: (request: Request, response: Response) => Observation | undefined;
  /** The stages that run within `runStage`. */
  readonly spans: readonly StageKind[];
  /** Runs a stage of a request; returns what the stage returns. */
  readonly runStage: <T>(name: string, stage: () => T) => T;
}
