import { isError } from "../http/is-error.ts";
import { defaults } from "../defaults.ts";
import { severities, type Logger, type LogMethod, type Severity } from "./logger.ts";

export const logLevels = ["silent", "error", "warn", "info", "debug"] as const;

/** A level of the built-in logger. */
export type LogLevel = (typeof logLevels)[number];

/** Options for the built-in logger. */
export interface ConsoleLoggerOptions {
  /**
   * The least severe level that is logged.
   *
   * @default "debug"; "warn" with NODE_ENV=production
   */
  readonly level?: LogLevel | undefined;
  /**
   * Whether to colour the severity.
   *
   * @default true on a terminal that supports colours
   */
  readonly color?: boolean | undefined;
  /**
   * How deeply objects are printed; null for no limit.
   *
   * @default 2
   */
  readonly depth?: number | null | undefined;
}

const colors: Record<Severity, number> = { debug: 34, info: 32, warn: 33, error: 31 };

/** Matches control characters and line separators, which could forge a line or control a terminal. */
// oxlint-disable-next-line no-control-regex -- the pattern is meant to match control characters
const unsafe = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g;

const escape = (character: string): string =>
  `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;

const escapeLine = (text: string): string => text.replace(unsafe, escape);

/** Escapes the lines of a stack; all but the first are indented, so that none can pass for a separate log line. */
const escapeLines = (text: string): string => text.split("\n").map(escapeLine).join("\n  ");

const doNothing = (): void => undefined;

/** The most characters that are logged of a text, as `inspect` does; writing more would hold up all other requests. */
const maxLength = 10_000;

const shorten = (text: string): string => {
  const left = text.length - maxLength;
  const half = maxLength / 2;
  return left > 0 ? `${text.slice(0, half)}… ${left} more characters …${text.slice(-half)}` : text;
};

/** Returns a copy of a value whose parts are mapped, and which prints as the value itself does. */
const mapParts = (value: object, map: (part: unknown) => unknown): object => {
  const parts = Object.getOwnPropertyDescriptors(value) as Record<string, PropertyDescriptor>;
  for (const name of Object.keys(parts))
    if ("value" in (parts[name] as object))
      parts[name] = { ...parts[name], value: map(value[name as never]) };
  return Object.create(Object.getPrototypeOf(value) as object, parts) as object;
};

/** Shortens the stacks of errors, which `inspect` prints whole, at the depths at which errors are logged. */
const shortenStacks = (value: unknown, depth = 0): unknown => {
  if (depth > 4 || typeof value !== "object" || value === null) return value;
  const toShort = (part: unknown): unknown =>
    typeof part === "string" ? shorten(part) : shortenStacks(part, depth + 1);
  if (isError(value)) return isLong(value) ? mapParts(value, toShort) : value;
  // the copy of an instance of a class may lack what the class keeps outside of its properties
  const isPlain = [Object.prototype, null].includes(Object.getPrototypeOf(value) as null);
  return depth === 0 && isPlain ? mapParts(value, toShort) : value;
};

const isLong = ({ stack = "", cause }: Error, depth = 0): boolean =>
  stack.length > maxLength || (isError(cause) && depth < 4 && isLong(cause, depth + 1));

const print = (meta: unknown, depth: number | null): string => {
  const options = { depth, breakLength: Infinity, compact: true };
  const { inspect } = process.getBuiltinModule("node:util");
  try {
    return inspect(shortenStacks(meta), options);
  } catch {
    return inspect(meta, options);
  }
};

/** The built-in loggers, which never throw and so need no guard. */
export const safeLoggers = new WeakSet<object>();

export const createConsoleLogger = (options: ConsoleLoggerOptions = {}): Logger => {
  const level =
    options.level ??
    (process.env["NODE_ENV"] === "production"
      ? defaults.logger.levelInProduction
      : defaults.logger.level);
  const color = options.color ?? (process.stdout.isTTY && process.stdout.hasColors());
  const depth = options.depth === undefined ? defaults.logger.depth : options.depth;
  const write =
    (severity: Severity): LogMethod =>
    (message, meta) => {
      try {
        const label = color ? `\u001b[${colors[severity]}m${severity}\u001b[39m` : severity;
        const details = meta === undefined ? "" : ` ${escapeLines(print(meta, depth))}`;
        // oxlint-disable-next-line no-console -- this logger writes to the console, which survives a closed pipe
        console.log(
          `${new Date().toISOString()} ${label}: ${escapeLine(shorten(message))}${details}`,
        );
      } catch {
        // an entry that cannot be printed, because of a throwing getter for example, must not fail the request
      }
    };
  const least = logLevels.indexOf(level);
  const methods = severities.map((severity): [Severity, LogMethod] => [
    severity,
    logLevels.indexOf(severity) <= least ? write(severity) : doNothing,
  ]);
  const logger = Object.fromEntries(methods) as Record<Severity, LogMethod>;
  safeLoggers.add(logger);
  return logger;
};

export const isSilenced = (logger: Logger, severity: Severity): boolean =>
  logger[severity] === doNothing;
