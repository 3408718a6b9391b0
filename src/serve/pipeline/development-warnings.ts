import { toLoggedPath, toLoggedRoute } from "../../basics/http/logged-path.ts";
import { formatIssues, toZodError } from "../../basics/schemas/issues.ts";
import type { EndpointPlan } from "./endpoint-plan.ts";
import { pick, type HeaderPlan } from "./validate.ts";
import type { RequestState } from "./request-state.ts";
import { z } from "zod";
import { joinErrors } from "../../define/endpoint/join-errors.ts";
import { isOfFramework } from "./answer-error.ts";

const warnedOfBody = new WeakSet<EndpointPlan>();

/**
 * In development, warns once if a middleware reads `request.body` before anything has parsed it.
 *
 * @returns a function to call when the middleware is done
 */
export const warnOfUnreadBody = (
  plan: EndpointPlan,
  state: RequestState,
): (() => void) | undefined => {
  if (!plan.isDevelopment || warnedOfBody.has(plan)) return undefined;
  const { request, logger } = state;
  if (request.body !== undefined || request.readableEnded) return undefined;
  let isSeen = false;
  const field = { configurable: true, enumerable: true };
  const write = (value: unknown): void => {
    Object.defineProperty(request, "body", { ...field, writable: true, value });
  };
  const get = (): void => {
    isSeen = true;
  };
  Object.defineProperty(request, "body", { ...field, get, set: write });
  return () => {
    const isUntouched = Object.getOwnPropertyDescriptor(request, "body")?.get !== undefined;
    if (isUntouched) write(undefined);
    // the middleware checked whether the body had been parsed, and then read the body itself
    if (request.readableDidRead) return;
    if (!isSeen || !isUntouched || warnedOfBody.has(plan)) return;
    warnedOfBody.add(plan);
    logger.warn(
      `SLP_WARN_UNREAD_BODY: a middleware of ${request.method} ${toLoggedPath(request)} reads \`request.body\` before the body has been parsed. Set \`body: true\` in its definition, or in the options of \`use\`.`,
    );
  };
};

const warnedOfStatus = new WeakMap<EndpointPlan, Set<number>>();

/**
 * In development, warns once per status if an endpoint that declares its errors responds with an undeclared one, and
 * once if a successful response lacks a field of `responseHeaders`.
 */
export const watchResponse = (plan: EndpointPlan, state: RequestState, thrown?: unknown): void => {
  // the framework's own errors need no declaration
  if (isOfFramework(thrown)) return;
  const { response } = state;
  const check = (): void => {
    if (plan.endpoint.errors) checkStatus(plan, state);
    if (plan.responseHeaders && response.statusCode < 300)
      void checkHeaders(plan, plan.responseHeaders, state);
  };
  if (state.sentStatus !== undefined) check();
  else response.once("finish", check);
};

const warnedOfHeaders = new WeakSet<EndpointPlan>();

const checkHeaders = async (
  plan: EndpointPlan,
  { names, parse }: HeaderPlan,
  { request, response, logger }: RequestState,
): Promise<void> => {
  // a head that `writeHead` was given cannot be read
  if (warnedOfHeaders.has(plan) || response.getHeaderNames().length === 0) return;
  try {
    const sent = pick(names, (name) => {
      const value = response.getHeader(name);
      return typeof value === "number" ? String(value) : value;
    });
    const { issues } = await parse(sent);
    if (issues.length === 0) return;
    warnedOfHeaders.add(plan);
    const text = formatIssues(toZodError(issues).issues);
    logger.warn(
      `SLP_WARN_RESPONSE_HEADER: a response of ${toLoggedRoute(request)} lacks or changes what \`responseHeaders\` declares: ${text}.`,
    );
  } catch (error) {
    logger.warn("SLP_WARN_RESPONSE_HEADER: the header fields could not be checked", { error });
  }
};

const checkStatus = (plan: EndpointPlan, { request, response, logger }: RequestState): void => {
  const { statusCode: status } = response;
  const known = warnedOfStatus.get(plan) ?? new Set<number>();
  if (known.has(status) || isDeclared(plan, status)) return;
  warnedOfStatus.set(plan, known.add(status));
  const fix =
    status < 300
      ? `Set \`statusCode: ${status}\` in the definition of the endpoint`
      : `Add \`${status}: "..."\` to the \`errors\` of the endpoint, or of the middleware that throws it`;
  logger.warn(
    `SLP_WARN_STATUS: ${toLoggedRoute(request)} responded with ${status}, which is not declared. ${fix}.`,
  );
};

/** Checks whether a status is declared; redirects and server errors need no declaration. */
const isDeclared = (plan: EndpointPlan, status: number): boolean => {
  if (plan.content && ofFiles.has(status)) return true;
  if (status < 300) return listSuccesses(plan).includes(status);
  if (status < 400 || status >= 500 || joinErrors(plan.endpoint).has(status)) return true;
  // generated documents list these statuses without a declaration
  if (status === 400) return plan.parseInput !== undefined || plan.hasMiddlewareInput;
  if (status === 401)
    return [plan.endpoint, ...plan.endpoint.middlewares].some(({ security }) => security);
  return plan.body !== "none" && (status === 413 || status === 415);
};

/** The statuses with which Express sends a part of a file, or refuses to. */
const ofFiles: ReadonlySet<number> = new Set([206, 412, 416]);

const listSuccesses = ({ endpoint }: EndpointPlan): readonly number[] => {
  const { statusCode = 200, outputSchema, resultHandler } = endpoint;
  try {
    const responses = resultHandler.listPositive((outputSchema ?? z.unknown()) as z.ZodType);
    return responses.flatMap((response) => response.statusCode ?? statusCode);
  } catch {
    return [statusCode];
  }
};
