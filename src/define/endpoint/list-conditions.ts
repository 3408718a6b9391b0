import { isDate } from "node:util/types";
import type { IncomingHttpHeaders } from "node:http";
import type { Request } from "express";
import { z } from "zod";
import { DefinitionError, RequestError, ServerFault } from "../../basics/errors.ts";
import { methodFacts, safeNames, type Method } from "../../basics/http/method.ts";
import { namesTag, toTime } from "../../basics/http/validators.ts";
import { show } from "../../basics/messages/show.ts";
import type { Exchange } from "../../wire/exchange/exchange.ts";
import { readContent } from "../../basics/schemas/content.ts";
import type { ZodSchema } from "../../basics/schemas/schema.ts";
import type { IfMatch } from "./conditions.ts";
import { middlewareMark, type AnyMiddleware } from "./middleware.ts";
import { sent, type Outcome } from "./outcome.ts";

/** The options of an endpoint with conditions. */
interface Conditions {
  readonly version: ((args: { output: unknown; ctx: unknown }) => unknown) | undefined;
  readonly ifMatch: IfMatch | undefined;
  readonly current:
    | ((args: { input: unknown; ctx: unknown; errors: unknown }) => unknown)
    | undefined;
}

const anOptional = (description: string) => z.string().optional().describe(description);

const toReadConditions = (): ZodSchema =>
  z.object({
    "if-none-match": anOptional("The ETag of a version that need not be sent again."),
    "if-modified-since": anOptional("The Last-Modified of a version that need not be sent again."),
  });

const toWriteConditions = (isRequired: boolean): ZodSchema => {
  const tag = z.string().describe("The ETag of the version to change, or * for any.");
  return z.object({
    "if-match": isRequired ? tag : tag.optional(),
    "if-none-match": anOptional("With *, only what does not exist yet is written."),
    ...(!isRequired && {
      "if-unmodified-since": anOptional("The Last-Modified of the version to change."),
    }),
  });
};

/**
 * Lists the middleware of an endpoint with conditions. It runs after all others, and thus within their transactions.
 *
 * @throws {@link DefinitionError} when one of `ifMatch` and `current` is missing, or when they can never apply.
 */
export const listConditions = (where: string, definition: object): readonly AnyMiddleware[] => {
  const { version, ifMatch, current, method, output } = definition as Partial<Conditions> & {
    readonly method?: Method | readonly Method[];
    readonly output?: ZodSchema;
  };
  if (!version && !ifMatch && !current) return [];
  const refuse = (text: string): never => {
    throw new DefinitionError("SLP_DEFINITION_VALUE", `${where}: ${text}`);
  };
  if (!ifMatch !== !current)
    refuse(
      "`ifMatch` and `current` belong together: one says whether writes are conditional, the other returns the version. Set both.",
    );
  const methods = [method ?? []].flat();
  if (ifMatch && methods.length > 0 && methods.every((one) => methodFacts[one].isSafe))
    refuse(
      `\`ifMatch\` is for methods that write, but \`method\` is ${methods.join(" and ")}. Remove it.`,
    );
  if (version && output && readContent(output))
    refuse("`version` is for JSON. For files and streams, set the field ETag on the response.");
  const isRequired = ifMatch === "required";
  const failed = {
    SLP_PRECONDITION_FAILED: {
      status: 412,
      description: "The resource has another version than the request expects",
    },
  };
  const missing = isRequired && {
    SLP_PRECONDITION_REQUIRED: {
      status: 428,
      description: "The request does not name a version in If-Match",
    },
  };
  const middleware: AnyMiddleware = {
    [middlewareMark]: true,
    option: "version",
    undoesNothing: true,
    afterValidation: current !== undefined,
    handle: () => undefined,
    handleOutcome: checkConditions({ version, ifMatch, current }),
    addsFor: (isSafe) => ({
      errors: isSafe ? ifMatch && version && failed : ifMatch && { ...failed, ...missing },
      conditions: isSafe
        ? version && toReadConditions
        : ifMatch && (() => toWriteConditions(isRequired)),
      successFields: version && {
        etag: "The version, as a strong tag, if it is a string.",
        "last-modified": "The version, if it is a date.",
      },
    }),
  };
  return [middleware];
};

