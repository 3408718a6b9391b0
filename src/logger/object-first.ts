import type { Severity } from "./logger.ts";

/** Writes a line to a logger, in the logger's own argument order. */
export type WriteLine = (severity: Severity, line: readonly unknown[]) => unknown;

type Methods = Readonly<Record<string, ((...line: unknown[]) => unknown) | undefined>>;

/**
 * Determines how to call a logger: message first, like the built-in logger, or object first, like pino and bunyan.
 * Calls in which the application already uses the logger's own order are passed on unchanged.
 */
export const toWriteLine = (logger: object): WriteLine => {
  const methods = logger as Methods;
  if (isPino(logger))
    return (severity, line) => methods[severity]?.(...turn(line, (error) => ["err", error]));
  if (isBunyan(logger))
    return (severity, line) =>
      methods[severity]?.(...turn(line, (error) => ["err", toPlain(error)]));
  if (isWinston(logger))
    return (severity, [message, meta, ...more]) =>
      methods[severity]?.(message, withPlainError(meta), ...more);
  return (severity, line) => methods[severity]?.(...line);
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
