import { z } from "zod";
import type { ServerFaultCode } from "../errors.ts";
import { formatIssues } from "../schemas/issues.ts";
import { loadHttpErrors } from "../lazy/packages.ts";
import { isErrorStatus, toStatusText } from "../http/status.ts";

/** An error that says with which status it is to be answered, as made by the `http-errors` package. */
export interface HttpError extends Error {
  readonly status: number;
  readonly statusCode: number;
  /** Whether the message is meant for the client. */
  readonly expose: boolean;
  /** Header fields for the answer. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** Reads a property that a getter or a revoked proxy may guard with a throw. */
export const readSafely = (value: unknown, key: string): unknown => {
  try {
    return typeof value === "object" && value !== null ? Reflect.get(value, key) : undefined;
  } catch {
    return undefined;
  }
};

/** Tells whether a value is an instance of a class; a revoked proxy is none. */
const isInstance = <T>(value: unknown, of: abstract new (...args: never) => T): value is T => {
  try {
    return value instanceof of;
  } catch {
    return false;
  }
};

/**
 * Finds the status an error is answered with: its integer `statusCode`, else its `status`, within 400..599; otherwise 500.
 */
export const toErrorStatus = (error: unknown): number => {
  const statusCode = readSafely(error, "statusCode");
  if (isErrorStatus(statusCode)) return statusCode;
  const status = readSafely(error, "status");
  return isErrorStatus(status) ? status : 500;
};

/** Gives an Error for whatever was thrown: itself where it is one, else one with the thrown value as its cause. */
export const ensureError = (thrown: unknown): Error => {
  if (isInstance(thrown, Error)) return thrown;
  // an error of Zod's own making need not be an Error
  if (isInstance(thrown, z.core.$ZodError))
    return new Error(formatIssues(thrown.issues), { cause: thrown });
  const text = ["object", "function", "symbol"].includes(typeof thrown)
    ? toStatusText(500)
    : String(thrown);
  const code: ServerFaultCode = "SLP_THROWN_NON_ERROR";
  return Object.assign(new Error(text, { cause: thrown }), { code });
};

/** Gives the message of whatever was thrown; never throws itself. */
export const getMessageFromError = (thrown: unknown): string => {
  const error = ensureError(thrown);
  if (error instanceof z.core.$ZodError) return formatIssues(error.issues);
  const message = readSafely(error, "message");
  return typeof message === "string" ? message : toStatusText(500);
};

/**
 * Gives an HTTP error for whatever was thrown, with the original as its cause.
 *
 * The status is the error's integer `statusCode`, else `status`, within 400..599; otherwise 500.
 * An error of `http-errors` is returned as it is.
 */
export const ensureHttpError = (thrown: unknown): HttpError => {
  const error = ensureError(thrown);
  const status = toErrorStatus(error);
  const expose = readSafely(error, "expose");
  if (
    typeof expose === "boolean" &&
    [readSafely(error, "status"), readSafely(error, "statusCode")].every((one) => one === status)
  )
    return error as HttpError;
  const headers = readSafely(error, "headers");
  return loadHttpErrors()(status, getMessageFromError(error), {
    cause: error,
    expose: typeof expose === "boolean" ? expose : status < 500,
    ...(typeof headers === "object" && headers !== null ? { headers } : {}),
  }) as HttpError;
};

/**
 * Gives the message of an error that a client may see; for result handlers.
 *
 * With NODE_ENV=production that of a 5xx is replaced by the status text unless the error has `expose: true`,
 * and that of a 4xx only where it has `expose: false`. That of the operating system is shown in development only.
 */
export const toPublicMessage = (thrown: unknown): string => {
  const error = ensureHttpError(thrown);
  return isPublic(error) ? getMessageFromError(error) : toStatusText(error.statusCode);
};

/** Tells whether a client may see what an error says. */
export const isPublic = (error: HttpError): boolean => {
  const environment = process.env["NODE_ENV"];
  return isSystemError(error)
    ? environment === "development"
    : environment !== "production" || error.expose;
};

/**
 * Gives an error for what Express has failed to send, such as a file: that of the operating system names paths
 * of this machine, so it becomes the cause of one with a fixed message.
 */
export const toSendingError = (thrown: unknown): Error => {
  const error = ensureHttpError(thrown);
  if (!isSystemError(error)) return ensureError(thrown);
  const status = error.statusCode;
  return loadHttpErrors()(status, toStatusText(status), { cause: thrown, expose: true });
};

/** An error of the operating system, whose message names paths of this machine. */
const isSystemError = (error: HttpError): boolean =>
  [error, error.cause].some((one) => typeof readSafely(one, "syscall") === "string");
