import type { Logger } from "./logger.ts";

/** How often a kind of warning may be logged, in milliseconds. */
const interval = 1000;

const lastTimes = new WeakMap<Logger, Map<string, number>>();

/** Logs a warning at most once a second for each kind, so that a flood of bad requests is no flood of lines. */
export const warnSampled = (logger: Logger, kind: string, message: string, meta: object): void => {
  const times = lastTimes.get(logger) ?? new Map<string, number>();
  lastTimes.set(logger, times);
  const now = performance.now();
  if (now - (times.get(kind) ?? -Infinity) < interval) return;
  times.set(kind, now);
  logger.warn(message, meta);
};
