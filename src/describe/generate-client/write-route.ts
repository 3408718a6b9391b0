import type { z } from "zod";
import type { Operation } from "../api/operation.ts";
import {
  isEventStream,
  type DeclaredBody,
  type DeclaredErrorReply,
  type DeclaredReply,
} from "../api/replies.ts";
import type { BodyKind } from "../client/call-options.ts";
import { readKind } from "../client/read-reply.ts";
import { methodFacts } from "../../basics/http/method.ts";
import type { ZodSchema } from "../../basics/schemas/schema.ts";
import { readTopLevel } from "../../basics/schemas/top-level-keys.ts";
import { toTypeName } from "./type-names.ts";
import {
  quote,
  toIntersection,
  toKey,
  toObject,
  toText,
  toUnion,
  writeComment,
  type Members,
} from "./type-text.ts";
import { received, sent, type TypeWriter } from "./write-type.ts";

export interface RouteContext {
  readonly writer: TypeWriter;
  /** Whether the types are for an inferred client, which has no list of statuses at run time. */
  readonly isForInferred: boolean;
}

export const writeRoute = (operation: Operation, operationId: string, context: RouteContext) => {
  const { method, path, endpoint, itemsName } = operation;
  const { writer, isForInferred } = context;
  const key = `${method} ${path}`;
  const name = toTypeName(operationId);
  const define = (suffix: string, comment: string, text: string): string => {
    const own = { wanted: name + suffix, text, comment: writeComment([comment]) };
    return writer.names.define(`${suffix} of ${key}`, own);
  };
  // a client sends no conditional requests
  const successes = toReceived(operation.successes.filter(({ isConditional }) => !isConditional));
  const errors = toReceived(operation.errors);
  const toBody = (bodies: readonly ReceivedBody[], suffix: string): Members =>
    toUnion(
      bodies.map(({ kind, schema, isEventStream }) => {
        if (isEventStream) return [quote("This is an event stream: use `subscribe`")];
        return schema ? writer.write(schema, received, name + suffix) : [plainBodies[kind]];
      }),
    );

  const input = define("Input", `The input of \`${key}\`.`, writeInput(operation, context, name));
  const results = successes.map(({ status, bodies: own }) => ({
    status,
    members: toBody(own, "Body"),
  }));
  const bodies = toUnion(results.map(({ members }) => members));
  const result = define("Body", `The body of a successful response to \`${key}\`.`, toText(bodies));
  const failures = groupByText(errors, ({ status, bodies: own }) => {
    let needsName = false;
    const members = own.map((body) => {
      const text = toText(toBody([body], `Error${status}`));
      // only object types need a name
      if (!text.includes("{")) return [text];
      needsName ||= body.name === undefined;
      if (body.name === undefined) return [text];
      const isPlain = body.name === "Error" || body.name === "Problem";
      const wanted = isPlain ? "ErrorBody" : `${body.name}Error`;
      const comment = writeComment(["The body of an error response."]);
      return [writer.names.define(`error ${text}`, { wanted, text, comment })];
    });
    const text = toText(toUnion(members));
    return needsName
      ? define(`Error${status}`, `The body of a ${status} response to \`${key}\`.`, text)
      : text;
  });
  const known = failures.filter(({ isSpecific }) => isSpecific).flatMap(({ statuses }) => statuses);
  const { responseHeadersSchema } = endpoint;
  const fields = responseHeadersSchema
    ? `, ${toText(writer.write(responseHeadersSchema, sent, `${name}Fields`))}`
    : "";
  const reply = toText([
    ...results.map(({ status, members }) => {
      const isAny = isForInferred && endpoint.statusCode === undefined && results.length === 1;
      const body = results.length === 1 ? result : toText(members);
      return `SuccessReply<${isAny ? "SuccessStatus" : status}, ${body}${fields}>`;
    }),
    ...failures.map(({ statuses, text, isSpecific }) => {
      const all = known.length > 0 ? `Exclude<ErrorStatus, ${known.join(" | ")}>` : "ErrorStatus";
      return `ErrorReply<${isForInferred && !isSpecific ? all : statuses.join(" | ")}, ${text}>`;
    }),
    "UnexpectedReply",
  ]);
  const replies = define("Reply", `Every reply that \`${key}\` may send.`, reply);
  const headers = writeHeaders(operation, writer, name);
  const lines = [
    `input: ${input};`,
    ...(headers === undefined ? [] : [`headers: ${headers};`]),
    `success: ${result};`,
    `body: ${toText(toUnion([[result], failures.map(({ text }) => text)]))};`,
    `reply: ${replies};`,
  ];
  if (itemsName !== undefined && endpoint.outputSchema) {
    const page = toText(writer.write(endpoint.outputSchema, received, `${name}Page`));
    const pageType = define("Page", `A page returned by \`${key}\`.`, page);
    lines.push(`page: ${pageType};`, `item: ${pageType}[${quote(itemsName)}][number];`);
  }
  const event = findEvents(successes);
  if (event) lines.push(`event: ${toText(writer.write(event, received, `${name}Event`))};`);
  const comment = writeComment([
    endpoint.shortDescription,
    endpoint.description,
    [
      endpoint.isDeprecated && "@deprecated",
      ...operation.additions.map(({ notes }) => notes?.(String)),
    ]
      .filter(Boolean)
      .join(" "),
  ]);
  return {
    type: `${comment}${toKey(key)}: ${toObject(lines)};`,
    plan: `${quote(key)}: ${writePlan(operation, [...successes, ...errors])},`,
  };
};

