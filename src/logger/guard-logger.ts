import { safeLogger } from "./console-logger.ts";
import { severities, type Logger, type LogMethod, type Severity } from "./logger.ts";

const swallow = (): void => undefined;

/**
 * Wraps a custom logger so that a broken one, which throws or rejects, never costs a request.
 *
 * Its other members stay reachable, bound to the logger itself.
 */
export const guardLogger = (logger: Logger): Logger => {
  if (safeLogger in logger) return logger;
  const cache = new Map<PropertyKey, unknown>([[safeLogger, true]]);
  const guard =
    (severity: Severity): LogMethod =>
    (...line) => {
      try {
        const written: unknown = logger[severity]?.(...line);
        if (written instanceof Promise) written.catch(swallow);
      } catch {
        // the request matters more than its log line
      }
    };
  for (const severity of severities) cache.set(severity, guard(severity));
  // the target is not the logger itself: a frozen logger would forbid the trap to answer with a guard
  return new Proxy({} as Logger, {
    get: (_target, key) => {
      if (cache.has(key)) return cache.get(key);
      const value: unknown = Reflect.get(logger, key, logger);
      return typeof value === "function" ? (value.bind(logger) as unknown) : value;
    },
    has: (_target, key) => key === safeLogger || Reflect.has(logger, key),
    getPrototypeOf: () => Reflect.getPrototypeOf(logger),
    // so that `{ ...parent, requestId }` is a logger as well
    ownKeys: () => [...new Set([...severities, ...Reflect.ownKeys(logger)])],
    getOwnPropertyDescriptor: (_target, key) => {
      const isOwn = Object.hasOwn(logger, key) || (severities as readonly unknown[]).includes(key);
      const value: unknown = cache.get(key) ?? Reflect.get(logger, key, logger);
      return isOwn ? { value, configurable: true, enumerable: true } : undefined;
    },
  });
};
