import type { IncomingHttpHeaders } from "node:http";
import type { Response } from "express";
import type { Conditions } from "../endpoint/conditions.ts";
import { middlewareMark, type AnyMiddleware } from "../endpoint/middleware.ts";
import { RequestError, ServerFault } from "../errors.ts";
import { show } from "../messages/show.ts";
import { clearRepresentation, isTaken } from "../reply/response-state.ts";
import { findState, noOutput, type RequestState } from "./request-state.ts";

/** A version of a resource: the tag without its quotes, or the date in milliseconds, in whole seconds. */
interface Version {
  readonly tag?: string;
  readonly date?: number;
}

/**
 * Creates the middleware of an endpoint with conditions. It runs after all others, and thus within their transactions.
 *
 * @see RFC 9110, section 13
 */
export const createConditions = ({ version, ifMatch, current }: Conditions): AnyMiddleware => ({
  [middlewareMark]: true,
  isObserver: true,
  afterValidation: current !== undefined,
  handle: () => undefined,
  wrap: async ({ request, response }, next) => {
    const { method, headers } = request;
    const state = findState(response) as RequestState;
    const isRead = method === "GET" || method === "HEAD";
    if (current && !isRead) {
      if (ifMatch === "required" && headers["if-match"] === undefined)
        throw new RequestError("SLP_PRECONDITION_REQUIRED");
      const { fields, ctx } = state;
      const own = state.input?.value as object;
      const known = await current({ input: fields ? { ...fields, ...own } : own, ctx });
      if (judge(headers, toVersion("current", known ?? undefined), isRead) !== "met")
        throw new RequestError("SLP_PRECONDITION_FAILED");
      // another middleware has responded in the meantime
      if (isTaken(response)) return;
    }
    await next();
    const { output, ctx, resultHandler } = state;
    if (!version || output === noOutput || response.statusCode >= 300) return;
    const sent = toVersion("version", (await version({ output, ctx })) ?? null);
    if (isTaken(response)) return;
    const outcome = isRead ? judge(headers, sent, isRead) : "met";
    if (outcome === "failed") throw new RequestError("SLP_PRECONDITION_FAILED");
    setVersion(response, sent);
    if (outcome === "met") {
      // Express would judge the request again, by other rules
      if (isRead) Object.defineProperty(request, "fresh", { configurable: true, value: false });
      return;
    }
    state.resultHandler = {
      ...resultHandler,
      handle: (result) => {
        if (result.error) return resultHandler.handle(result);
        clearRepresentation(response);
        setVersion(response, sent);
        return response.status(304).end();
      },
    };
  },
});

/** Converts what the application returned; undefined remains. */
const toVersion = (name: string, value: unknown): Version | undefined => {
  if (value === undefined) return undefined;
  if (typeof value === "string" && /^[!#-~]+$/.test(value)) return { tag: value };
  const date = value instanceof Date ? value.getTime() : Number.NaN;
  // a date in the future would hide later changes
  if (!Number.isNaN(date)) return { date: Math.floor(Math.min(date, Date.now()) / 1000) * 1000 };
  throw new ServerFault(
    "SLP_VERSION",
    `\`${name}\` must return a string of printable ASCII without spaces and quotes, or a valid Date; it returned ${show(value)}`,
  );
};

const setVersion = (response: Response, { tag, date }: Version = {}): void => {
  if (tag !== undefined) response.setHeader("ETag", `"${tag}"`);
  if (date !== undefined) response.setHeader("Last-Modified", new Date(date).toUTCString());
};

/** Evaluates the conditions of a request in the order of RFC 9110, section 13.2.2; without a version, there is no resource. */
const judge = (
  headers: IncomingHttpHeaders,
  version: Version | undefined,
  isRead: boolean,
): "failed" | "met" | "unchanged" => {
  const { date = Number.NaN } = version ?? {};
  const { "if-match": match, "if-none-match": noneMatch } = headers;
  if (match === undefined) {
    if (date > toTime(headers["if-unmodified-since"])) return "failed";
  } else if (!names(match, version, "strong")) return "failed";
  const isKnown =
    noneMatch === undefined
      ? isRead && date <= toTime(headers["if-modified-since"])
      : names(noneMatch, version, "weak");
  if (!isKnown) return "met";
  return isRead ? "unchanged" : "failed";
};

/** Checks whether a list of entity tags names a version; a weak tag does so only in the weak comparison. */
const names = (
  list: string,
  version: Version | undefined,
  comparison: "strong" | "weak",
): boolean => {
  if (list.trim() === "*") return version !== undefined;
  if (!tagListPattern.test(list)) return false;
  // a tag may contain commas, but no quotes, so every second part is one
  const parts = list.split('"');
  return parts.some(
    (tag, at) =>
      at % 2 === 1 &&
      tag === version?.tag &&
      (comparison === "weak" || parts[at - 1]?.endsWith("W/") === false),
  );
};

/** Matches a list of entity tags, whose elements may be empty. */
const tagListPattern = /^[\t ,]*(?:(?:W\/)?"[^"]*"[\t ]*(?:,[\t ,]*|$))+$/;

/** The three forms of dates in HTTP (RFC 9110, section 5.6.7); the last of them lacks its GMT. */
const datePatterns = [
  /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d (?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) \d{4} \d\d:\d\d:\d\d GMT$/,
  /^(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day, \d\d-(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)-\d\d \d\d:\d\d:\d\d GMT$/,
  /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) (?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) [ \d]\d \d\d:\d\d:\d\d \d{4}$/,
];

/** Returns the time of a date; NaN if there is none, or one that is not valid and therefore ignored. */
const toTime = (field = ""): number => {
  if (!datePatterns.some((pattern) => pattern.test(field))) return Number.NaN;
  const date = new Date(field.replace(/( GMT)?$/, " GMT"));
  // 31 Feb would be a day in March
  return date.getUTCDate() === Number(/\d+/.exec(field)) ? date.getTime() : Number.NaN;
};
