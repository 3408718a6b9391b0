import { compareLifecycle } from "./compare-lifecycle.ts";
import {
  readOwn,
  typesOf,
  type Body,
  type Content,
  type Media,
  type Parameter,
  type Response,
  type Schema,
} from "@sallyport/document";
import { judgeRemoval } from "./lifecycle.ts";
import { pairMediaTypes } from "./media-types.ts";
import type { OperationPlace } from "./place.ts";
import type { Area } from "../rules/schema-change.ts";

type Parameters = Readonly<Record<string, Parameter>>;

export const compareParameters = (
  before: Parameters,
  after: Parameters,
  place: OperationPlace,
): void => {
  for (const [key, was, is] of pair(before, after)) {
    const [where] = key.split(" ");
    const inner = place.enter(`${where} parameter ${(is ?? was)?.name ?? key}`);
    if (!was) inner.tell(is?.required ? "required-parameter-added" : "optional-parameter-added");
    else if (!is) {
      const removal = judgeRemoval(was, place.today);
      const isMissed = place.isTurned && was.required && removal === "removed";
      inner.tell(`parameter-${removal}`, { before: was.sunset }, isMissed ? "breaking" : undefined);
    } else {
      if (was.required !== is.required)
        inner.tell(is.required ? "parameter-became-required" : "parameter-became-optional");
      if (was.name !== is.name && where === "path")
        inner.tell("path-parameter-renamed", { before: was.name, after: is.name });
      if (was.allowReserved !== is.allowReserved)
        inner.tell(
          is.allowReserved ? "reserved-characters-allowed" : "reserved-characters-refused",
        );
      if (was.allowEmptyValue !== is.allowEmptyValue)
        inner.tell(is.allowEmptyValue ? "empty-value-allowed" : "empty-value-refused");
      compareFields(was, is, inner, "parameter");
    }
  }
};

const compareHeaders = (before: Parameters, after: Parameters, place: OperationPlace): void => {
  for (const [key, was, is] of pair(before, after)) {
    const inner = place.enter(`header ${(is ?? was)?.name ?? key}`);
    if (!was)
      inner.tell("header-added", {}, place.isTurned && is?.required ? "breaking" : undefined);
    else if (!is) {
      const removal = judgeRemoval(was, place.today);
      if (was.required && removal === "removed") inner.tell("required-header-removed");
      else inner.tell(`header-${removal}`, { before: was.sunset });
    } else {
      if (was.required !== is.required)
        inner.tell(is.required ? "header-became-required" : "header-became-optional");
      compareFields(was, is, inner, "header");
    }
  }
};

const compareFields = (
  was: Parameter,
  is: Parameter,
  place: OperationPlace,
  kind: "parameter" | "header",
): void => {
  compareLifecycle(was, is, (change, details) => place.tell(`${kind}-${change}`, details));
  const areMany = [was, is].every(({ schema }) => mayBeMany(schema ?? {}));
  const toStyle = ({ style, explode }: Parameter): string =>
    `${style}${explode && areMany ? ", exploded" : ""}`;
  if (was.mediaType !== is.mediaType)
    place.tell(`${kind}-media-type-changed`, {
      before: was.mediaType ?? "none",
      after: is.mediaType ?? "none",
    });
  else if (!is.mediaType && toStyle(was) !== toStyle(is))
    place.tell(`${kind}-style-changed`, { before: toStyle(was), after: toStyle(is) });
  const isText = was.mediaType === undefined;
  const [old, own] = [was.schema ?? {}, is.schema ?? {}];
  if (isOneOfMany(old, own, is)) {
    place.tell("parameter-became-list");
    place.compare(old, own.items ?? {}, kind, { isText });
  } else place.compare(old, own, kind, { isText });
};

/** Whether values may be lists or objects; others are never exploded. */
const mayBeMany = (schema: Schema): boolean =>
  typesOf(schema)?.every((type) => type !== "array" && type !== "object") !== true;

/** Whether a value is now a list of such, which looks the same in a query: `id=1`. */
const isOneOfMany = (was: Schema, is: Schema, { style, explode, mediaType }: Parameter): boolean =>
  style === "form" &&
  explode &&
  mediaType === undefined &&
  String(is.types) === "array" &&
  Object.keys(is).every((key) => !limitsOfList.has(key)) &&
  (is.minItems ?? 0) <= 1 &&
  (is.maxItems ?? 1) >= 1 &&
  !mayBeMany(was);

/** Keywords by which a list may refuse to have one item. */
const limitsOfList: ReadonlySet<string> = new Set([
  ...["allOf", "anyOf", "contains", "enum", "if", "not", "prefixItems", "unevaluatedItems"],
]);

