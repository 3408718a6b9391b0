import { safeLoggers } from "./console-logger.ts";
import { isLogger, severities, type Logger, type ParentLogger, type Severity } from "./logger.ts";

type Method = (...line: unknown[]) => unknown;

const swallow = (): void => undefined;

/**
 * Wraps a custom logger. The wrapped logger never fails a request, even if the custom logger throws or rejects. A
 * logger that takes its arguments in a different order, such as pino, receives them in that order.
 *
 * `child` returns a logger that adds fields to its lines, using the logger's own `child` if it has one. All other
 * members are those of the logger, and whatever is written to them reaches it. A method for a severity can be replaced;
 * the replacement counts for this wrapper alone.
 */
export const guardLogger = (logger: Logger): Logger =>
  safeLoggers.has(logger) ? logger : wrap(logger, toMethods(logger));

/** Returns a logger that never throws and can create child loggers. */
export const toParent = (logger: Logger): ParentLogger =>
  typeof Reflect.get(logger, "child") === "function"
    ? (logger as ParentLogger)
    : wrap(logger, toMethods(logger));

/** Creates a logger that adds fields to its lines, using the logger's own `child` if it has one. */
export const toChild = (logger: Logger, fields: object): Logger => {
  const made: unknown = toParent(logger).child(fields);
  return isLogger(made) ? guardLogger(made) : wrap(logger, withFields(toMethods(logger), fields));
};

const wrap = (logger: Logger, toMethod: ToMethod): ParentLogger => {
  const own: Members = {};
  for (const severity of severities) own[severity] = quieten(toMethod(severity));
  // not enumerable, so that `{ ...parent, requestId }` has the `child` of the logger
  Object.defineProperty(own, "child", {
    writable: true,
    configurable: true,
    value: (...fields: unknown[]): unknown => makeChild(logger, toMethod, fields),
  });
  const guarded = overlay(own, logger, toMember) as ParentLogger;
  safeLoggers.add(guarded);
  return guarded;
};

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
const makeChild = (logger: Logger, toMethod: ToMethod, fields: unknown[]): unknown => {
  const { child } = logger as { readonly child?: unknown };
  if (typeof child !== "function") return wrap(logger, withFields(toMethod, fields[0] as object));
  const made: unknown = (child as Method).apply(logger, fields);
  return isLogger(made) ? guardLogger(made) : made;
};

/** Adds fields to the lines that are written. */
const withFields =
  (toMethod: ToMethod, fields: object): ToMethod =>
  (severity) => {
    const write = toMethod(severity);
    return (message, meta, ...more) =>
      write(
        message,
        meta instanceof Error ? { ...fields, error: meta } : join(fields, meta),
        ...more,
      );
  };

const join = (fields: object, meta: unknown): object =>
  typeof meta === "object" && meta !== null
    ? { ...fields, ...meta }
    : { ...fields, ...(meta === undefined ? {} : { meta }) };

/** Returns the method that writes lines of a severity, whose arguments are a message and an object. */
type ToMethod = (severity: Severity) => Method;

/**
 * Determines how to call a logger: message first, like the built-in logger, or object first, like pino and bunyan.
 * Calls in which the application already uses the logger's own order are passed on unchanged.
 */
export const toMethods = (logger: object): ToMethod => {
  // the method is looked up for each line, because the level of a logger may replace it
  const methods = logger as Readonly<Record<string, Method | undefined>>;
  if (isPino(logger))
    return (severity) =>
      (...line) =>
        methods[severity]?.(...turn(line, (error) => ["err", error]));
  if (isBunyan(logger))
    return (severity) =>
      (...line) =>
        methods[severity]?.(...turn(line, (error) => ["err", toPlain(error)]));
  if (isWinston(logger))
    return (severity) =>
      (message, meta, ...more) =>
        methods[severity]?.(message, withPlainError(meta), ...more);
  return (severity) =>
    (...line) =>
      methods[severity]?.(...line);
};

/** The property by which pino's loggers can be recognised. */
const pinoMark = Symbol.for("pino.serializers");
const isPino = (logger: object): boolean => pinoMark in logger;

const isBunyan = (logger: object): boolean =>
  "addStream" in logger && "fields" in logger && Array.isArray(Reflect.get(logger, "streams"));

const isWinston = (logger: object): boolean =>
  "levels" in logger && "format" in logger && Array.isArray(Reflect.get(logger, "transports"));

