import { z } from "zod";
import {
  aBoolean,
  be,
  booleanOrGroup,
  isObject,
  toLabel,
  type Check,
} from "../messages/option-checks.ts";

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
export const toInstant = (date: string | Date): Date => {
  const isLocal =
    typeof date === "string" && date.includes(":") && !/(?:z|[+-]\d\d:?\d\d)$/i.test(date);
  return new Date(isLocal ? `${date}Z` : date);
};

/** Checks for a day that exists: JavaScript takes February 31 for March 3. */
const isDay = (text: string): boolean => z.iso.date().safeParse(text).success;

const aDate = be(
  'a Date, or a date such as "2026-12-31"',
  (value) =>
    (value instanceof Date || (typeof value === "string" && isDay(value.slice(0, 10)))) &&
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

export const describeDeprecation = (deprecation: Deprecation | undefined): string => {
  if (!deprecation) return "";
  const { since, sunset, replacement, policy, gone = false } = deprecation;
  const toDay = (date: string | Date): string => toInstant(date).toISOString().slice(0, 10);
  const texts = [`Deprecated since ${toDay(since)}.`];
  if (sunset !== undefined)
    texts.push(
      gone ? `Responds with 410 from ${toDay(sunset)} on.` : `May end on ${toDay(sunset)}.`,
    );
  if (replacement !== undefined) texts.push(`Replaced by ${replacement}.`);
  if (policy !== undefined) texts.push(`See ${policy}.`);
  return texts.join(" ");
};

/** Describes the header fields of an endpoint that is deprecated since a date. */
export const describeFields = (
  deprecation: Deprecation | undefined,
): Readonly<Record<string, string>> => {
  if (!deprecation) return {};
  const { sunset, replacement, policy } = deprecation;
  return {
    Deprecation: "Since when this is deprecated (RFC 9745).",
    ...(sunset !== undefined && { Sunset: "From when this may no longer respond (RFC 8594)." }),
    ...((replacement ?? policy) && { Link: "Links about the deprecation (RFC 9745)." }),
  };
};

export const toDeprecation = (
  value: boolean | Deprecation = false,
): { readonly isDeprecated: boolean; readonly deprecation: Deprecation | undefined } => ({
  isDeprecated: value !== false,
  deprecation: typeof value === "object" ? value : undefined,
});
