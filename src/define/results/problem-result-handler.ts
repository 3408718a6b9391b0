import type { Request } from "express";
import { z } from "zod";
import { ServerFault } from "../../basics/errors.ts";
import { toStatusText } from "../../basics/http/status.ts";
import { isObject } from "../../basics/messages/option-checks.ts";
import { findUnserialisable } from "../../wire/reply/find-unserialisable.ts";
import { logServerFault } from "./log-fault.ts";
import { toCodeSchema, toIssuesSchema, type ErrorAnswer } from "./begin-error.ts";
import type {
  ApiResponse,
  ErrorDataPlaceholder,
  OutputPlaceholder,
  SchemaOf,
} from "./api-response.ts";
import type { InputIssue } from "./default-result-handler.ts";
import { readSafely } from "../../wire/reply/http-error.ts";
import { findExchange } from "../../wire/exchange/exchange.ts";
import { writtenBy, type WriteErrorBody } from "./error-bodies.ts";
import type { Result } from "./result.ts";
import { ResultHandler } from "./result-handler.ts";
import { toReply } from "./send-result.ts";

/**
 * The body of an error in the problem details format, `application/problem+json`.
 *
 * @see https://www.rfc-editor.org/rfc/rfc9457
 */
export interface ProblemDetails {
  /** A URI that identifies the kind of problem; `about:blank` if the status alone describes the problem. */
  readonly type: string;
  /** A short summary of the kind of problem: the reason phrase of the status, unless the error has a title. */
  readonly title: string;
  readonly status: number;
  /** An explanation of this occurrence of the problem. */
  readonly detail: string;
  /** The name under which the error is declared, or the code of an error of the framework, such as `SLP_INPUT_INVALID`. */
  readonly code?: string | undefined;
  /** A URI that identifies this occurrence. */
  readonly instance?: string | undefined;
  /** The invalid parts of the input, in the form of the RFC; set only for an input validation error. */
  readonly errors?: readonly InvalidPart[] | undefined;
  /** The same parts as in other envelopes, for clients that handle the issues of fields. */
  readonly issues?: readonly InputIssue[] | undefined;
  /** Further members of the error's `problem`. */
  readonly [extension: string]: unknown;
}

/** An invalid part of the input, as in section 3 of RFC 9457. */
export interface InvalidPart {
  readonly detail: string;
  /** A JSON pointer to the part of the body, as a URI fragment. */
  readonly pointer?: string | undefined;
  /** The name of the path or query parameter, header field or cookie, if the part is not in the body. */
  readonly parameter?: string | undefined;
}

/**
 * The result handler of `problemEndpointsFactory`, which sends the bare output on success and problem details on error,
 * both as JSON.
 */
export interface ProblemResultHandler extends ResultHandler<
  ApiResponse<SchemaOf<OutputPlaceholder>>,
  ApiResponse<SchemaOf<ProblemDetails & { readonly data: ErrorDataPlaceholder }>>
> {}

const toNegativeSchema = (data?: z.ZodType, type?: string, code?: string) =>
  z.looseObject({
    type: type === undefined ? z.string() : z.literal(type),
    title: z.string(),
    status: z.int().min(400).max(599),
    detail: z.string(),
    code: toCodeSchema(code),
    instance: z.string().optional(),
    errors: z
      .array(
        z.object({
          detail: z.string(),
          pointer: z.string().optional(),
          parameter: z.string().optional(),
        }),
      )
      .optional(),
    issues: toIssuesSchema(),
    ...(data && { data }),
  });

/** Picks what may be sent of an error's property `problem`; members whose type violates the RFC are left out. */
const pickOwn = (problem: object): Readonly<Record<string, unknown>> => {
  const {
    type,
    title,
    instance,
    issues: _issues,
    errors: _errors,
    toJSON: _toJSON,
    ...extensions
  } = problem as Record<string, unknown>;
  return {
    ...extensions,
    ...(typeof type === "string" && { type }),
    ...(typeof title === "string" && { title }),
    ...(typeof instance === "string" && { instance }),
  };
};

/** Picks what may be sent of an error's property `problem` and JSON can represent, and logs what is wrong with the others. */
const toSerialisable = (problem: object, result: Result): object => {
  try {
    const own = pickOwn(problem);
    JSON.stringify(own);
    return own;
  } catch (cause) {
    return pickOwn(dropUnserialisable(problem, cause, result));
  }
};

const dropUnserialisable = (problem: object, cause: unknown, result: Result): object => {
  const kept: Record<string, unknown> = {};
  const faults: (string | undefined)[] = [];
  for (const name of Object.keys(problem)) {
    const member = { get: () => Reflect.get(problem, name) as unknown, enumerable: true };
    const part = Object.defineProperty({}, name, member);
    try {
      JSON.stringify(part);
      kept[name] = Reflect.get(problem, name);
    } catch {
      faults.push(findUnserialisable(part, "problem"));
    }
  }
  const text = `Members of the \`problem\` of an error are left out, because JSON cannot represent them: ${faults.join("; ")}`;
  const fault = new ServerFault("SLP_OUTPUT_UNSERIALIZABLE", text, cause);
  logServerFault(result.logger, result.request, fault, result.error ?? undefined);
  return kept;
};