/** Moves the object of a line before the message, and the error into the field where the logger expects it. */
const turn = (
  line: readonly unknown[],
  toField: (error: unknown) => readonly [name: string, value: unknown],
): readonly unknown[] => {
  const [message, meta, ...more] = line;
  if (typeof message !== "string" || typeof meta !== "object" || meta === null) return line;
  if (meta instanceof Error) return [Object.fromEntries([toField(meta)]), message, ...more];
  const { error, ...fields } = withPlainOriginal(meta) as Record<string, unknown>;
  const own = error === undefined ? fields : { ...fields, ...Object.fromEntries([toField(error)]) };
  return [own, message, ...more];
};

const withPlainError = (meta: unknown): unknown => {
  if (meta instanceof Error) return { error: toPlain(meta) };
  if (typeof meta !== "object" || meta === null || !("error" in meta)) return meta;
  return { ...withPlainOriginal(meta), error: toPlain(meta.error) };
};

/** Converts the error in the framework's own field `original`, of which JSON would show nothing. */
const withPlainOriginal = (meta: object): object =>
  "original" in meta ? { ...meta, original: toPlain(meta.original) } : meta;

/** Converts an error to an object that JSON can represent, with its name, message, stack, code and cause. */
const toPlain = (error: unknown, depth = 0): unknown => {
  if (!(error instanceof Error)) return error;
  const { name, message, stack, cause } = error;
  const code: unknown = Reflect.get(error, "code");
  return {
    ...{ name, message, stack },
    ...(code === undefined ? {} : { code }),
    ...(cause === undefined || depth > 4 ? {} : { cause: toPlain(cause, depth + 1) }),
  };
};

export type Members = Record<PropertyKey, unknown>;

/** Converts a value that is written in place of one of the overlay's own members. */
type ToMember = (key: PropertyKey, value: unknown) => unknown;

/** The traps of an overlay, whose target holds only its own members. */
class Overlay implements ProxyHandler<Members> {
  readonly proxy: object;
  readonly #base: Members;
  readonly #toMember: ToMember;

  constructor(own: Members, base: object, toMember: ToMember) {
    this.#base = base as Members;
    this.#toMember = toMember;
    this.proxy = new Proxy(own, this);
  }

  get(own: Members, key: PropertyKey): unknown {
    if (Object.hasOwn(own, key)) return own[key];
    const value = this.#base[key];
    // the methods of a class may use private members
    return typeof value === "function" && !Object.hasOwn(this.#base, key)
      ? (value.bind(this.#base) as unknown)
      : value;
  }

  set(own: Members, key: PropertyKey, value: unknown, receiver: unknown): boolean {
    const holder = Object.hasOwn(own, key) ? own : this.#base;
    // an object that inherits from the proxy keeps what is written to it
    const writer = receiver === this.proxy ? holder : receiver;
    return Reflect.set(holder, key, this.#toMember(key, value), writer);
  }

  has(own: Members, key: PropertyKey): boolean {
    return Object.hasOwn(own, key) || Reflect.has(this.#base, key);
  }

  defineProperty(own: Members, key: PropertyKey, descriptor: PropertyDescriptor): boolean {
    if (Object.hasOwn(own, key)) {
      const { value } = descriptor as { readonly value?: unknown };
      const given = value === undefined ? {} : { value: this.#toMember(key, value) };
      return Reflect.defineProperty(own, key, { ...descriptor, ...given });
    }
    return (
      Reflect.defineProperty(this.#base, key, descriptor) &&
      // JavaScript requires that the target has what can never change
      (descriptor.configurable !== false || Reflect.defineProperty(own, key, descriptor))
    );
  }

  deleteProperty(own: Members, key: PropertyKey): boolean {
    return !Object.hasOwn(own, key) && Reflect.deleteProperty(this.#base, key);
  }

  getPrototypeOf(): object | null {
    return Reflect.getPrototypeOf(this.#base);
  }

  ownKeys(own: Members): (string | symbol)[] {
    return [...new Set([...Reflect.ownKeys(own), ...Reflect.ownKeys(this.#base)])];
  }

  getOwnPropertyDescriptor(own: Members, key: PropertyKey): PropertyDescriptor | undefined {
    const descriptor = Reflect.getOwnPropertyDescriptor(own, key);
    if (descriptor) return descriptor;
    const found = Reflect.getOwnPropertyDescriptor(this.#base, key);
    return found && { ...found, configurable: true };
  }
}

/**
 * Replaces some members of an object. All other members are those of the object, and whatever is written to them
 * reaches it.
 *
 * @param own the replacing members; what is written to them stays in the overlay
 */
export const overlay = (
  own: Members,
  base: object,
  toMember: ToMember = (_key, value) => value,
): object => new Overlay(own, base, toMember).proxy;
