import type { Logger } from "../logger/logger.ts";
import { checkBodies } from "./check-bodies.ts";
import { checkInputs } from "./check-inputs.ts";
import { checkOutputs } from "./check-outputs.ts";
import { checkPathParameters } from "./check-path-parameters.ts";
import { checkEvents } from "./check-events.ts";
import { checkShadows } from "./check-shadows.ts";
import { checkSources } from "./check-sources.ts";
import type { RoutingFacts, Diagnostic } from "./diagnostic.ts";
import type { EndpointEntry, StaticEntry } from "../routing/walk-routing.ts";

/** In development, warns about legal but probably unintended parts of a routing map. */
export const checkRouting = (
  entries: readonly (EndpointEntry | StaticEntry)[],
  facts: RoutingFacts,
  logger: Logger,
): void => {
  const endpoints = entries.flatMap((entry) => (entry.kind === "endpoint" ? entry : []));
  const files = entries.flatMap((entry) => (entry.kind === "static" ? entry : []));
  const checks: readonly (() => readonly Diagnostic[])[] = [
    () => checkPathParameters(endpoints, facts),
    () => checkInputs(endpoints, facts),
    () => checkBodies(endpoints, facts),
    () => checkSources(endpoints, facts),
    () => checkOutputs(endpoints),
    () => checkEvents(endpoints),
    () => checkShadows(endpoints, files),
  ];
  for (const check of checks) {
    try {
      for (const { code, text, meta } of check()) logger.warn(`${code}: ${text}`, meta);
    } catch (error) {
      // a failed check must not keep the server from starting
      logger.debug("A routing check failed", { error });
    }
  }
};
