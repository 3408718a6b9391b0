import type { Logger } from "./logger.ts";

/** How often a kind of warning may be logged, in milliseconds. */
const interval = 1000;

const lastTimes = new WeakMap<Logger, Map<string, number>>();

const findTimes = (logger: Logger): Map<string, number> => {
  const known = lastTimes.get(logger);
  if (known) return known;
  const times = new Map<string, number>();
  lastTimes.set(logger, times);
  return times;
};

/** Makes the logger of a request share the samples of its server's, or else each request would begin its own. */
export const shareSamples = (child: Logger, parent: Logger): void => {
  if (child !== parent) lastTimes.set(child, findTimes(parent));
};

/** Logs a warning at most once a second for each kind, so that a flood of bad requests is no flood of lines. */
export const warnSampled = (logger: Logger, kind: string, message: string, meta: object): void => {
  const times = findTimes(logger);
  const now = performance.now();
  if (now - (times.get(kind) ?? -Infinity) < interval) return;
  times.set(kind, now);
  logger.warn(message, meta);
};
