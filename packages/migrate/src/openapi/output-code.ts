import { toObject, toText, type ApiDocument, type JsonObject } from "./document.ts";
import { toKey } from "./names.ts";
import type { SchemaCode } from "./primitive-code.ts";
import type { SchemaWriter } from "./schema-code.ts";

/** The result handlers that endpoints may need; `factory` sends the bare output. */
export type Base = "emptyFactory" | "factory" | "listFactory";

/** The parts of a definition that say what an endpoint sends. */
export interface OutputCode {
  readonly base: Base;
  readonly members: readonly string[];
  readonly uses: ReadonlySet<string>;
  readonly notes: readonly string[];
}

const isJson = (type: string): boolean => /^application\/(?:[\w.+-]+\+)?json\b/.test(type);

/** Statuses that the framework declares itself, as far as they apply. */
const ownStatuses = new Set(["400", "401", "413", "415", "500"]);

/** Writes the output, the status, the header fields and the errors of an operation. */
export const writeOutput = (
  document: ApiDocument,
  writer: SchemaWriter,
  operation: JsonObject,
): OutputCode => {
  const responses = Object.entries(toObject(operation["responses"])).map(
    ([status, response]) => [status, document.resolve(response)] as const,
  );
  const notes: string[] = [];
  const successes = responses.filter(([status]) => /^2\d\d$/.test(status));
  const [success, ...others] = successes;
  for (const [status] of others)
    notes.push(`It also responds with ${status}: call response.status(${status}).`);
  for (const [status, { description }] of responses)
    if (!/^[245]\d\d$/.test(status))
      notes.push(
        `The response ${status} (${toText(description) ?? "no description"}) has no counterpart.`,
      );
  const members: string[] = [];
  const [status = "200", response = {}] = success ?? [];
  const body = writeBody(document, writer, response, status);
  notes.push(...body.notes);
  members.push(...body.members);
  if (status !== "200") members.push(`statusCode: ${status}`);
  const headers = Object.entries(toObject(response["headers"])).map(([name, given]) => {
    const header = document.resolve(given);
    return writer.field(name.toLowerCase(), header["schema"], header["required"] === true, "json");
  });
  if (headers.length > 0)
    members.push(`responseHeaders: z.object({\n${headers.map((one) => one.code).join(",\n")}\n})`);
  const errors = responses.filter(([one]) => /^[45]\d\d$/.test(one));
  const listed = errors.filter(
    ([one, { description }]) => !ownStatuses.has(one) || toText(description) !== undefined,
  );
  if (listed.length > 0) members.push(`errors: {\n${listed.map(toError).join(",\n")}\n}`);
  const foreign = errors.filter(([, { content }]) =>
    Object.keys(toObject(content)).some((type) => type !== "application/problem+json"),
  );
  if (foreign.length > 0)
    notes.push(
      `The bodies of ${foreign.map(([one]) => one).join(", ")} are problem details: write a ResultHandler to send others.`,
    );
  const uses = new Set([...body.uses, ...headers.flatMap((one) => [...one.uses])]);
  return { base: body.base, members, notes, uses };
};

const toError = ([status, { description }]: readonly [string, JsonObject]): string =>
  `${toKey(status).replaceAll('"', "")}: ${JSON.stringify(toText(description) ?? `Status ${status}`)}`;

const empty = { members: [], notes: [], uses: new Set<string>() };

const writeBody = (
  document: ApiDocument,
  writer: SchemaWriter,
  response: JsonObject,
  status: string,
): OutputCode => {
  const content = toObject(response["content"]);
  const types = Object.keys(content);
  if (types.length === 0) return { ...empty, base: status === "204" ? "factory" : "emptyFactory" };
  const type = types.find(isJson) ?? types[0] ?? "";
  const notes = types
    .filter((one) => one !== type)
    .map((one) => `It may also respond with ${one}.`);
  const schema = toObject(content[type])["schema"];
  if (!isJson(type)) {
    const kind = type === "text/event-stream" ? "stream" : "buffer";
    return {
      ...empty,
      base: "factory",
      members: [`output: ez.${kind}(${JSON.stringify(type)})`],
      notes,
    };
  }
  const target = document.resolve(schema);
  const kinds = [target["type"] ?? []].flat().filter((one) => one !== "null");
  if (kinds[0] === "array") {
    const written = writer.write(schema);
    return {
      ...toBody(written, notes),
      base: "listFactory",
      members: [`output: z.object({ items: ${written.code} })`],
    };
  }
  if (kinds.some((one) => one !== "object")) {
    const text = `The body is no object, but of type ${kinds.flatMap((kind) => toText(kind) ?? []).join(" or ")}: send its JSON as bytes.`;
    return {
      ...empty,
      base: "factory",
      members: [`output: ez.buffer(${JSON.stringify(type)})`],
      notes: [...notes, text],
    };
  }
  if (Object.keys(target).length === 0)
    return {
      ...empty,
      base: "factory",
      members: ["output: z.record(z.string(), z.unknown())"],
      notes: [...notes, "The document does not describe the body."],
    };
  const written = writer.write(schema);
  return { ...toBody(written, notes), base: "factory", members: [`output: ${written.code}`] };
};

const toBody = (written: SchemaCode, notes: readonly string[]) => ({
  uses: written.uses,
  notes: [...notes, ...written.notes],
});