/** Points at an invalid part: into the body, or at a parameter, which may be a header field. */
const toInvalidPart = (
  { path, message: detail }: InputIssue,
  request: Request,
  isOfHeaders = false,
): InvalidPart => {
  const [field, ...rest] = isOfHeaders ? path.slice(1) : path;
  if (!isOfHeaders && isInBody(field, request)) {
    const steps = field === undefined ? [] : [field, ...rest];
    return { detail, pointer: `#${steps.map((step) => `/${toStep(step)}`).join("")}` };
  }
  return field === undefined ? { detail } : { detail, parameter: toName(field, rest) };
};

/** The sources that are parts of the body. */
const bodySources: ReadonlySet<string> = new Set(["body", "files"]);

/** Checks whether a field, or the whole input, comes from the body, or belongs there if no source has it. */
const isInBody = (field: string | number | undefined, request: Request): boolean => {
  const sources = findExchange(request)?.run?.plan.sources ?? [];
  const read = (source: string): object => Object(readSafely(request, source)) as object;
  const isCustom = String(field).startsWith("x-");
  const origin = sources.findLast(
    (source) =>
      field !== undefined &&
      (source !== "headers" || isCustom) &&
      Object.hasOwn(read(source), field),
  );
  if (origin !== undefined) return bodySources.has(origin);
  if (sources.includes("headers") && isCustom) return false;
  // of a query and a body, the request may have only one
  const isSent = !sources.includes("query") || Object.keys(read("body")).length > 0;
  return isSent && sources.some((source) => bodySources.has(source));
};

/** Escapes a step of a JSON pointer in a URI fragment; see RFC 6901, section 6. */
const toStep = (step: string | number): string =>
  encodeURIComponent(
    String(step)
      .replaceAll("~", "~0")
      .replaceAll("/", "~1")
      // a lone surrogate cannot be encoded
      .replaceAll(/\p{Surrogate}/gu, "\uFFFD"),
  );

const toName = (field: string | number, rest: readonly (string | number)[]): string =>
  `${field}${rest.map((step) => `[${step}]`).join("")}`;

/** Names the occurrence by the id of its request, if that is a UUID. */
const toInstance = (request: Request): { readonly instance?: string } => {
  const id = String(readSafely(request, "id"));
  return /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i.test(id)
    ? { instance: `urn:uuid:${id}` }
    : {};
};

const toProblem = (
  { status, message, code, issues, data, problem: { type, title } = {} }: ErrorAnswer,
  own: object,
  toPart: (issue: InputIssue) => InvalidPart,
): ProblemDetails => ({
  type: "about:blank",
  title: title ?? toStatusText(status),
  ...own,
  ...(type !== undefined && { type }),
  status,
  detail: message,
  ...(code !== undefined && { code }),
  ...(issues && { errors: issues.map(toPart), issues }),
  ...(data !== undefined && { data }),
});

/** Writes problem details for an example, in which an invalid part is a field of the body, or a parameter. */
const toExample: WriteErrorBody = (answer, isInBody) =>
  toProblem(answer, {}, ({ path, message: detail }) => {
    const [field = "", ...rest] = answer.isOfHeaders ? path.slice(1) : path;
    return isInBody
      ? { detail, pointer: `#/${path.map(toStep).join("/")}` }
      : { detail, parameter: toName(field, rest) };
  });

const toBody = (answer: ErrorAnswer, result: Result): ProblemDetails => {
  const { request, error } = result;
  const toPart = (issue: InputIssue) => toInvalidPart(issue, request, answer.isOfHeaders);
  const problem = answer.isPublic ? readSafely(error, "problem") : undefined;
  const own = isObject(problem) ? toSerialisable(problem, result) : {};
  return toProblem(answer, { ...toInstance(request), ...own }, toPart);
};

/**
 * The result handler of `problemEndpointsFactory`.
 *
 * A success is sent as the bare output, by default with status 200, and an error as problem details with its own
 * status, both as JSON. An error can have a property `problem` with a `type`, a `title`, an `instance` and further
 * members, which are sent whenever the error's message is sent. `status`, `detail`, `errors` and `issues` always come from the
 * error itself, as does `data` if the endpoint declares it.
 *
 * @see https://www.rfc-editor.org/rfc/rfc9457
 * @example
 * throw createHttpError(403, "Your balance is 30, but that costs 50", {
 *   problem: { type: "https://example.com/problems/out-of-credit", title: "Out of credit", balance: 30 },
 * });
 */
export const problemResultHandler: ProblemResultHandler = new ResultHandler({
  positive: (data) => ({ schema: data, mimeType: "application/json" }),
  negative: (data, type, code) => ({
    schema: writtenBy(toExample, toNegativeSchema(data, type, code)),
    mimeType: "application/problem+json",
  }),
  reply: toReply((result, answer) => ({
    json: answer ? toBody(answer, result) : result.output,
  })),
}) as unknown as ProblemResultHandler;
