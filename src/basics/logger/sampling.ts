import { findRoot } from "./guard-logger.ts";
import type { Logger } from "./logger.ts";

/** The minimum interval between two lines of the same kind, in milliseconds. */
const interval = 1000;

const lastTimes = new WeakMap<object, Map<string, number>>();

const findTimes = (logger: Logger): Map<string, number> => {
  let times = lastTimes.get(logger);
  if (times) return times;
  const root = findRoot(logger);
  times = lastTimes.get(root) ?? new Map<string, number>();
  lastTimes.set(root, times);
  return times;
};

export const shareSamples = (child: Logger, parent: Logger): void => {
  if (findRoot(child) !== findRoot(parent)) lastTimes.set(child, findTimes(parent));
};

/** Returns whether a line is logged, if there may be many of its kind: at most one per second is. */
export const isSampled = (logger: Logger, kind: string): boolean => {
  const times = findTimes(logger);
  const now = performance.now();
  if (now - (times.get(kind) ?? -Infinity) < interval) return false;
  times.set(kind, now);
  return true;
};

/** Logs each kind of warning at most once per second, so that a flood of bad requests does not flood the log. */
export const warnSampled = (logger: Logger, kind: string, message: string, meta: object): void => {
  if (isSampled(logger, kind)) logger.warn(message, meta);
};
