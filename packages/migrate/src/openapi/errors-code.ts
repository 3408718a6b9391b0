import { toObject, type JsonObject } from "@sallyport/document";
import { block, code, type Code } from "./code.ts";
import type { ErrorBody } from "./factory-code.ts";
import type { Notes } from "./notes.ts";
import type { SchemaWriter } from "./schema-code.ts";

/** Statuses that the framework sends itself. */
const ownStatuses = new Set(["400", "401", "413", "415", "500"]);

export const isJson = (type: string): boolean => /\bjson\b/i.test(type) || type === "*/*";

export const mediaType =
  /^[\w!#$&^+.-]+\/(?:\*|[\w!#$&^+.-]+(?: *; *[\w-]+=[\w!#$&^+."-]+)*)$|^\*\/\*$/;

export const response = { direction: "response", wire: "json" } as const;

interface Failure {
  readonly errorBody: ErrorBody | undefined;
  readonly members: readonly Code[];
  /** The responses that documents show as another one. */
  readonly like: readonly string[];
}

/** Writes the errors, and finds the body that those of the framework have. */
export const writeErrors = (
  writer: SchemaWriter,
  errors: readonly (readonly [status: string, raw: JsonObject])[],
  ranges: readonly (readonly [status: string, raw: JsonObject])[],
  notes: Notes,
): Failure => {
  const bodies = new Map<string, ErrorBody>();
  for (const [status, raw] of [...ranges.toReversed(), ...errors]) {
    const body = readErrorBody(writer, raw, status, notes);
    if (body) bodies.set(status, body);
  }
  const keys = [...bodies.values()].map(({ key: one }) => one);
  const countOf = (one: ErrorBody): number => keys.filter((other) => other === one.key).length;
  const own = [...bodies].flatMap(([status, body]) => (ownStatuses.has(status) ? [body] : []));
  const [common] = [...bodies.values()].toSorted((one, other) => countOf(other) - countOf(one));
  const errorBody =
    bodies.get("default") ??
    own.toSorted((one, other) => countOf(other) - countOf(one))[0] ??
    common;
  const members = errors.map(([status, raw]) => {
    const description =
      typeof raw["description"] === "string" && raw["description"] !== ""
        ? raw["description"]
        : `Status ${status}`;
    const body = bodies.get(status);
    if (!body) return code`${Number(status)}: ${description}`;
    notes.addSchema(`response ${status}`, body.schema);
    if (ownStatuses.has(status) && body.key !== errorBody?.key)
      notes.add(
        `response ${status}`,
        `Errors of the framework with ${status} have the body of ${errorBody?.type ?? "problem details"}.`,
      );
    if (errorBody && body.type !== errorBody.type)
      notes.add(
        `response ${status}`,
        `The media type of errors is ${errorBody.type}, not ${body.type}.`,
      );
    return code`${Number(status)}: { description: ${description}, schema: ${body.schema.code} }`;
  });
  const like: string[] = [];
  if (ranges.some(([, raw]) => Object.keys(toObject(raw["headers"])).length > 0))
    for (const status of ownStatuses)
      if (!errors.some(([one]) => one === status))
        notes.add(`response ${status}`, "Errors of the framework have no header fields here.");
  for (const [status, raw] of ranges) {
    const body = bodies.get(status);
    const isSame = body
      ? body.key === errorBody?.key
      : Object.keys(toObject(raw["content"])).length === 0 && !errorBody;
    if (isSame && !/^[123]/.test(status)) like.push(status);
    else notes.add(`response ${status}`, `The response ${status} has no counterpart.`);
  }
  // it is shown for those, and must be described in place
  if (like.length > 0 && !errors.some(([status]) => status === "500"))
    members.push(
      code`500: ${errorBody ? code`{ description: ${"Internal Server Error"}, schema: ${errorBody.schema.code} }` : "Internal Server Error"}`,
    );
  return {
    errorBody,
    members: members.length > 0 ? [code`errors: ${block(members)}`] : [],
    like,
  };
};

const readErrorBody = (
  writer: SchemaWriter,
  raw: JsonObject,
  status: string,
  notes: Notes,
): ErrorBody | undefined => {
  const content = Object.entries(toObject(raw["content"]));
  const [type, given] = content.find(([one]) => isJson(one)) ?? [];
  const others = content.filter(([one]) => one !== type).map(([one]) => one);
  for (const one of others)
    notes.add(`response ${status}`, `Errors with ${status} are never ${one}.`);
  if (type === undefined) return undefined;
  const schema = writer.document.resolve(given)["schema"];
  const written = writer.write(schema, response);
  return {
    key: `${type} ${written.code.text}`,
    type: mediaType.test(type) ? type : "application/json",
    schema: written,
    target: writer.document.normalise(schema ?? {}),
  };
};
