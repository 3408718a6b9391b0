import { isPromise } from "node:util/types";
import { isError } from "../http/is-error.ts";
import {
  createConsoleLogger,
  isSilenced,
  safeLoggers,
  type ConsoleLoggerOptions,
} from "./console-logger.ts";
import { isLogger, severities, type Logger, type ParentLogger, type Severity } from "./logger.ts";

type Method = (...line: unknown[]) => unknown;

/** Returns the method that writes lines of a severity, whose arguments are a message and an object. */
type ToMethod = (severity: Severity) => Method;

export type Members = Record<PropertyKey, unknown>;

/** What a proxy does that replaces some members of an object; all others are those of the object. */
class Overlay implements ProxyHandler<Members> {
  readonly base: Members;
  readonly proxy: object;

  constructor(own: Members, base: object) {
    this.base = base as Members;
    this.proxy = new Proxy<object>(own, this);
  }

  /** Adds the members that are created when they are first needed. */
  complete?(own: Members): void;

  /** Converts a value that is written to one of the replaced members. */
  toMember?(key: PropertyKey, value: unknown): unknown;

  #convert(key: PropertyKey, value: unknown): unknown {
    return this.toMember ? this.toMember(key, value) : value;
  }

  get(own: Members, key: PropertyKey): unknown {
    if (Object.hasOwn(own, key)) return own[key];
    const { base } = this;
    const value = base[key];
    // the methods of a class may use private members
    return typeof value === "function" && !Object.hasOwn(base, key)
      ? (value.bind(base) as unknown)
      : value;
  }

  #findHolder(own: Members, key: PropertyKey): Members {
    this.complete?.(own);
    return Object.hasOwn(own, key) ? own : this.base;
  }

  set(own: Members, key: PropertyKey, value: unknown, receiver: unknown): boolean {
    const holder = this.#findHolder(own, key);
    // an object that inherits from the proxy keeps what is written to it
    const target = receiver === this.proxy ? holder : receiver;
    return Reflect.set(holder, key, this.#convert(key, value), target);
  }

  has(own: Members, key: PropertyKey): boolean {
    return Reflect.has(this.#findHolder(own, key), key);
  }

  defineProperty(own: Members, key: PropertyKey, descriptor: PropertyDescriptor): boolean {
    if (this.#findHolder(own, key) === own) {
      const { value } = descriptor as { readonly value?: unknown };
      const given = value === undefined ? {} : { value: this.#convert(key, value) };
      return Reflect.defineProperty(own, key, { ...descriptor, ...given });
    }
    return (
      Reflect.defineProperty(this.base, key, descriptor) &&
      // JavaScript requires that the target has what can never change
      (descriptor.configurable !== false || Reflect.defineProperty(own, key, descriptor))
    );
  }

  deleteProperty(own: Members, key: PropertyKey): boolean {
    return this.#findHolder(own, key) !== own && Reflect.deleteProperty(this.base, key);
  }

  getPrototypeOf(): object | null {
    return Reflect.getPrototypeOf(this.base);
  }

  preventExtensions(own: Members): boolean {
    this.complete?.(own);
    return Reflect.preventExtensions(own);
  }

  ownKeys(own: Members): (string | symbol)[] {
    this.complete?.(own);
    return [...new Set([...Reflect.ownKeys(own), ...Reflect.ownKeys(this.base)])];
  }

  getOwnPropertyDescriptor(own: Members, key: PropertyKey): PropertyDescriptor | undefined {
    const holder = this.#findHolder(own, key);
    const descriptor = Reflect.getOwnPropertyDescriptor(holder, key);
    return holder === own ? descriptor : descriptor && { ...descriptor, configurable: true };
  }
}

/** Replaces some members of an object; all others are those of the object, and what is written to them reaches it. */
export const overlay = (own: Members, object: object): object => new Overlay(own, object).proxy;

/** The property of a guarded logger that holds its guard. */
const guardOf = Symbol("guard");

/** Returns the guard of a logger; undefined if it has none, even if it inherits from one that has. */
const findGuard = (logger: object): Guard | undefined => {
  try {
    // a mock may have a value for any name, and a strict logger may throw
    const found: unknown = Reflect.get(logger, guardOf);
    return found instanceof Guard ? found : undefined;
  } catch {
    return undefined;
  }
};

const isSeverity = (key: PropertyKey): key is Severity =>
  key === "info" || key === "error" || key === "debug" || key === "warn";

/**
 * Replaces the methods of a logger for severities, and `child`. A method is created when it is first used, because each
 * request may have a logger of its own, with which it writes a single line.
 */
class Guard extends Overlay {
  /** The logger of the server from which this one was made. */
  readonly root: object;
  #toMethod: ToMethod | undefined;
  #isComplete = false;
  #isReplaced = false;

  constructor(logger: Logger, root?: object, toMethod?: ToMethod) {
    super({}, logger);
    this.root = root ?? this.proxy;
    this.#toMethod = toMethod;
  }

  // a replacement for a severity's method must not throw either
  override toMember(key: PropertyKey, value: unknown): unknown {
    if (!isSeverity(key)) return value;
    this.#isReplaced = true;
    return typeof value === "function" ? quieten(value as Method) : value;
  }

  override get(own: Members, key: PropertyKey, receiver?: unknown): unknown {
    if (key === guardOf) return receiver === this.proxy ? this : undefined;
    if (isSeverity(key)) return (own[key] ??= this.#toQuiet(key));
    if (key === "child") this.complete(own);
    return super.get(own, key);
  }

  #findMethod(severity: Severity): Method {
    return (this.#toMethod ??= toMethods(this.base))(severity);
  }

  #toQuiet(severity: Severity): Method {
    const write = this.#findMethod(severity);
    return (...line) => {
      try {
        const written: unknown = write(...line);
        if (isPromise(written)) written.catch(() => undefined);
      } catch {
        // the request matters more than its log line
      }
    };
  }

  override complete(own: Members): void {
    if (this.#isComplete) return;
    this.#isComplete = true;
    for (const severity of severities) own[severity] ??= this.#toQuiet(severity);
    // not enumerable, so that `{ ...parent, requestId }` has the `child` of the logger
    Object.defineProperty(own, "child", {
      writable: true,
      configurable: true,
      value: (...fields: unknown[]): unknown => this.#makeChild(fields),
    });
  }

  /** Calls the logger's own `child`, if there is one; the result may be anything. */
  #makeChild(fields: unknown[]): unknown {
    const logger = this.base as unknown as Logger;
    const { child } = this.base;
    if (typeof child !== "function")
      return new Guard(
        logger,
        this.root,
        withFields((severity) => this.#findMethod(severity), fields[0] as object),
      ).proxy;
    const made: unknown = (child as Method).apply(logger, fields);
    return isLogger(made) ? guardLogger(made, this.root) : made;
  }

  /** Checks whether the logger says that it drops the lines of a severity. */
  drops(severity: Severity): boolean {
    if (this.#isReplaced) return false;
    try {
      const { isLevelEnabled } = this.base;
      return (
        typeof isLevelEnabled === "function" &&
        Reflect.apply(isLevelEnabled, this.base, [severity]) === false
      );
    } catch {
      return false;
    }
  }
}

/**
 * Wraps a custom logger, so that it never fails a request and receives its arguments in its own order. `child` adds
 * fields to lines. A method for a severity can be replaced; the replacement counts for this wrapper alone.
 *
 * @param root the logger of the server from which it was made
 */
export const guardLogger = (logger: Logger, root?: object): Logger =>
  safeLoggers.has(logger) || findGuard(logger) ? logger : (new Guard(logger, root).proxy as Logger);

/**
 * Returns the logger that a server hands out everywhere: the configured one in a wrapper, or the built-in one. The wrapper
 * is its own even if the logger is that of another server, because it stands for the server's `logFaults`.
 */
export const toServerLogger = (given?: ConsoleLoggerOptions | Logger): Logger => {
  if (!isLogger(given)) return createConsoleLogger(given);
  return safeLoggers.has(given) ? given : (new Guard(given).proxy as Logger);
};

export const toParent = (logger: Logger): ParentLogger =>
  typeof Reflect.get(logger, "child") === "function"
    ? (logger as ParentLogger)
    : (new Guard(logger, logger).proxy as ParentLogger);

/** Creates a logger that adds fields to its lines, using the logger's own `child` if it has one. */
export const toChild = (logger: Logger, fields: object): Logger => {
  const made: unknown = toParent(logger).child(fields);
  return isLogger(made)
    ? guardLogger(made, findRoot(logger))
    : (new Guard(logger, findRoot(logger), withFields(toMethods(logger), fields)).proxy as Logger);
};

/** Returns the logger of the server from which a logger was made, as far as that is known. */
export const findRoot = (logger: object): object => findGuard(logger)?.root ?? logger;

/** Checks whether a logger says that it drops the lines of a severity, which then need not be built. */
export const drops = (logger: Logger, severity: Severity): boolean =>
  findGuard(logger)?.drops(severity) ?? isSilenced(logger, severity);

/** Makes a method swallow its errors; a proxy, because a test's mock must still be recognised as one. */
const quieten = (method: Method): Method => new Proxy(method, quiet);

const quiet: ProxyHandler<Method> = {
  apply: (method, self, line: unknown[]) => {
    try {
      const written: unknown = Reflect.apply(method, self, line);
      if (isPromise(written)) written.catch(() => undefined);
    } catch {
      // the request matters more than its log line
    }
  },
};

const withFields =
  (toMethod: ToMethod, fields: object): ToMethod =>
  (severity) => {
    const write = toMethod(severity);
    return (message, meta, ...more) => write(message, { ...fields, ...toFields(meta) }, ...more);
  };

const toFields = (meta: unknown): object => {
  if (isError(meta)) return { error: meta };
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
  if (isError(meta)) return [toField(meta), message, ...more];
  const { error, ...fields } = withPlainOriginal(meta) as Record<string, unknown>;
  return [{ ...fields, ...(error === undefined ? {} : toField(error)) }, message, ...more];
};

const withPlainError = (meta: unknown): unknown => {
  if (isError(meta)) return { error: toPlain(meta) };
  if (typeof meta !== "object" || meta === null || !("error" in meta)) return meta;
  return { ...withPlainOriginal(meta), error: toPlain(meta.error) };
};

/** Converts the error in the framework's own field `original`, of which JSON would show nothing. */
const withPlainOriginal = (meta: object): object =>
  "original" in meta ? { ...meta, original: toPlain(meta.original) } : meta;

/** Converts an error to an object that JSON can represent, with its name, message, stack, code and cause. */
const toPlain = (error: unknown, depth = 0): unknown => {
  if (!isError(error)) return error;
  const { name, message, stack, cause } = error;
  const code: unknown = Reflect.get(error, "code");
  return {
    ...{ name, message, stack },
    ...(code === undefined ? {} : { code }),
    ...(cause === undefined || depth > 4 ? {} : { cause: toPlain(cause, depth + 1) }),
  };
};