/** A version of a resource: the tag without its quotes, or the date in milliseconds, in whole seconds. */
interface Version {
  readonly tag?: string;
  readonly date?: number;
}

/** The exchange of a request that has reached its endpoint. */
interface Reached extends Exchange {
  readonly run: NonNullable<Exchange["run"]> & {
    readonly fields: object | undefined;
    readonly ctx: unknown;
    readonly input: { readonly value: unknown } | undefined;
    readonly plan: { readonly errors: unknown };
  };
}

/**
 * Evaluates the conditions of a request around its handler.
 *
 * @see RFC 9110, section 13
 */
const checkConditions =
  ({ version, ifMatch, current }: Conditions) =>
  async (
    _: never,
    state: Reached,
    inside: { readonly run: (context: undefined) => Promise<Outcome> },
  ): Promise<Outcome> => {
    const { request, response, run } = state;
    const { fields, ctx, input, plan } = run;
    const { headers } = request;
    const isRead = safeNames.has(request.method);
    if (current && !isRead) {
      if (ifMatch === "required" && headers["if-match"] === undefined)
        throw new RequestError("SLP_PRECONDITION_REQUIRED");
      const own = input?.value as object;
      const { errors } = plan;
      const known = await current({ input: fields ? { ...fields, ...own } : own, ctx, errors });
      if (judge(headers, toVersion("current", known ?? undefined), isRead) !== "met")
        throw new RequestError("SLP_PRECONDITION_FAILED");
      // another middleware has responded in the meantime
      if (state.phase !== "open") return sent;
    }
    const outcome = await inside.run(undefined);
    if (!version || !("output" in outcome) || response.statusCode >= 300) return outcome;
    const { output } = outcome;
    const own = toVersion("version", (await version({ output, ctx })) ?? null);
    if (state.phase !== "open") return outcome;
    const verdict = isRead ? judge(headers, own, isRead) : "met";
    if (verdict === "failed") throw new RequestError("SLP_PRECONDITION_FAILED");
    for (const [name, value] of Object.entries(toFields(own))) response.setHeader(name, value);
    if (verdict === "met") {
      // without a validator, Express judges no request as fresh, either
      if (isRead && isConditional(headers)) Object.defineProperty(request, "fresh", freshByTag);
      return outcome;
    }
    return { kind: "reply", output, reply: { status: 304, headers: toFields(own) } };
  };

const isConditional = (headers: IncomingHttpHeaders): boolean =>
  headers["if-none-match"] !== undefined || headers["if-modified-since"] !== undefined;

/** Converts what the application returned; undefined remains. */
const toVersion = (name: string, value: unknown): Version | undefined => {
  if (value === undefined) return undefined;
  if (typeof value === "string" && /^[!#-~]+$/.test(value)) return { tag: value };
  const date = isDate(value) ? value.getTime() : Number.NaN;
  // a date in the future would hide later changes
  if (!Number.isNaN(date)) return { date: Math.floor(Math.min(date, Date.now()) / 1000) * 1000 };
  throw new ServerFault(
    "SLP_VERSION",
    `\`${name}\` must return a string of printable ASCII without spaces and quotes, or a valid Date; it returned ${show(value)}`,
  );
};

const toFields = ({ tag, date }: Version = {}): Record<string, string> => ({
  ...(tag !== undefined && { ETag: `"${tag}"` }),
  ...(date !== undefined && { "Last-Modified": new Date(date).toUTCString() }),
});

/**
 * Lets Express, which judges requests by other rules, find only one thing: that a client knows the tag which Express, or
 * the result handler, gives to a reply whose version is a date. One getter serves all requests, because V8 keeps each
 * request in memory for which a getter of its own is defined.
 */
const freshByTag: PropertyDescriptor & ThisType<Request> = {
  configurable: true,
  get(): boolean {
    const { headers, res } = this;
    const { "if-none-match": noneMatch = "" } = headers;
    const [, tag] = /^(?:W\/)?"([^"]*)"$/.exec(String(res?.getHeader("ETag"))) ?? [];
    return tag !== undefined && Number(res?.statusCode) < 300 && namesTag(noneMatch, tag, "weak");
  },
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
