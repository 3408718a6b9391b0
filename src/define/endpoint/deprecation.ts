import { isDate } from "node:util/types";
import { z } from "zod";
import { RequestError } from "../../basics/errors.ts";
import {
  aBoolean,
  be,
  booleanOrGroup,
  isObject,
  toLabel,
  type Check,
} from "../../basics/messages/option-checks.ts";
import type { HandlerArguments } from "./handler-arguments.ts";
import { middlewareMark, type AnyMiddleware } from "./middleware.ts";

/** Since when an endpoint is deprecated, and what follows; dates are ISO 8601, in UTC without a time zone. */
export interface Deprecation {
  /** The date since which the endpoint is deprecated, for the header field `Deprecation` (RFC 9745). */
  readonly since: string | Date;
  /** The date from which the endpoint may no longer respond, for the header field `Sunset` (RFC 8594). */
  readonly sunset?: string | Date | undefined;
  /**
   * The URL or the path of what replaces the endpoint. Path parameters, as in `/v2/users/:id` and
   * `/v2/files/*rest`, are filled in from the request.
   */
  readonly replacement?: string | undefined;
  /** The URL of a page about the deprecation. */
  readonly policy?: string | undefined;
  /**
   * Whether the endpoint responds with 410 from the sunset on.
   *
   * @default false
   */
  readonly gone?: boolean | undefined;
}

/** Reads a date; one without a time zone is in UTC, also on a machine with another one. */
const toInstant = (date: string | Date): Date => {
  const isLocal =
    typeof date === "string" && date.includes(":") && !/(?:z|[+-]\d\d:?\d\d)$/i.test(date);
  return new Date(isLocal ? `${date}Z` : date);
};

/** Checks for a day that exists: JavaScript takes February 31 for March 3. */
const isDay = (text: string): boolean => z.iso.date().safeParse(text).success;

const aDate = be(
  'a Date, or a date such as "2026-12-31"',
  (value) =>
    (isDate(value) || (typeof value === "string" && isDay(value.slice(0, 10)))) &&
    !Number.isNaN(toInstant(value).getTime()),
);

/** Checks whether a value can stand between angle brackets in the header field `Link`. */
const aReference = be(
  'a URL, or a path such as "/v2/users"',
  (value) => typeof value === "string" && /^[!-~]+$/.test(value) && !/[<>"\\^`{|}]/.test(value),
);

const aGroup = booleanOrGroup({
  since: aDate,
  sunset: aDate,
  replacement: aReference,
  policy: aReference,
  gone: aBoolean,
});

export const aDeprecation: Check = (value, name, wording) => {
  aGroup(value, name, wording);
  if (!isObject(value)) return;
  const { since, sunset, gone } = value as Partial<Deprecation>;
  const label = toLabel(wording, name);
  if (since === undefined)
    throw wording.toError(`${label} needs \`since\`, as in { since: "2026-01-31" }.`);
  if (sunset !== undefined && toInstant(sunset) < toInstant(since))
    throw wording.toError(`${label} has a \`sunset\` that is earlier than \`since\`.`);
  if (gone && sunset === undefined)
    throw wording.toError(`${label} has \`gone\` without a \`sunset\`; add the date.`);
};

const option = "deprecated";

const toDay = (date: string | Date): string => toInstant(date).toISOString().slice(0, 10);

const describe = (
  { since, sunset, replacement, policy, gone = false }: Deprecation,
  link: (target: string) => string,
): string => {
  const texts = [`Deprecated since ${toDay(since)}.`];
  if (sunset !== undefined)
    texts.push(
      gone ? `Responds with 410 from ${toDay(sunset)} on.` : `May end on ${toDay(sunset)}.`,
    );
  if (replacement !== undefined) texts.push(`Replaced by ${link(replacement)}.`);
  if (policy !== undefined) texts.push(`See ${link(policy)}.`);
  return texts.join(" ");
};

/**
 * Creates the middleware of an endpoint that is deprecated since a date.
 *
 * @see RFC 9745 and RFC 8594
 */
const createDeprecation = (deprecation: Deprecation): AnyMiddleware => {
  const { sunset: end, gone = false, policy, replacement } = deprecation;
  const since = `@${Math.floor(toInstant(deprecation.since).getTime() / 1000)}`;
  const sunset = end === undefined ? undefined : toInstant(end);
  const links = [
    [policy, "deprecation"],
    [end === undefined ? undefined : policy, "sunset"],
    [replacement, "successor-version"],
  ] as const;
  return {
    [middlewareMark]: true,
    option,
    errors: gone ? { 410: "Gone" } : undefined,
    sentFields: {
      Deprecation: "Since when this is deprecated (RFC 9745).",
      ...(sunset && { Sunset: "From when this may no longer respond (RFC 8594)." }),
      ...((replacement ?? policy) && { Link: "Links about the deprecation (RFC 9745)." }),
    },
    notes: (link) => describe(deprecation, link),
    extensions: end === undefined ? undefined : { "x-sunset": toDay(end) },
    handle: ({ request, response }: HandlerArguments<never, never>): void => {
      response.setHeader("Deprecation", since);
      if (sunset) response.setHeader("Sunset", sunset.toUTCString());
      for (const [target, relation] of links)
        if (target !== undefined)
          response.appendHeader("Link", `<${fillIn(target, request.params)}>; rel="${relation}"`);
      if (gone && sunset && Date.now() >= sunset.getTime()) throw new RequestError("SLP_GONE");
    },
  };
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

/** Returns the parts of an endpoint that its deprecation changes, which takes the place of an earlier one. */
export const deprecate = (
  middlewares: readonly AnyMiddleware[],
  value: boolean | Deprecation = false,
): { readonly isDeprecated: boolean; readonly middlewares: readonly AnyMiddleware[] } => {
  const others = middlewares.filter((one) => one.option !== option);
  const own = typeof value === "object" ? [createDeprecation(value)] : [];
  // the fields are set before the conditions are evaluated
  const at = others.findIndex((one) => one.option !== undefined);
  return {
    isDeprecated: value !== false,
    middlewares: others.toSpliced(at < 0 ? others.length : at, 0, ...own),
  };
};
