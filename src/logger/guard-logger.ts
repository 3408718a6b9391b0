import { safeLogger } from "./console-logger.ts";
import { isLogger, severities, type Logger, type ParentLogger } from "./logger.ts";
import { toWriteLine, type WriteLine } from "./object-first.ts";

type Members = Record<PropertyKey, unknown>;
type Method = (...line: unknown[]) => unknown;

const swallow = (): void => undefined;

const isSafe = (logger: object): boolean => Reflect.get(logger, safeLogger) === true;

/**
 * Wraps a custom logger. The wrapped logger never fails a request, even if the custom logger throws or rejects. A
 * logger that takes its arguments in a different order, such as pino, receives them in that order.
 *
 * `child` returns a logger that adds fields to its lines, using the logger's own `child` if it has one. All other
 * members are those of the logger, and whatever is written to them reaches it. A method for a severity can be replaced;
 * the replacement counts for this wrapper alone.
 */
export const guardLogger = (logger: Logger): Logger =>
  isSafe(logger) ? logger : wrap(logger, toWriteLine(logger));

/** Returns a logger that never throws and can create child loggers. */
export const toParent = (logger: Logger): ParentLogger =>
  typeof Reflect.get(logger, "child") === "function"
    ? (logger as ParentLogger)
    : wrap(logger, toWriteLine(logger));

/** Creates a logger that adds fields to its lines, using the logger's own `child` if it has one. */
export const toChild = (logger: Logger, fields: object): Logger => {
  const made: unknown = toParent(logger).child(fields);
  return isLogger(made) ? guardLogger(made) : wrap(logger, withFields(toWriteLine(logger), fields));
};

const wrap = (logger: Logger, write: WriteLine): ParentLogger => new Guard(logger, write).guarded;

/** The traps of a wrapped logger, whose target holds only the members that the wrapper replaces. */
class Guard implements ProxyHandler<Members> {
  readonly guarded: ParentLogger;
  readonly #logger: Members;

  constructor(logger: Logger, write: WriteLine) {
    this.#logger = logger as unknown as Members;
    const own: Members = {};
    for (const severity of severities) own[severity] = quieten((...line) => write(severity, line));
    // these are not enumerable, so that `{ ...parent, requestId }` is guarded again
    const hidden = { writable: true, configurable: true };
    const child = (...fields: unknown[]): unknown => makeChild(logger, write, fields);
    Object.defineProperty(own, "child", { ...hidden, value: child });
    Object.defineProperty(own, safeLogger, { ...hidden, value: true });
    this.guarded = new Proxy(own, this) as unknown as ParentLogger;
  }

  get(own: Members, key: PropertyKey): unknown {
    if (Object.hasOwn(own, key)) return own[key];
    const value = this.#logger[key];
    // the methods of a class may use private members
    return typeof value === "function" && !Object.hasOwn(this.#logger, key)
      ? (value.bind(this.#logger) as unknown)
      : value;
  }

  set(own: Members, key: PropertyKey, value: unknown, receiver: unknown): boolean {
    const holder = Object.hasOwn(own, key) ? own : this.#logger;
    // an object that inherits from the wrapper keeps what is written to it
    const writer = receiver === this.guarded ? holder : receiver;
    return Reflect.set(holder, key, toMember(key, value), writer);
  }

  has(own: Members, key: PropertyKey): boolean {
    return Object.hasOwn(own, key) || Reflect.has(this.#logger, key);
  }

  defineProperty(own: Members, key: PropertyKey, descriptor: PropertyDescriptor): boolean {
    if (Object.hasOwn(own, key)) {
      const { value } = descriptor as { readonly value?: unknown };
      const given = value === undefined ? {} : { value: toMember(key, value) };
      return Reflect.defineProperty(own, key, { ...descriptor, ...given });
    }
    return (
      Reflect.defineProperty(this.#logger, key, descriptor) &&
      // JavaScript requires that the target has what can never change
      (descriptor.configurable !== false || Reflect.defineProperty(own, key, descriptor))
    );
  }

  deleteProperty(own: Members, key: PropertyKey): boolean {
    return !Object.hasOwn(own, key) && Reflect.deleteProperty(this.#logger, key);
  }

  getPrototypeOf(): object | null {
    return Reflect.getPrototypeOf(this.#logger);
  }

  ownKeys(own: Members): (string | symbol)[] {
    return [...new Set([...Reflect.ownKeys(own), ...Reflect.ownKeys(this.#logger)])];
  }

  getOwnPropertyDescriptor(own: Members, key: PropertyKey): PropertyDescriptor | undefined {
    const descriptor = Reflect.getOwnPropertyDescriptor(own, key);
    if (descriptor) return descriptor;
    const found = Reflect.getOwnPropertyDescriptor(this.#logger, key);
    return found && { ...found, configurable: true };
  }
}

/** Converts a replacement for a severity's method to one that never throws; other values are kept. */
const toMember = (key: PropertyKey, value: unknown): unknown =>
  (severities as readonly PropertyKey[]).includes(key) && typeof value === "function"
    ? quieten(value as Method)
    : value;

/** Makes a method swallow its errors; a proxy, because a test's mock must still be recognised as one. */
const quieten = (method: Method): Method => new Proxy(method, quiet);

const quiet: ProxyHandler<Method> = {
  apply: (method, self, line: unknown[]) => {
    try {
      const written: unknown = Reflect.apply(method, self, line);
      if (written instanceof Promise) written.catch(swallow);
    } catch {
      // the request matters more than its log line
    }
  },
};

/** Calls the logger's own `child`, if there is one; the result may be anything. */
const makeChild = (logger: Logger, write: WriteLine, fields: unknown[]): unknown => {
  const { child } = logger as { readonly child?: unknown };
  if (typeof child !== "function") return wrap(logger, withFields(write, fields[0] as object));
  const made: unknown = (child as Method).apply(logger, fields);
  return isLogger(made) ? guardLogger(made) : made;
};

/** Adds fields to the lines that are written. */
const withFields =
  (write: WriteLine, fields: object): WriteLine =>
  (severity, [message, meta, ...more]) => {
    const joined = meta instanceof Error ? { ...fields, error: meta } : join(fields, meta);
    return write(severity, [message, joined, ...more]);
  };

const join = (fields: object, meta: unknown): object =>
  typeof meta === "object" && meta !== null
    ? { ...fields, ...meta }
    : { ...fields, ...(meta === undefined ? {} : { meta }) };
