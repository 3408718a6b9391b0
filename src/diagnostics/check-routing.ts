import { listOperations, toQueryParser, type DocumentedConfig } from "../api/operation.ts";
import type { Logger } from "../logger/logger.ts";
import type { RoutingEntry } from "../routing/walk-routing.ts";
import { checkBodies } from "./check-bodies.ts";
import { checkCookies, type CookieConfig } from "./check-cookies.ts";
import { checkPathParameters, checkSources } from "./check-fields.ts";
import { checkShadows } from "./check-shadows.ts";
import { checkEvents, checkInputs, checkOutputs } from "./check-values.ts";
import type { Diagnostic } from "./diagnostic.ts";

/** The parts of a configuration that the checks need. */
export interface CheckedConfig extends DocumentedConfig, CookieConfig {}

/** In development, warns about legal but probably unintended parts of a routing map. */
export const checkRouting = (
  entries: readonly RoutingEntry[],
  config: CheckedConfig,
  logger: Logger,
): void => {
  const { app, beforeRouting, upload = false } = config;
  const facts = {
    queryParser: toQueryParser(config),
    takesUploads: upload !== false,
    hasNativeParsers: app !== undefined || beforeRouting !== undefined,
  };
  const operations = listOperations(entries, config);
  const files = entries.flatMap((entry) => (entry.kind === "static" ? entry : []));
  const checks: readonly (() => readonly Diagnostic[])[] = [
    () => checkCookies(operations, config),
    () => checkPathParameters(operations),
    () => checkInputs(operations, facts),
    () => checkBodies(operations, facts),
    () => checkSources(operations, facts),
    () => checkOutputs(operations),
    () => checkEvents(operations),
    () => checkShadows(operations, files),
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
