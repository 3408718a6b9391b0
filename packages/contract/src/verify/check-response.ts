import { accepts, explain, typesOf, type Schema } from "@sallyport/document";
import { isJsonType } from "./body-type.ts";
import { toFinding, type Finding } from "./check.ts";
import { checkAnyReply } from "./check-any-reply.ts";
import {
  findParameter,
  findReply,
  isProtected,
  type Api,
  type Operation,
  type Reply,
} from "./operation.ts";
import type { Case } from "./cases.ts";
import type { Received } from "./received.ts";
import { listUndeclared } from "./undeclared.ts";

/** The statuses that the framework sends wherever they are needed, without declaring them. */
export const frameworkStatuses: ReadonlySet<number> = new Set([
  ...[400, 401, 404, 405, 408, 413, 414, 415, 417, 429, 431],
]);

/** The statuses with which HTTP lets a server refuse a request that the document does not allow, or that lacks something. */
const refusals: ReadonlySet<number> = new Set([
  ...[400, 401, 403, 404, 405, 406, 412, 413, 414, 415, 416, 422, 428, 431],
]);

/** Whether a server may send a status that its document does not declare: refusals of what is wrong, and limits. */
const isOfHttp = (status: number, kind: Case["kind"]): boolean =>
  status === 408 || status === 429 || (kind !== "positive" && refusals.has(status));

/** Compares a reply with what its operation declares. */
export const checkResponse = (
  operation: Operation,
  received: Received,
  kind: Case["kind"],
  { isFramework }: Api,
): readonly Finding[] => {
  const { status } = received;
  const general = checkAnyReply(received);
  if (status >= 500) return general;
  const reply = findReply(operation, status);
  if (!reply) {
    const isKnown = isFramework ? isFrameworks(operation, received) : isOfHttp(status, kind);
    if (isKnown) return general;
    const declared = Object.keys(operation.replies).join(", ");
    return [
      ...general,
      toFinding(
        "status_code_conformance",
        `The status ${status} is not declared; declared are ${declared}.`,
        `assert.match(String(response.status), /^(?:${Object.keys(operation.replies).join("|").replaceAll("X", ".")})$/);`,
      ),
    ];
  }
  return [
    ...general,
    ...checkCache(operation, received),
    ...checkHeaders(operation, reply, received),
    ...checkContent(reply, received, isFramework),
  ];
};

/** Whether a reply is for its caller alone. */
export const isPrivate = (operation: Operation, { status }: Received): boolean =>
  isProtected(operation) && status < 400;

/** @see https://www.rfc-editor.org/rfc/rfc9111.html#section-3.5 */
const checkCache = (operation: Operation, received: Received): readonly Finding[] => {
  const value = received.headers.get("cache-control") ?? "";
  const isShared = /(?:^|[\s,])(?:public|s-maxage="?0*[1-9]\d*"?)(?:$|[\s,])/i.test(value);
  if (!isShared || !isPrivate(operation, received)) return [];
  return [
    toFinding(
      "public_cache",
      `A reply to one who is logged in may be kept for others: Cache-Control is ${value}.`,
      String.raw`assert.doesNotMatch(response.headers.get("cache-control") ?? "", /\bpublic\b|\bs-maxage=0*[1-9]/i);`,
    ),
  ];
};

/** Whether the framework itself has sent a status, which it tells by a code if the envelope has one. */
const isFrameworks = ({ replies }: Operation, { status, text }: Received): boolean => {
  if (!frameworkStatuses.has(status)) return false;
  const envelopes = Object.values(replies[500]?.content ?? {});
  // the ready-made envelopes have issues and codes
  const hasCodes = envelopes.some((one) => hasIssues(one));
  return text.includes('"SLP_') || !hasCodes;
};

const hasIssues = ({ properties = {}, anyOf = [] }: Schema, depth = 0): boolean =>
  depth < 5 &&
  ("issues" in properties ||
    [...Object.values(properties), ...anyOf].some((one) => hasIssues(one, depth + 1)));

/** What is wrong with a value, in words that follow its name; undefined if it fits. */
const findProblem = (schema: Schema, value: unknown): string | undefined => {
  const { path, message } = explain(schema, value) ?? {};
  return message === undefined ? undefined : `${path || "the value"} ${message}`;
};

