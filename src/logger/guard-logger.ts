import { safeLogger } from "./console-logger.ts";
import {
  isLogger,
  severities,
  type Logger,
  type LogMethod,
  type ParentLogger,
  type Severity,
} from "./logger.ts";
import { toWriteLine } from "./object-first.ts";

const swallow = (): void => undefined;

const isSafe = (logger: object): boolean => Reflect.get(logger, safeLogger) === true;

/** Returns a logger that never throws and can create child loggers. */
export const toParent = (logger: Logger): ParentLogger =>
  "child" in logger
    ? (logger as ParentLogger)
    : { ...logger, child: (fields) => toChild(logger, fields) };

/**
 * Wraps a custom logger. The wrapped logger never fails a request, even if the custom logger throws or rejects. A
 * logger that takes its arguments in a different order, such as pino, receives them in that order.
 *
 * `child` returns a logger that adds fields to its lines, using the logger's own `child` if it has one. All other
 * members stay available, bound to the logger.
 */
export const guardLogger = (logger: Logger): Logger => {
  if (isSafe(logger)) return logger;
  const writeLine = toWriteLine(logger);
  const cache = new Map<PropertyKey, unknown>([
    [safeLogger, true],
    ["child", (...fields: unknown[]) => makeChild(logger, fields)],
  ]);
  const guard =
    (severity: Severity): LogMethod =>
    (...line) => {
      try {
        const written: unknown = writeLine(severity, line);
        if (written instanceof Promise) written.catch(swallow);
      } catch {
        // the request matters more than its log line
      }
    };
  for (const severity of severities) cache.set(severity, guard(severity));
  // the proxy has an empty target, because the traps could not return guards if the target were a frozen logger
  return new Proxy({} as Logger, {
    get: (_target, key) => {
      if (cache.has(key)) return cache.get(key);
      const value: unknown = Reflect.get(logger, key, logger);
      return typeof value === "function" ? (value.bind(logger) as unknown) : value;
    },
    has: (_target, key) => key === safeLogger || Reflect.has(logger, key),
    getPrototypeOf: () => Reflect.getPrototypeOf(logger),
    // with these keys, `{ ...parent, requestId }` is also a logger
    ownKeys: () => [...new Set([...severities, ...Reflect.ownKeys(logger)])],
    getOwnPropertyDescriptor: (_target, key) => {
      const isOwn = Object.hasOwn(logger, key) || (severities as readonly unknown[]).includes(key);
      const value: unknown = cache.get(key) ?? Reflect.get(logger, key, logger);
      return isOwn ? { value, configurable: true, enumerable: true } : undefined;
    },
  });
};

/** Calls the logger's own `child`, if there is one; the result may be anything. */
const makeChild = (logger: Logger, fields: unknown[]): unknown => {
  const { child } = logger as { readonly child?: unknown };
  if (typeof child !== "function") return toChild(logger, fields[0] as object);
  const made: unknown = (child as (...fields: unknown[]) => unknown).apply(logger, fields);
  return isLogger(made) ? guardLogger(made) : made;
};

/** Creates a logger that adds fields to its lines, using the logger's own `child` if it has one. */
export const toChild = (logger: Logger, fields: object): Logger => {
  if ("child" in logger) {
    const made = makeChild(logger, [fields]);
    if (isLogger(made)) return made;
  }
  const methods = severities.map((severity) => [
    severity,
    (message: string, meta?: unknown): unknown =>
      logger[severity](
        message,
        meta instanceof Error ? { ...fields, error: meta } : join(fields, meta),
      ),
  ]);
  return guardLogger({
    ...logger,
    ...(Object.fromEntries(methods) as unknown as Logger),
    [safeLogger]: false,
  } as Logger);
};

const join = (fields: object, meta: unknown): object =>
  typeof meta === "object" && meta !== null
    ? { ...fields, ...meta }
    : { ...fields, ...(meta === undefined ? {} : { meta }) };