/** The types of bodies without a schema. */
const plainBodies = { blob: "Blob", json: "unknown", none: "undefined", text: "string" } as const;

interface Failures {
  readonly text: string;
  readonly statuses: readonly number[];
  readonly isSpecific: boolean;
}

const groupByText = (
  errors: readonly ReceivedReply[],
  write: (error: ReceivedReply) => string,
): readonly Failures[] => {
  const groups = new Map<string, Failures>();
  for (const error of errors) {
    const { status, isSpecific } = error;
    const text = write(error);
    const { statuses = [] } = groups.get(`${isSpecific} ${text}`) ?? {};
    groups.set(`${isSpecific} ${text}`, { text, isSpecific, statuses: [...statuses, status] });
  }
  return [...groups.values()];
};

interface ReceivedBody {
  readonly kind: BodyKind;
  /** The schema of the JSON in the body; undefined if the JSON may be anything. */
  readonly schema?: ZodSchema | undefined;
  /** What the body of an error is called. */
  readonly name?: string | undefined;
  readonly isEventStream?: boolean;
}

interface ReceivedReply {
  readonly status: number;
  readonly bodies: readonly ReceivedBody[];
  readonly isSpecific: boolean;
}

/** Lists how a body may be read; with a wildcard, that depends on the response. */
const toReceivedBodies = ({ type, schema, name }: DeclaredBody): readonly ReceivedBody[] => {
  if (type === null) return [{ kind: "none" }];
  // content of any type is received as a Blob
  if (type === "*/*" && !schema) return [{ kind: "blob" }];
  const own = type.replace(/;.*/s, "").trim().toLowerCase();
  const isAny = own === "*/*" || own === "application/*";
  const kinds = isAny ? (["blob", "json", "text", "none"] as const) : [readKind(own)];
  const hasEvents = schema !== undefined && isEventStream(type);
  return kinds.map((kind) => ({
    kind,
    schema: hasEvents || kind === "json" ? schema : undefined,
    name,
    isEventStream: hasEvents,
  }));
};

const toReceived = (
  replies: readonly (DeclaredErrorReply | DeclaredReply)[],
): readonly ReceivedReply[] =>
  replies
    .map((reply) => ({
      status: reply.status,
      bodies: reply.bodies.flatMap(toReceivedBodies),
      isSpecific: "isSpecific" in reply && reply.isSpecific,
    }))
    .toSorted((one, other) => one.status - other.status);

/** Returns the schema of the events in a stream; undefined if no reply is one. */
const findEvents = (replies: readonly ReceivedReply[]): ZodSchema | undefined =>
  replies.flatMap(({ bodies }) => bodies).find(({ isEventStream }) => isEventStream)?.schema;