const checkHeaders = (
  operation: Operation,
  { headers }: Reply,
  received: Received,
): readonly Finding[] => {
  const found = Object.entries(headers).flatMap(([name, header]) => {
    const value = received.headers.get(name);
    if (value === null)
      return header.required && received.status !== 304
        ? [`The header field ${name} is missing.`]
        : [];
    const schema = header.schema ?? {};
    const number = value.trim() === "" ? NaN : Number(value);
    const readings: readonly unknown[] = [
      value,
      ...(Number.isNaN(number) ? [] : [number]),
      ...(value === "true" || value === "false" ? [value === "true"] : []),
    ];
    return readings.some((one) => accepts(schema, one))
      ? []
      : [`The header field ${name} does not fit: ${findProblem(schema, value)}.`];
  });
  const isConditional =
    findParameter(operation, "header", "if-none-match") && received.status < 300;
  const hasValidator = received.headers.has("etag") || received.headers.has("last-modified");
  return [
    ...found,
    ...(isConditional && "etag" in headers && !hasValidator
      ? ["The reply has neither ETag nor Last-Modified."]
      : []),
  ].map((message) => toFinding("response_headers_conformance", message));
};

const checkContent = (
  { content }: Reply,
  received: Received,
  isFramework: boolean,
): readonly Finding[] => {
  const { type, text } = received;
  const declared = Object.keys(content);
  if (declared.length === 0)
    return text === ""
      ? []
      : [toFinding("content_type_conformance", "The reply has a body, but none is declared.")];
  const found = declared.find((one) => fitsType(one, type));
  if (found === undefined)
    return [
      toFinding(
        "content_type_conformance",
        `The content type ${type || "is missing; declared"} ${type ? "is not declared; declared " : ""}is ${declared.join(", ")}.`,
        `assert.match(response.headers.get("content-type") ?? "", /^(${declared.map((one) => one.replaceAll(/[/+.]/g, String.raw`\$&`).replaceAll("*", ".*")).join("|")})/);`,
      ),
    ];
  // a range of types stands for bytes as such
  if (found.startsWith("*/*")) return [];
  return checkBody(content[found] ?? {}, received, isFramework).map((message) =>
    toFinding("response_schema_conformance", message),
  );
};

const fitsType = (declared: string, type: string): boolean => {
  const [range = ""] = declared.split(";", 1);
  if (range === "*/*") return true;
  return range.endsWith("/*") ? type.startsWith(range.slice(0, -1)) : range.trim() === type;
};

const checkBody = (
  schema: Schema,
  { type, text, json, events }: Received,
  isFramework: boolean,
): readonly string[] => {
  if (type === "text/event-stream") return events.flatMap((one) => checkEvent(schema, one));
  if (!isJsonType(type)) {
    // what is not text is described by what it means
    const isText = typesOf(schema)?.includes("string") && schema.format !== "binary";
    const problem = !isText ? undefined : findProblem(schema, text);
    return problem === undefined ? [] : [`The body does not fit: ${problem}.`];
  }
  if (json === undefined) return ["The body is not JSON."];
  const problem = findProblem(schema, json);
  if (problem !== undefined) return [`The body does not fit: ${problem}.`];
  // schemas of other servers allow further fields unless they say otherwise
  const [path] = isFramework ? listUndeclared([schema], json) : [];
  return path === undefined ? [] : [`The field ${path} is not declared.`];
};

const checkEvent = (
  schema: Schema,
  event: Readonly<Record<string, string | number>>,
): readonly string[] => {
  const arm = (schema.anyOf ?? [schema]).find(({ properties }) => {
    const name = properties?.["event"];
    return name === undefined || accepts(name, event["event"]);
  });
  if (!arm) return ["An event has a name that is not declared."];
  const problem = findProblem(arm, event);
  if (problem !== undefined) return [`An event does not fit: ${problem}.`];
  const { contentSchema } = arm.properties?.["data"] ?? {};
  if (!contentSchema) return [];
  try {
    const data: unknown = JSON.parse(String(event["data"]));
    const inner = findProblem(contentSchema, data);
    if (inner !== undefined) return [`The data of an event does not fit: ${inner}.`];
    const [path] = listUndeclared([contentSchema], data);
    return path === undefined ? [] : [`The field ${path} of an event is not declared.`];
  } catch {
    return ["The data of an event is not JSON."];
  }
};