export const compareBody = (
  was: Body | undefined,
  is: Body | undefined,
  place: OperationPlace,
): void => {
  const inner = place.enter("request");
  if (!was && is) inner.tell(is.required ? "required-body-added" : "optional-body-added");
  else if (was && !is) inner.tell("body-removed");
  else if (was && is) {
    if (was.required !== is.required)
      inner.tell(is.required ? "body-became-required" : "body-became-optional");
    compareContent(was.content, is.content, inner, "request");
  }
};

export const compareResponses = (
  before: Readonly<Record<string, Response>>,
  after: Readonly<Record<string, Response>>,
  place: OperationPlace,
): void => {
  for (const [status, was, is] of pair(before, after)) {
    const inner = place.enter(`response ${status}`);
    // clients follow redirects as they read what was successful
    const kind = /^[23]/.test(status) ? "success" : "error";
    const [old, own] = [was ?? findRange(status, before), is ?? findRange(status, after)];
    if (!was) {
      if (old && kind === "success") inner.tell("success-specialised");
      else if (!Object.keys(before).some((one) => isOneOf(one, status)))
        inner.tell(`${kind}-added`);
    } else if (!is) {
      if (own && kind === "success") inner.tell("success-generalised");
      else if (!Object.keys(after).some((one) => isOneOf(one, status)))
        inner.tell(`${kind}-removed`);
    }
    if (old && own) {
      compareHeaders(old.headers, own.headers, inner);
      compareContent(old.content, own.content, inner, "response");
    }
  }
};

/**
 * Finds the response that stands for a status that is not listed: `2XX`, or `default` for errors, and for successes if
 * none is listed.
 */
const findRange = (
  status: string,
  responses: Readonly<Record<string, Response>>,
): Response | undefined => {
  const range = Object.keys(responses).find((one) => isOneOf(status, one));
  const hasSuccess = Object.keys(responses).some((one) => one.startsWith("2"));
  const isDefault = /^[45]/.test(status) || (status.startsWith("2") && !hasSuccess);
  return readOwn(responses, range ?? (isDefault ? "default" : ""));
};

/** Whether a status is one of a range, as `201` is of `2XX`. */
const isOneOf = (status: string, range: string): boolean =>
  status !== range && /^\dxx$/i.test(range) && status[0] === range[0];

const compareContent = (
  before: Content,
  after: Content,
  place: OperationPlace,
  area: "request" | "response",
): void => {
  const direction = place.isTurned ? (area === "request" ? "response" : "request") : area;
  const { kept, added, removed } = pairMediaTypes(
    Object.keys(before),
    Object.keys(after),
    direction,
  );
  for (const name of removed) place.tell(`${direction}-media-type-removed`, { name });
  for (const name of added) place.tell(`${direction}-media-type-added`, { name });
  for (const { was, is, rule } of kept) {
    if (rule) place.tell(rule, { before: was, after: is });
    const [old, own] = [before[was], after[is]];
    const inner = is === "application/json" ? place : place.enter(is);
    if (old && own) compareMedia(old, own, inner, area, direction, isStronglyTyped(is));
  }
};

const isStronglyTyped = (type: string): boolean => /^[^;]*[/+]json\b/.test(type);

const compareMedia = (
  was: Media,
  is: Media,
  place: OperationPlace,
  area: Area,
  direction: "request" | "response",
  isStrong: boolean,
): void => {
  for (const [key, noun] of [
    ["schema", "schema"],
    ["itemSchema", "item-schema"],
  ] as const) {
    const [old, own] = [was[key], is[key]];
    if (!old && own) place.tell(`${direction}-${noun}-added`);
    else if (old && !own) place.tell(`${direction}-${noun}-removed`);
    else if (old && own)
      (key === "schema" ? place : place.enter("item")).compare(old, own, area, {
        isText: !isStrong,
      });
  }
  for (const [name, before, after] of pair(was.encoding, is.encoding))
    if (before !== after)
      place.tell(`${direction}-encoding-changed`, {
        name,
        before: before ?? "none",
        after: after ?? "none",
      });
};

/** Lists the members of two objects, each name once. */
const pair = <Value>(
  before: Readonly<Record<string, Value>>,
  after: Readonly<Record<string, Value>>,
): readonly (readonly [key: string, was: Value | undefined, is: Value | undefined])[] =>
  [...new Set([...Object.keys(before), ...Object.keys(after)])].map(
    (key) => [key, readOwn(before, key), readOwn(after, key)] as const,
  );
