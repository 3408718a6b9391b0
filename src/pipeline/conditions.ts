import type { IncomingHttpHeaders } from "node:http";
import type { Request, Response } from "express";
import type { Conditions } from "../endpoint/conditions.ts";
import { middlewareMark, type AnyMiddleware } from "../endpoint/middleware.ts";
import { RequestError, ServerFault } from "../errors.ts";
import { safeNames } from "../http/method.ts";
import { namesTag, toTime } from "../http/validators.ts";
import { show } from "../messages/show.ts";
import { clearRepresentation, isTaken } from "../exchange/response-state.ts";
import { noOutput, OwnReply, type EndpointRun } from "./endpoint-run.ts";
import type { Around } from "./run-around.ts";

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
export const createConditions = (
  conditions: Conditions,
): { readonly middleware: AnyMiddleware; readonly around: Around } => ({
  middleware: {
    [middlewareMark]: true,
    undoesNothing: true,
    afterValidation: conditions.current !== undefined,
    handle: () => undefined,
  },
  around: checkConditions(conditions),
});

const checkConditions =
  ({ version, ifMatch, current }: Conditions): Around =>
  async (_args, state, inside) => {
    const { request, response } = state;
    const { fields, ctx, input } = state.run as EndpointRun;
    const { headers } = request;
    const isRead = safeNames.has(request.method);
    if (current && !isRead) {
      if (ifMatch === "required" && headers["if-match"] === undefined)
        throw new RequestError("SLP_PRECONDITION_REQUIRED");
      const own = input?.value as object;
      const known = await current({ input: fields ? { ...fields, ...own } : own, ctx });
      if (judge(headers, toVersion("current", known ?? undefined), isRead) !== "met")
        throw new RequestError("SLP_PRECONDITION_FAILED");
      // another middleware has responded in the meantime
      if (isTaken(response)) return noOutput;
    }
    const output = await inside.run(undefined);
    if (!version || output === noOutput || response.statusCode >= 300) return output;
    const sent = toVersion("version", (await version({ output, ctx })) ?? null);
    if (isTaken(response)) return output;
    const outcome = isRead ? judge(headers, sent, isRead) : "met";
    if (outcome === "failed") throw new RequestError("SLP_PRECONDITION_FAILED");
    setVersion(response, sent);
    if (outcome === "met") {
      if (isRead) judgeTagOfExpress(request, response);
      return output;
    }
    return new OwnReply(output, () => {
      clearRepresentation(response);
      setVersion(response, sent);
      response.status(304).end();
    });
  };

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

/**
 * Lets Express, which judges requests by other rules, find only one thing: that a client knows the tag which Express, or
 * the result handler, gives to a reply whose version is a date.
 */
const judgeTagOfExpress = (request: Request, response: Response): void => {
  const { "if-none-match": noneMatch = "" } = request.headers;
  const isFresh = (): boolean => {
    const [, tag] = /^(?:W\/)?"([^"]*)"$/.exec(String(response.getHeader("ETag"))) ?? [];
    return tag !== undefined && response.statusCode < 300 && namesTag(noneMatch, tag, "weak");
  };
  Object.defineProperty(request, "fresh", { configurable: true, get: isFresh });
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

const names = (list: string, version: Version | undefined, comparison: "strong" | "weak") =>
  list.trim() === "*" ? version !== undefined : namesTag(list, version?.tag, comparison);
