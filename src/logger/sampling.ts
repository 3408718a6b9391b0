import type { Logger } from "./logger.ts";

/** The minimum interval between two warnings of the same kind, in milliseconds. */
const interval = 1000;

const lastTimes = new WeakMap<Logger, Map<string, number>>();

const findTimes = (logger: Logger): Map<string, number> => {
  const times = lastTimes.get(logger) ?? new Map<string, number>();
  lastTimes.set(logger, times);
  return times;
};

export const shareSamples = (child: Logger, parent: Logger): void => {
  if (child !== parent) lastTimes.set(child, findTimes(parent));
};

/** Logs each kind of warning at most once per second, so that a flood of bad requests does not flood the log. */
export const warnSampled = (logger: Logger, kind: string, message: string, meta: object): void => {
  const times = findTimes(logger);
  const now = performance.now();
  if (now - (times.get(kind) ?? -Infinity) < interval) return;
  times.set(kind, now);
  logger.warn(message, meta);
};
