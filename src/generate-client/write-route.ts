import type { ListNegative } from "../openapi/declared-responses.ts";
import type { OperationPlace } from "../openapi/operation-place.ts";
import {
  hasOneJson,
  listErrors,
  listSuccesses,
  type ReplyBody,
  type StatusReply,
} from "./reply-kinds.ts";
import { writeInput } from "./route-input.ts";
import { findPage } from "./route-page.ts";
import { writePlan } from "./route-plan.ts";
import type { RevivalWriter } from "./write-revival.ts";
import type { TypeNames } from "./type-names.ts";
import { toTypeName } from "./type-names.ts";
import { quote, toKey, toObject, toText, toUnion, type Members } from "./type-text.ts";
import { writeComment } from "./write-comment.ts";
import type { Side, TypeWriter } from "./write-type.ts";

/** The tools and settings for writing routes. */
export interface RouteContext {
  readonly names: TypeNames;
  readonly writer: TypeWriter;
  readonly listNegative: ListNegative;
  readonly received: Side;
  /** The writer of the functions that revive dates; undefined if dates stay strings. */
  readonly revival: RevivalWriter | undefined;
  /** Whether the types are for an inferred client, which has no list of statuses at run time. */
  readonly isForInferred: boolean;
}

/** A route in a generated file. */
export interface WrittenRoute {
  /** The property for the route in the type of all routes, with its comment. */
  readonly type: string;
  /** The property for the route in the object that holds all plans. */
  readonly plan: string;
}

/** Writes the types of a route, and its run-time description. */
export const writeRoute = (place: OperationPlace, context: RouteContext): WrittenRoute => {
  const { method, path, endpoint, operationId } = place;
  const { names, writer, received, revival, isForInferred } = context;
  const key = `${method} ${path}`;
  const name = toTypeName(operationId);
  const define = (suffix: string, comment: string, text: string): string =>
    names.define(`${suffix} of ${key}`, {
      origin: `${suffix} of ${key}`,
      wanted: name + suffix,
      text,
      comment: writeComment({ texts: [comment] }),
    });
  const ascending = (one: StatusReply, other: StatusReply): number => one.status - other.status;
  const successes = listSuccesses(place).toSorted(ascending);
  const errors = listErrors(place, context.listNegative).toSorted(ascending);
  const page = findPage(place);
  const toBody = (bodies: readonly ReplyBody[], suffix: string): Members => {
    const hasDates = received.hasDates && hasOneJson(bodies);
    const side = { ...received, hasDates };
    return toUnion(bodies.map((body) => writeBody(body, writer, side, name + suffix)));
  };

  const input = define("Input", `The input of \`${key}\`.`, writeInput(place, writer, name));
  const results = successes.map(({ status, bodies }) => ({
    status,
    members: toBody(bodies, "Body"),
  }));
  const bodies = toUnion(results.map(({ members }) => members));
  const result = define("Body", `The body of a successful response to \`${key}\`.`, toText(bodies));
  const failures = groupByText(
    errors.map(({ status, bodies: own, hasData }) => {
      const text = toText(toBody(own, `Error${status}`));
      // only object types need a name
      const named = !text.includes("{")
        ? text
        : hasData === true
          ? define(`Error${status}`, `The body of a ${status} response to \`${key}\`.`, text)
          : names.share("ErrorBody", text, "/** The body of an error response. */\n");
      return [status, named, hasData];
    }),
  );
  const known = failures.filter(({ hasData }) => hasData).flatMap(({ statuses }) => statuses);
  const reply = toText([
    ...results.map(({ status, members }) => {
      const isAny = isForInferred && endpoint.statusCode === undefined && results.length === 1;
      return `SuccessReply<${isAny ? "SuccessStatus" : status}, ${results.length === 1 ? result : toText(members)}>`;
    }),
    ...failures.map(({ statuses, text, hasData }) => {
      const all = known.length > 0 ? `Exclude<ErrorStatus, ${known.join(" | ")}>` : "ErrorStatus";
      return `ErrorReply<${isForInferred && !hasData ? all : statuses.join(" | ")}, ${text}>`;
    }),
    "UnexpectedReply",
  ]);
  const replies = define("Reply", `Every reply that \`${key}\` may send.`, reply);
  const event = successes
    .flatMap(({ bodies: own }) => own)
    .find(({ isEventStream }) => isEventStream);
  const output = page && endpoint.outputSchema;
  const pageType =
    output &&
    define(
      "Page",
      `A page returned by \`${key}\`.`,
      toText(writer.write(output, received, `${name}Page`)),
    );
  const lines = [
    `input: ${input};`,
    `success: ${result};`,
    `body: ${toText(toUnion([[result], failures.map(({ text }) => text)]))};`,
    `reply: ${replies};`,
    ...(page && pageType !== undefined
      ? [`page: ${pageType};`, `item: ${pageType}[${quote(page.itemsName)}][number];`]
      : []),
    ...(event?.schema
      ? [`event: ${toText(writer.write(event.schema, received, `${name}Event`))};`]
      : []),
  ];
  const comment = writeComment({
    texts: [endpoint.shortDescription, endpoint.description],
    isDeprecated: endpoint.isDeprecated,
  });
  return {
    type: `${comment}${toKey(key)}: ${toObject(lines)};`,
    plan: `${quote(key)}: ${writePlan(place, [...successes, ...errors], page, revival)},`,
  };
};

const writeBody = (
  { kind, schema, isEventStream }: ReplyBody,
  writer: TypeWriter,
  side: Side,
  name: string,
): Members => {
  if (isEventStream) return [quote("This is an event stream: use `subscribe`")];
  if (kind === "json") return schema ? writer.write(schema, side, name) : ["unknown"];
  if (kind === "none") return ["undefined"];
  return [kind === "text" ? "string" : "Blob"];
};

interface Failures {
  readonly text: string;
  readonly statuses: readonly number[];
  readonly hasData: boolean;
}

/** Groups the statuses that have the same body. */
const groupByText = (
  failures: readonly (readonly [status: number, text: string, hasData: boolean | undefined])[],
): readonly Failures[] => {
  const groups = new Map<string, Failures>();
  for (const [status, text, hasData = false] of failures) {
    const id = `${hasData} ${text}`;
    const { statuses = [] } = groups.get(id) ?? {};
    groups.set(id, { text, hasData, statuses: [...statuses, status] });
  }
  return [...groups.values()];
};
