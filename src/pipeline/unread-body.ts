import type { Request } from "express";
import { toLoggedPath } from "../results/log-fault.ts";
import type { EndpointPlan } from "./endpoint-plan.ts";
import type { RequestState } from "./request-state.ts";

const warned = new WeakSet<EndpointPlan>();

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
  if (process.env["NODE_ENV"] === "production" || warned.has(plan)) return undefined;
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
    if (!isSeen || !isUntouched || warned.has(plan)) return;
    warned.add(plan);
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
