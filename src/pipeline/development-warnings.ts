import type { Request } from "express";
import { toLoggedPath } from "../results/log-fault.ts";
import { formatIssues, toZodError } from "../schemas/issues.ts";
import type { EndpointPlan, HeaderPlan } from "./endpoint-plan.ts";
import { pick } from "./validate.ts";
import type { RequestState } from "./request-state.ts";
import { z } from "zod";
import { joinErrors } from "../endpoint/declared-errors.ts";
import { isOfFramework } from "./error-data.ts";

const warnedOfBody = new WeakSet<EndpointPlan>();

/**
 * In development, warns once if a middleware reads `request.body` before anything has parsed it.
 *
 * @returns a function to call when the middleware is done; there is no warning if the middleware has read the body
 * itself
 */
export const watchUnreadBody = (
  plan: EndpointPlan,
  state: RequestState,
): (() => void) | undefined => {
  if (process.env["NODE_ENV"] === "production" || warnedOfBody.has(plan)) return undefined;
  const { request, logger } = state;
  if (request.body !== undefined || request.readableEnded) return undefined;
  let isSeen = false;
  const write = (value: unknown): void => {
    Object.defineProperty(request, "body", { ...field, value });
  };
  Object.defineProperty(request, "body", {
    configurable: true,
    enumerable: true,
    get: () => {
      isSeen = true;
      return undefined;
    },
    set: write,
  });
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

const field: TypedPropertyDescriptor<Request["body"]> = {
  configurable: true,
  enumerable: true,
  writable: true,
};

const warnedOfStatus = new WeakMap<EndpointPlan, Set<number>>();

/**
 * In development, warns once per status if an endpoint that declares its errors responds with an undeclared status, and
 * once if a successful response lacks a header field that `responseHeaders` requires.
 *
 * @param thrown the error that caused the response, if any; the framework's own errors need no declaration
 */
export const watchResponse = (plan: EndpointPlan, state: RequestState, thrown?: unknown): void => {
  if (isOfFramework(thrown)) return;
  const { response } = state;
  const check = (): void => {
    if (plan.endpoint.errors) checkStatus(plan, state);
    if (plan.responseHeaders && response.statusCode < 300)
      void checkHeaders(plan, plan.responseHeaders, state);
  };
  if (response.headersSent) check();
  else response.once("finish", check);
};

const toPlace = (request: Request): string => {
  const { route } = request as { readonly route?: { readonly path?: string } };
  return `${request.method} ${route?.path ?? toLoggedPath(request)}`;
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
      `SLP_WARN_RESPONSE_HEADER: a response of ${toPlace(request)} lacks or changes what \`responseHeaders\` declares: ${text}.`,
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
  const place = toPlace(request);
  const fix =
    status < 300
      ? `Set \`statusCode: ${status}\` in the definition of the endpoint`
      : `Add \`${status}: "..."\` to the \`errors\` of the endpoint, or of the middleware that throws it`;
  logger.warn(`SLP_WARN_STATUS: ${place} responded with ${status}, which is not declared. ${fix}.`);
};

/** Checks whether a status is declared; redirects and server errors need no declaration. */
const isDeclared = (plan: EndpointPlan, status: number): boolean => {
  if (status < 300) return listSuccesses(plan).includes(status);
  if (status < 400 || status >= 500 || joinErrors(plan.endpoint).has(status)) return true;
  // generated documents list these statuses without a declaration
  if (status === 400) return plan.parseInput !== undefined || plan.hasMiddlewareInput;
  if (status === 401) return plan.endpoint.middlewares.some(({ security }) => security);
  return plan.body !== "none" && (status === 413 || status === 415);
};

const listSuccesses = ({ endpoint }: EndpointPlan): readonly number[] => {
  const { statusCode = 200, outputSchema, resultHandler } = endpoint;
  try {
    const responses = resultHandler.listPositive((outputSchema ?? z.unknown()) as z.ZodType);
    return responses.flatMap((response) => response.statusCode ?? statusCode);
  } catch {
    return [statusCode];
  }
};
