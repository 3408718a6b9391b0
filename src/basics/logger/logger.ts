/**
 * The additional methods of your custom logger. Extend this interface by declaration merging, so that handlers and
 * middlewares see these methods on `logger`.
 *
 * @example
 * declare module "sallyport" {
 *   interface LoggerOverrides extends pino.Logger {}
 * }
 */
// oxlint-disable-next-line typescript/no-empty-object-type -- filled by declaration merging
export interface LoggerOverrides {}

/** The four severities of a logger, least severe first. */
export const severities = ["debug", "info", "warn", "error"] as const;

/** The severity of a log line. */
export type Severity = (typeof severities)[number];

/** Writes a log line of one severity. */
export type LogMethod = (message: string, meta?: unknown) => unknown;

/** The logger that handlers, middlewares and result handlers receive. */
// an intersection, because an interface cannot extend two types whose methods differ, such as ours and pino's
export type Logger = Readonly<Record<Severity, LogMethod>> & LoggerOverrides;

/** A logger that can create child loggers, which add fields to their lines. */
export type ParentLogger = Logger & { child(fields: object): Logger };

export const isLogger = (value: unknown): value is Logger =>
  typeof value === "object" &&
  value !== null &&
  severities.some((severity) => typeof Reflect.get(value, severity) === "function");
