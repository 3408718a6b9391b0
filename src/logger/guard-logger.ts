import { safeLoggers } from "./console-logger.ts";
import { isLogger, severities, type Logger, type ParentLogger, type Severity } from "./logger.ts";

type Method = (...line: unknown[]) => unknown;

/** Returns the method that writes lines of a severity, whose arguments are a message and an object. */
type ToMethod = (severity: Severity) => Method;

/**
 * Wraps a custom logger, so that it never fails a request and receives its arguments in its own order. `child` adds
 * fields to lines. A method for a severity can be replaced; the replacement counts for this wrapper alone.
 */
export const guardLogger = (logger: Logger): Logger =>
  safeLoggers.has(logger) ? logger : wrap(logger, toMethods(logger));

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
  // a replacement for a severity's method must not throw either
  const guarded = overlay(own, logger, (key, value) =>
    (severities as readonly PropertyKey[]).includes(key) && typeof value === "function"
      ? quieten(value as Method)
      : value,
  ) as ParentLogger;
  safeLoggers.add(guarded);
  return guarded;
};

/** Makes a method swallow its errors; a proxy, because a test's mock must still be recognised as one. */
const quieten = (method: Method): Method => new Proxy(method, quiet);

const quiet: ProxyHandler<Method> = {
  apply: (method, self, line: unknown[]) => {
    try {
      const written: unknown = Reflect.apply(method, self, line);
      if (written instanceof Promise) written.catch(() => undefined);
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

const withFields =
  (toMethod: ToMethod, fields: object): ToMethod =>
  (severity) => {
    const write = toMethod(severity);
    return (message, meta, ...more) => write(message, { ...fields, ...toFields(meta) }, ...more);
  };

const toFields = (meta: unknown): object => {
  if (meta instanceof Error) return { error: meta };
  if (typeof meta === "object" && meta !== null) return meta;
  return meta === undefined ? {} : { meta };
};

/** Determines how to call a logger; lines that are already in its own order are passed on unchanged. */
export const toMethods = (logger: object): ToMethod => {
  const toLine = findOrder(logger);
  // the method is looked up for each line, because the level of a logger may replace it
  const methods = logger as Readonly<Record<string, Method | undefined>>;
  return (severity) =>
    (...line) =>
      methods[severity]?.(...(toLine ? toLine(line) : line));
};

const pinoMark = Symbol.for("pino.serializers");

/** Returns the function that converts the arguments of a line to those of a logger; undefined if they are the same. */
const findOrder = (
  logger: object,
): ((line: readonly unknown[]) => readonly unknown[]) | undefined => {
  const hasList = (name: string): boolean => Array.isArray(Reflect.get(logger, name));
  if (pinoMark in logger) return (line) => turn(line, (error) => ({ err: error }));
  if ("addStream" in logger && "fields" in logger && hasList("streams"))
    return (line) => turn(line, (error) => ({ err: toPlain(error) }));
  const isWinston = "levels" in logger && "format" in logger && hasList("transports");
  return isWinston
    ? ([message, meta, ...more]) => [message, withPlainError(meta), ...more]
    : undefined;
};

/** Moves the object of a line before the message, and the error into the field where the logger expects it. */
const turn = (
  line: readonly unknown[],
  toField: (error: unknown) => object,
): readonly unknown[] => {
  const [message, meta, ...more] = line;
  if (typeof message !== "string" || typeof meta !== "object" || meta === null) return line;
  if (meta instanceof Error) return [toField(meta), message, ...more];
  const { error, ...fields } = withPlainOriginal(meta) as Record<string, unknown>;
  return [{ ...fields, ...(error === undefined ? {} : toField(error)) }, message, ...more];
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

/** Replaces some members of an object; all others are those of the object, and what is written to them reaches it. */
export const overlay = (
  own: Members,
  object: object,
  toMember: (key: PropertyKey, value: unknown) => unknown = (_key, value) => value,
): object => {
  const base = object as Members;
  const findHolder = (key: PropertyKey): Members => (Object.hasOwn(own, key) ? own : base);
  const proxy: object = new Proxy(own, {
    get: (_own, key) => {
      if (Object.hasOwn(own, key)) return own[key];
      const value = base[key];
      // the methods of a class may use private members
      return typeof value === "function" && !Object.hasOwn(base, key)
        ? (value.bind(base) as unknown)
        : value;
    },
    set: (_own, key, value, receiver) => {
      const holder = findHolder(key);
      // an object that inherits from the proxy keeps what is written to it
      return Reflect.set(holder, key, toMember(key, value), receiver === proxy ? holder : receiver);
    },
    has: (_own, key) => Reflect.has(findHolder(key), key),
    defineProperty: (_own, key, descriptor) => {
      if (Object.hasOwn(own, key)) {
        const { value } = descriptor as { readonly value?: unknown };
        const given = value === undefined ? {} : { value: toMember(key, value) };
        return Reflect.defineProperty(own, key, { ...descriptor, ...given });
      }
      return (
        Reflect.defineProperty(base, key, descriptor) &&
        // JavaScript requires that the target has what can never change
        (descriptor.configurable !== false || Reflect.defineProperty(own, key, descriptor))
      );
    },
    deleteProperty: (_own, key) => !Object.hasOwn(own, key) && Reflect.deleteProperty(base, key),
    getPrototypeOf: () => Reflect.getPrototypeOf(base),
    ownKeys: () => [...new Set([...Reflect.ownKeys(own), ...Reflect.ownKeys(base)])],
    getOwnPropertyDescriptor: (_own, key) => {
      const descriptor = Reflect.getOwnPropertyDescriptor(findHolder(key), key);
      return Object.hasOwn(own, key)
        ? descriptor
        : descriptor && { ...descriptor, configurable: true };
    },
  });
  return proxy;
};
