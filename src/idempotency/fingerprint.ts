import { createHash, type Hash } from "node:crypto";
import { createReadStream } from "node:fs";
import type { Request } from "../http/express-objects.ts";
import type { EndpointPlan } from "../pipeline/endpoint-plan.ts";
import { pick } from "../pipeline/validate.ts";
import { combineInput } from "../request/combine-input.ts";
import { readTopLevel } from "../schemas/top-level-keys.ts";
import type { FileUpload } from "../schemas/upload.ts";

/** Returns the digest of some texts. */
export const digest = (...texts: readonly string[]): string =>
  createHash("sha256").update(JSON.stringify(texts)).digest("base64url");

/** The sources of which everything counts; of the others, only what a schema declares does. */
const wholeSources: ReadonlySet<string> = new Set(["params", "query", "body", "files"]);

/** The header fields that tell who calls, or that the middleware itself reads. */
const ignoredFields: ReadonlySet<string> = new Set(["authorization", "cookie", "idempotency-key"]);

/** The header fields that endpoints with `ifMatch` evaluate. */
const conditionFields = ["if-match", "if-none-match", "if-unmodified-since"];

/** Returns the digest of what a request asks for, besides its route. */
export const digestRequest = (request: Request, plan: EndpointPlan): Promise<string> => {
  const { endpoint, sources, headers, middlewares } = plan;
  const others = combineInput(
    request,
    sources.filter((source) => !wholeSources.has(source)),
  );
  const schemas = [endpoint, ...endpoint.middlewares].flatMap(
    ({ inputSchema }) => inputSchema ?? [],
  );
  const names = schemas.flatMap((schema) => [...readTopLevel(schema).fields.keys()]);
  const fields = [headers, ...middlewares.map((step) => step.headers)].flatMap(
    (declared) => declared?.names.filter((name) => !ignoredFields.has(name)) ?? [],
  );
  if (endpoint.conditions?.ifMatch) fields.push(...conditionFields);
  const { params, query, body } = request;
  return digestValue([
    ...[params, query, body, (request as { readonly files?: unknown }).files],
    pick(names, (name) => others[name]),
    pick(fields, (name) => request.headers[name]),
  ]);
};

/** Returns the digest of a value: the order of its fields does not matter, and files count by their content. */
const digestValue = async (value: unknown): Promise<string> => {
  const hash = createHash("sha256");
  const files: FileUpload[] = [];
  add(hash, value, files);
  for (const file of files) {
    const { tempFilePath } = file;
    if (tempFilePath === undefined) hash.update(file.data);
    else for await (const chunk of createReadStream(tempFilePath)) hash.update(chunk as Buffer);
  }
  return hash.digest("base64url");
};

/** Adds a value with its type and its length, so that no two values look alike; files are added to a list. */
const add = (hash: Hash, value: unknown, files: FileUpload[]): void => {
  if (value instanceof Uint8Array) hash.update(`bytes ${value.length}:`).update(value);
  else if (Array.isArray(value)) {
    hash.update(`array ${value.length}:`);
    for (const item of value) add(hash, item, files);
  } else if (isFile(value)) {
    const { name, mimetype, size } = value;
    files.push(value);
    add(hash, ["file", name, mimetype, size], files);
  } else if (typeof value === "object" && value !== null) {
    const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
    hash.update(`object ${entries.length}:`);
    for (const entry of entries) add(hash, entry, files);
  } else {
    const text = String(value);
    hash.update(`${typeof value} ${text.length}:${text}`);
  }
};

const isFile = (value: unknown): value is FileUpload =>
  typeof value === "object" && value !== null && "mv" in value && "mimetype" in value;
