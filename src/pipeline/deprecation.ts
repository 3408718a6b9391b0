import type { Request } from "express";
import { toInstant, type Deprecation } from "../endpoint/deprecation.ts";
import type { HandlerArguments } from "../endpoint/handler-arguments.ts";
import { middlewareMark, type AnyMiddleware } from "../endpoint/middleware.ts";
import { RequestError } from "../errors.ts";
import type { Logger } from "../logger/logger.ts";
import { toLoggedRoute } from "../results/log-fault.ts";
import { findState, type RequestState } from "./request-state.ts";

/** How often the calls of a deprecated endpoint are logged, in milliseconds. */
const logInterval = 3_600_000;

/** How many callers are counted by name; what they send must not fill the memory. */
const maxCallers = 100;

/**
 * Creates the middleware of a deprecated endpoint. It runs after all others, which may know the caller.
 *
 * @see RFC 9745 and RFC 8594
 */
export const createDeprecation = (deprecation: Deprecation<never>): AnyMiddleware => {
  const { sunset: end, gone = false, caller, policy, replacement } = deprecation;
  const since = `@${Math.floor(toInstant(deprecation.since).getTime() / 1000)}`;
  const sunset = end === undefined ? undefined : toInstant(end);
  const links = [
    [policy, "deprecation"],
    [end === undefined ? undefined : policy, "sunset"],
    [replacement, "successor-version"],
  ] as const;
  const count = createCount();
  let hasFailed = false;
  const handle = async (args: HandlerArguments<never, never>): Promise<void> => {
    const { request, response, ctx } = args;
    const { logger } = (findState(request) as RequestState).service;
    let name: unknown;
    try {
      name = await caller?.({ request, ctx });
    } catch (error) {
      const message =
        "`caller` of a deprecated endpoint fails, so its calls are counted as unknown";
      if (!hasFailed) logger.error(message, { route: toLoggedRoute(request), error });
      hasFailed = true;
    }
    count(logger, request, typeof name === "string" ? name : undefined);
    response.setHeader("Deprecation", since);
    if (sunset) response.setHeader("Sunset", sunset.toUTCString());
    for (const [target, relation] of links)
      if (target !== undefined)
        response.appendHeader("Link", `<${fillIn(target, request.params)}>; rel="${relation}"`);
    if (gone && sunset && Date.now() >= sunset.getTime()) throw new RequestError("SLP_GONE");
  };
  return { [middlewareMark]: true, handle };
};

/** Puts the path parameters of a request in place of their names; those of wildcards are arrays. */
const fillIn = (target: string, params: Readonly<Record<string, unknown>>): string =>
  target.replaceAll(/[:*]([A-Za-z_$][\w$]*)/g, (all, name: string) =>
    Object.hasOwn(params, name)
      ? [params[name]]
          .flat()
          .map((part) => encodeURIComponent(String(part)))
          .join("/")
      : all,
  );

/** Creates a function that counts calls, and logs them an hour after the first one. */
const createCount = () => {
  const callers = new Map<string, number>();
  return (logger: Logger, request: Request, caller = "unknown"): void => {
    if (callers.size === 0) {
      const route = toLoggedRoute(request);
      setTimeout(() => {
        const calls = [...callers.values()].reduce((sum, one) => sum + one, 0);
        const counts = Object.fromEntries(callers);
        logger.warn("A deprecated endpoint was called", { route, calls, callers: counts });
        callers.clear();
      }, logInterval).unref();
    }
    const name = callers.has(caller) || callers.size < maxCallers ? caller : "others";
    callers.set(name, (callers.get(name) ?? 0) + 1);
  };
};