/** The values that a path parameter may have. */
const pathValue = "bigint | boolean | Date | number | string";

const writeInput = (
  operation: Operation,
  { writer, isForInferred }: RouteContext,
  name: string,
): string => {
  const schemas = operation.inputs.filter((schema) => !isEmpty(schema));
  const known = new Set(schemas.flatMap((schema) => [...readTopLevel(schema).fields.keys()]));
  const unnamed = operation.segments.flatMap((segment) => {
    const type = segment.kind === "rest" ? `(${pathValue})[]` : pathValue;
    const names = segment.names.filter((one) => !known.has(one));
    return names.map((one) => `${toKey(one)}: ${type};`);
  });
  if (schemas.length === 0)
    return unnamed.length > 0 ? toObject(unnamed) : "{ [key: string]: never }";
  const { sources, body } = operation;
  // an inferred client sends forms as JSON; what is beside a raw body is sent in the query
  const isText =
    body.kind === "form" ? !isForInferred : body.kind === "raw" || !sources.includes("body");
  const side = { ...sent, isText };
  const fields = schemas.length > 1 ? mergeObjects(schemas) : undefined;
  const parts = fields
    ? [[writer.writeFields(fields, undefined, side, name)]]
    : schemas.map((schema) => writer.write(schema, side, name));
  return toText(toIntersection(unnamed.length > 0 ? [...parts, [toObject(unnamed)]] : parts));
};

/**
 * Writes the header fields of a request; those of middlewares are optional, because a client may send them with all
 * calls, unless they differ from call to call.
 */
const writeHeaders = (
  { endpoint: { headersSchema: own }, additions, conditions, isSafe }: Operation,
  writer: TypeWriter,
  name: string,
): string | undefined => {
  const write = (schema: ZodSchema): string => toText(writer.write(schema, sent, `${name}Headers`));
  // an inferred client types those of writes alone
  const owned = [own ?? [], (!isSafe && conditions?.()) || []].flat().map(write);
  const shared = additions.flatMap(({ headersSchema, differsByCall }) => {
    const text = headersSchema && write(headersSchema);
    return text === undefined ? [] : [differsByCall ? text : `Partial<${text}>`];
  });
  return owned.length + shared.length > 0 ? [...owned, ...shared].join(" & ") : undefined;
};

/** Merges the fields of middlewares and of their endpoint; returns undefined if two of them have the same field. */
const mergeObjects = (
  schemas: readonly ZodSchema[],
): ReadonlyMap<string, ZodSchema> | undefined => {
  const fields = new Map<string, ZodSchema>();
  for (const schema of schemas) {
    const { def } = (schema as z.core.$ZodTypes)._zod;
    if (def.type !== "object" || isOpen(def)) return undefined;
    for (const [name, field] of Object.entries(def.shape)) {
      if (fields.has(name)) return undefined;
      fields.set(name, field);
    }
  }
  return fields;
};

const isOpen = ({ catchall }: z.core.$ZodObjectDef): boolean =>
  catchall !== undefined && (catchall as z.core.$ZodTypes)._zod.def.type !== "never";

const isEmpty = (schema: ZodSchema): boolean => {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  return def.type === "object" && Object.keys(def.shape).length === 0 && !isOpen(def);
};

const writePlan = (
  { method, sources, body, itemsName }: Operation,
  replies: readonly ReceivedReply[],
): string => {
  const isUsual = sources.join() === methodFacts[method].sources.join();
  const kinds = replies.map(
    ({ status, bodies }) =>
      `${status}: [${[...new Set(bodies.map(({ kind }) => quote(kind)))].join(", ")}]`,
  );
  const parts = [
    ...(isUsual ? [] : [`sources: [${sources.map(quote).join(", ")}]`]),
    ...(body.kind === "raw" ? [`body: ${quote(body.mediaType)}`] : []),
    ...(body.kind === "form" ? ['body: "form"'] : []),
    `replies: { ${kinds.join(", ")} }`,
    ...(itemsName === undefined ? [] : [`items: ${quote(itemsName)}`]),
  ];
  return `{ ${parts.join(", ")} }`;
};
