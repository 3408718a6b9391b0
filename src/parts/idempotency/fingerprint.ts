import { isUint8Array } from "node:util/types";
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import type { Request } from "../../basics/http/express-objects.ts";
import { listAdditions } from "../../define/endpoint/additions.ts";
import { isFunction, isObject } from "../../basics/messages/option-checks.ts";
import type { EndpointPlan } from "../../serve/pipeline/endpoint-plan.ts";
import { pick } from "../../serve/pipeline/validate.ts";
import { combineInput } from "../../serve/request/combine-input.ts";
import { readTopLevel } from "../../basics/schemas/top-level-keys.ts";
import type { FileUpload } from "../../basics/schemas/bodies.ts";

/** The sources of which everything counts; of the others, only what a schema declares does. */
const wholeSources: ReadonlySet<string> = new Set(["params", "query", "body", "files"]);

/** The header fields that tell who calls, or that the middleware itself reads. */
const ignoredFields: ReadonlySet<string> = new Set(["authorization", "cookie", "idempotency-key"]);

/** The header fields that endpoints with `ifMatch` evaluate. */
const conditionFields = ["if-match", "if-none-match", "if-unmodified-since"];

/** Returns the digest of what a request asks for, besides its route; files count by their content. */
export const digestRequest = async (request: Request, plan: EndpointPlan): Promise<string> => {
  const { endpoint, sources, middlewares } = plan;
  const otherSources = sources.filter((source) => !wholeSources.has(source));
  const others = combineInput(request, otherSources);
  const inputs = [endpoint, ...endpoint.middlewares].flatMap(({ inputSchema }) =>
    inputSchema ? [...readTopLevel(inputSchema).fields.keys()] : [],
  );
  const fields = [plan, ...middlewares]
    .flatMap(({ headers }) => headers?.names ?? [])
    .filter((name) => !ignoredFields.has(name));
  const hasConditions = listAdditions(endpoint.middlewares).some((one) => one.conditions);
  if (hasConditions) fields.push(...conditionFields);
  const { params, query, body, files } = request as Request & { readonly files?: unknown };
  const parts = [
    ...[params, query, body, files],
    pick(inputs, (name) => others[name]),
    pick(fields, (name) => request.headers[name]),
  ];
  const uploads: FileUpload[] = [];
  const hash = createHash("sha256").update(toText(parts, uploads));
  for (const { tempFilePath, data } of uploads) {
    if (tempFilePath === undefined) hash.update(data);
    else for await (const chunk of createReadStream(tempFilePath)) hash.update(chunk as Buffer);
  }
  return hash.digest("base64url");
};

/**
 * Returns a text that is the same for equal values only, whatever the order of their fields. Bytes count by their digest;
 * files are put into `uploads`.
 */
const toText = (value: unknown, uploads: FileUpload[]): string => {
  if (typeof value === "string") return JSON.stringify(value);
  if (typeof value === "bigint") return `${value}n`;
  if (Array.isArray(value)) return `[${value.map((one) => toText(one, uploads)).join()}]`;
  // JSON would write NaN and Infinity, which 1e400 is, as null
  if (!isObject(value)) return String(value);
  if (isUint8Array(value)) return `bytes ${createHash("sha256").update(value).digest("base64url")}`;
  if (isFile(value)) {
    uploads.push(value);
    return `file ${toText([value.name, value.mimetype, value.size], uploads)}`;
  }
  const { toJSON } = value as { readonly toJSON?: unknown };
  if (typeof toJSON === "function") return toText(Reflect.apply(toJSON, value, []), uploads);
  const fields = Object.keys(value).toSorted();
  const texts = fields.map(
    (name) => `${JSON.stringify(name)}:${toText(Reflect.get(value, name), uploads)}`,
  );
  return `{${texts.join()}}`;
};

/** Checks whether a value is an uploaded file: no client can send a function. */
const isFile = (value: object): value is FileUpload => isFunction(Reflect.get(value, "mv"));
