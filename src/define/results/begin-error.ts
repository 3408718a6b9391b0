import { isError } from "../../basics/http/is-error.ts";
import { z } from "zod";
import { frameworkErrorCodes, ServerFault } from "../../basics/errors.ts";
import { canBeSent } from "../../basics/http/header-field.ts";
import { toStatusText } from "../../basics/http/status.ts";
import {
  toShortIssues,
  type InputValidationError,
  type ShortIssue,
} from "../../basics/schemas/issues.ts";
import { clearRepresentation } from "../../wire/exchange/node-response.ts";
import { getMessageFromError, readHttpError, readSafely } from "../../wire/reply/http-error.ts";
import { logServerFault } from "./log-fault.ts";
import type { Result } from "./result.ts";

/** The parts of an error that a client may see. */
export interface ErrorAnswer {
  readonly status: number;
  readonly message: string;
  /** The invalid parts of the input; set only for an input validation error that has them. */
  readonly issues?: readonly ShortIssue[] | undefined;
  /** Whether the issues are about declared header fields. */
  readonly isOfHeaders?: boolean;
  /** The name under which the error is declared, or the code of an error of the framework. */
  readonly code?: string | undefined;
  readonly data?: unknown;
  readonly problem?: Result["problem"];
  /** Whether the client may see the error's own message. */
  readonly isPublic: boolean;
}

const frameworkCodes = new WeakSet<object>();

/** Checks for the schema of a code that can only be one of the framework, a fact for types that documents leave out. */
export const isFrameworkCode = (schema: object): boolean => frameworkCodes.has(schema);

/** Creates the schema of the code of an error that is declared under a name, or else of one of the framework. */
export const toCodeSchema = (code: string | undefined): z.ZodType<string | undefined> => {
  if (code !== undefined) return z.literal(code);
  const schema = z.string();
  frameworkCodes.add(schema);
  return schema.optional();
};

export const toIssuesSchema = (): z.ZodType<ErrorAnswer["issues"]> =>
  z
    .array(
      z.object({
        path: z.array(z.union([z.string(), z.int()])),
        message: z.string(),
        code: z.string(),
      }),
    )
    .optional();

const bodyFields: ReadonlySet<string> = new Set([
  "content-encoding",
  "content-length",
  "content-type",
  "trailer",
  "transfer-encoding",
]);

/** Lists the header fields of an error: those of an object, or of a Map or Headers. */
const listFields = (headers: object): readonly (readonly [string, string | undefined])[] => {
  if (typeof headers !== "object" || Array.isArray(headers)) return [];
  try {
    const isIterable = Symbol.iterator in headers;
    return isIterable ? [...(headers as Map<string, string>)] : Object.entries(headers);
  } catch {
    return [];
  }
};

/** Returns the code of an error with which the framework rejects requests. */
const readOwnCode = (error: unknown): string | undefined => {
  const code = isError(error) ? readSafely(error, "code") : undefined;
  const isOwn = typeof code === "string" && frameworkErrorCodes.has(code);
  return isOwn && readSafely(error, "expose") === true ? code : undefined;
};

const toDeclared = ({ errorData, problem }: Result) => ({
  data: errorData,
  problem,
  ...(problem?.code !== undefined && { code: problem.code }),
});

/**
 * Prepares a response for an error: sets the error's header fields, and those that prevent caching and MIME sniffing.
 *
 * @returns the status and the parts of the body
 */
export const beginError = (result: Result): ErrorAnswer => {
  const { request, response, logger } = result;
  const { error, status, isHttpError, headers, isPublic } = readHttpError(result.error);
  clearRepresentation(response);
  const wrong: string[] = [];
  for (const [name, value] of headers ? listFields(headers) : [])
    if (value !== undefined && !canBeSent(name, value)) wrong.push(name);
    else if (value !== undefined && !bodyFields.has(name.toLowerCase()))
      response.setHeader(name, value);
  response.setHeader("X-Content-Type-Options", "nosniff");
  response.setHeader("Cache-Control", "no-store");
  if (wrong.length > 0) {
    const text = `The error has headers that cannot be sent: ${JSON.stringify(wrong)}`;
    // an error with a 5xx status has been logged already
    if (status < 500)
      logServerFault(logger, request, new ServerFault("SLP_ERROR_HEADERS", text, error));
    return { status: 500, message: toStatusText(500), isPublic: false };
  }
  // the error may come from another copy of this package
  const own = isHttpError ? readSafely(error, "cause") : error;
  const ownCode = readOwnCode(own);
  const isInvalid = ownCode === "SLP_INPUT_INVALID";
  const invalid = isInvalid ? (own as InputValidationError).cause : undefined;
  return {
    status,
    message: isPublic ? getMessageFromError(error) : toStatusText(status),
    issues: invalid && toShortIssues(invalid.issues),
    isOfHeaders: isInvalid && (own as InputValidationError).source === "headers",
    code: readOwnCode(error) ?? (isInvalid ? ownCode : undefined),
    ...toDeclared(result),
    isPublic,
  };
};
