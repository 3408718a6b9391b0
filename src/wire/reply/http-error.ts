import { isError } from "../../basics/http/is-error.ts";
import { z } from "zod";
import type { ServerFaultCode } from "../../basics/errors.ts";
import { formatIssues } from "../../basics/schemas/issues.ts";
import { loadHttpErrors } from "../../basics/lazy/packages.cjs";
import { toStatusText } from "../../basics/http/status.ts";

/** An error that carries the status of its response, as made by the `http-errors` package. */
export interface HttpError extends Error {
  readonly status: number;
  readonly statusCode: number;
  /** Whether the message is meant for the client. */
  readonly expose: boolean;
  /** Header fields for the response. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** Reads a property that may throw, such as a getter or a property of a revoked proxy. */
export const readSafely = (value: unknown, key: string): unknown => {
  try {
    return typeof value === "object" && value !== null ? Reflect.get(value, key) : undefined;
  } catch {
    return undefined;
  }
};

export const isErrorStatus = (value: unknown): value is number =>
  typeof value === "number" && Number.isInteger(value) && value >= 400 && value <= 599;

/** Returns the `statusCode` of an error, or else its `status`, if that is an integer from 400 to 599; otherwise 500. */
export const toErrorStatus = (error: unknown, otherwise = 500): number => {
  const status = readSafely(error, "statusCode");
  if (isErrorStatus(status)) return status;
  const other = readSafely(error, "status");
  return isErrorStatus(other) ? other : otherwise;
};

/** Returns the value itself if it is an Error, or else an Error with the value as its cause. */
export const ensureError = (thrown: unknown): Error => {
  try {
    if (isError(thrown)) return thrown;
    // Zod's own errors need not be instances of Error
    if (thrown instanceof z.core.$ZodError)
      return new Error(formatIssues(thrown.issues), { cause: thrown });
  } catch {
    // a revoked proxy
  }
  const hasText = !["object", "function", "symbol"].includes(typeof thrown);
  const text = hasText ? String(thrown) : toStatusText(500);
  const code: ServerFaultCode = "SLP_THROWN_NON_ERROR";
  return Object.assign(new Error(text, { cause: thrown }), { code });
};

/** Returns the message of any thrown value; never throws. */
export const getMessageFromError = (thrown: unknown): string => {
  const error = ensureError(thrown);
  try {
    const message: unknown =
      error instanceof z.core.$ZodError ? formatIssues(error.issues) : error.message;
    if (typeof message === "string") return message;
  } catch {
    // a getter has thrown
  }
  return toStatusText(500);
};

/** What a response takes of an error, as `ensureHttpError` would return it. */
export interface HttpErrorFacts {
  /** The error itself, or else an Error with the thrown value as its cause. */
  readonly error: Error;
  readonly status: number;
  /** Whether the error has the form that `http-errors` gives to errors. */
  readonly isHttpError: boolean;
  readonly headers: object | undefined;
  /** Whether a client may see the message. */
  readonly isPublic: boolean;
}

export const readHttpError = (thrown: unknown): HttpErrorFacts => {
  const error = ensureError(thrown);
  const status = toErrorStatus(error);
  const expose = readSafely(error, "expose");
  const isHttpError =
    typeof expose === "boolean" &&
    readSafely(error, "status") === status &&
    readSafely(error, "statusCode") === status;
  const headers = readSafely(error, "headers");
  const isExposed = typeof expose === "boolean" ? expose : status < 500;
  return {
    error,
    status,
    isHttpError,
    headers: typeof headers === "object" && headers !== null ? headers : undefined,
    isPublic: isSystemError(error, isHttpError)
      ? process.env["NODE_ENV"] === "development"
      : isExposed || process.env["NODE_ENV"] !== "production",
  };
};

/**
 * Converts any thrown value to an HTTP error, with the original as its cause.
 *
 * The status is the error's `statusCode`, or else its `status`, if that is an integer from 400 to 599; otherwise 500.
 * An error made by `http-errors` is returned unchanged.
 */
export const ensureHttpError = (thrown: unknown): HttpError => {
  const { error, status, isHttpError } = readHttpError(thrown);
  return isHttpError ? (error as HttpError) : toHttpError(error, status);
};

const toHttpError = (error: Error, status: number): HttpError => {
  const expose = readSafely(error, "expose");
  const headers = readSafely(error, "headers");
  return loadHttpErrors()(status, getMessageFromError(error), {
    cause: error,
    expose: typeof expose === "boolean" ? expose : status < 500,
    ...(typeof headers === "object" && headers !== null ? { headers } : {}),
  }) as HttpError;
};

/** Gives an error of an Express middleware, unless it has a status, that of the response if it is a 4xx or 5xx one. */
export const toNativeError = (
  error: Error,
  { statusCode }: { readonly statusCode: number },
): Error =>
  isErrorStatus(statusCode) && toErrorStatus(error, 0) === 0
    ? toHttpError(error, statusCode)
    : error;

/**
 * Returns the message that a client may see for an error; for use in result handlers.
 *
 * With NODE_ENV=production, the message of a 5xx error is replaced by the status text unless the error has
 * `expose: true`; the message of a 4xx error is shown unless the error has `expose: false`. Messages from the operating
 * system are shown in development only.
 */
export const toPublicMessage = (thrown: unknown): string => {
  const { error, status, isPublic } = readHttpError(thrown);
  return isPublic ? getMessageFromError(error) : toStatusText(status);
};

/** Returns the error for what Express has failed to send; messages of the operating system contain local paths. */
export const toSendingError = (thrown: unknown): Error => {
  const { error, status, isHttpError } = readHttpError(thrown);
  if (!isSystemError(error, isHttpError)) return error;
  return loadHttpErrors()(status, toStatusText(status), { cause: thrown });
};

/** The property with the declaration of an error that was created with a function of `errors`. */
export const declaredMark = "sallyport/declaration";

/** Checks whether an error, or that from which it was made, comes from the operating system; see `toPublicMessage`. */
const isSystemError = (error: Error, isHttpError: boolean): boolean =>
  typeof readSafely(error, "syscall") === "string" ||
  (isHttpError &&
    // the message of a declared error is not that of its cause
    readSafely(error, declaredMark) === undefined &&
    typeof readSafely(readSafely(error, "cause"), "syscall") === "string");
