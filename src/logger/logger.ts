/**
 * Extend this interface by declaration merging when your custom logger has more methods:
 * handlers and middlewares then see them on `logger`.
 *
 * @example
 * declare module "sallyport" {
 *   interface LoggerOverrides extends pino.Logger {}
 * }
 */
// oxlint-disable-next-line typescript/no-empty-object-type -- filled by declaration merging
export interface LoggerOverrides {}

/** The four severities that a logger has, the least severe first. */
export const severities = ["debug", "info", "warn", "error"] as const;

/** A severity of a log line. */
export type Severity = (typeof severities)[number];

/** Writes a log line of one severity. */
export type LogMethod = (message: string, meta?: unknown) => unknown;

/** The logger that handlers, middlewares and result handlers receive. */
// an intersection, because an interface cannot extend two whose methods differ, such as ours and those of pino
export type Logger = Readonly<Record<Severity, LogMethod>> & LoggerOverrides;

/** A logger that makes others whose lines have more fields. */
export type ParentLogger = Logger & { child(fields: object): Logger };

/** Tells whether a value can serve as a logger: an object with at least one of the four methods. */
export const isLogger = (value: unknown): value is Logger =>
  typeof value === "object" &&
  value !== null &&
  severities.some((severity) => typeof Reflect.get(value, severity) === "function");
