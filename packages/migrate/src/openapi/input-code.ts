import { toList, toText, type Json, type JsonObject } from "@sallyport/document";
import { writeBody, type BodyCode } from "./body-code.ts";
import { block, code, nothing, type Code } from "./code.ts";
import { isHeaderName } from "./names.ts";
import type { Notes } from "./notes.ts";
import { writeParameter, type ParameterCode } from "./parameter-code.ts";
import type { Paths, RoutePath } from "./paths.ts";
import { ez, finish, value, z } from "./primitive-code.ts";
import type { SchemaWriter } from "./schema-code.ts";

/** The parts of a definition that say what an endpoint takes. */
export interface InputCode {
  readonly route: RoutePath;
  readonly members: readonly Code[];
  /** A middleware that takes the parameters, if the body is no object of fields. */
  readonly middleware: Code;
  /** Whether a query has objects, which need a parser of brackets. */
  readonly isNested: boolean;
  readonly hasCookies: boolean;
  readonly takesFiles: boolean;
  /** What only the document says. */
  readonly extra: Record<string, Json>;
}

const ignoredHeaders = new Set(["accept", "authorization", "content-type"]);

const bodyMethods = new Set(["post", "put", "patch", "query"]);

/** Writes the input and the header fields of an operation; undefined if no route has its path. */
export const writeInput = (
  writer: SchemaWriter,
  paths: Paths,
  call: { readonly method: string; readonly path: string },
  { item, operation }: { readonly item: JsonObject; readonly operation: JsonObject },
  notes: Notes,
): InputCode | undefined => {
  const { document } = writer;
  const declared = new Map<string, JsonObject>();
  for (const one of [...toList(item["parameters"]), ...toList(operation["parameters"])]) {
    const parameter = document.resolve(one);
    const place = toText(parameter["in"]);
    const name = toText(parameter["name"]);
    const isIgnored = place === "header" && ignoredHeaders.has(name.toLowerCase());
    if (!isIgnored)
      declared.set(`${place} ${place === "header" ? name.toLowerCase() : name}`, parameter);
  }
  const body =
    operation["requestBody"] === undefined
      ? undefined
      : writeBody(writer, document.resolve(operation["requestBody"]));
  const others = [...declared.values()].filter(
    (one) => one["in"] !== "path" && one["in"] !== "header",
  );
  const route = paths.convert(
    call.path,
    new Set([...others.map((one) => toText(one["name"])), ...(body?.names ?? []), "raw"]),
  );
  if (!route) return undefined;
  const fields: ParameterCode[] = [];
  const headers: ParameterCode[] = [];
  const told: Record<string, Json> = {};
  const taken = new Set<string>();
  for (const raw of declared.values()) {
    const location = toText(raw["in"]);
    const given = toText(raw["name"]);
    const place = `${location} parameter ${given}`;
    const name = location === "path" ? route.names.get(given) : given;
    if (name === undefined) {
      notes.add(place, `The path has no parameter ${given}.`);
      continue;
    }
    if (!["path", "query", "header", "cookie"].includes(location)) {
      notes.add(place, `A parameter cannot be in ${location}.`);
      continue;
    }
    if (location === "header" && !isHeaderName(given)) {
      notes.add(place, `No header field can be named ${given}.`);
      continue;
    }
    const parameter = writeParameter(
      writer,
      raw,
      location === "header" ? given.toLowerCase() : name,
    );
    notes.addSchema(place, parameter.code);
    if (Object.keys(parameter.extra).length > 0)
      told[`${location} ${parameter.name}`] = parameter.extra;
    if (location === "header") headers.push(parameter);
    else if (taken.has(name))
      notes.add(place, `The field ${given} is in two parts of the request: rename one.`);
    else {
      taken.add(name);
      fields.push(parameter);
    }
  }
  for (const name of route.names.values())
    if (!taken.has(name)) {
      const raw = { name, in: "path", required: true, schema: { type: "string" } };
      notes.add(
        `path parameter ${name}`,
        `The document does not declare the parameter ${name} of the path.`,
      );
      fields.push(writeParameter(writer, raw, name));
    }
  if (body) tellBody(body, fields, notes);
  const at = (location: string): readonly string[] =>
    fields.filter((one) => one.location === location).map(({ name }) => name);
  const [queries, cookies] = [at("query"), at("cookie")];
  const sources = toSources(call.method, body, queries.length > 0, cookies.length > 0);
  const { input, middleware } = joinInput(fields, body);
  const isMixed = body !== undefined && (queries.length > 0 || cookies.length > 0);
  const isApart = body?.kind === "raw" || body?.kind === "value";
  if (isMixed && !isApart && (!body.code?.isShape || body.code.isLate))
    notes.add(
      "request",
      "Documents show the fields of the body one by one, without their alternatives.",
    );
  const extra: Record<string, Json> = {
    ...(Object.keys(told).length > 0 && { parameters: told }),
    ...(cookies.length > 0 && { cookies }),
    ...(isMixed && !isApart && { fields: body.names.filter((name) => !taken.has(name)) }),
    ...(body && { body: { ...(isMixed && !isApart && { type: body.type }), ...body.extra } }),
  };
  return {
    route,
    members: [
      ...(input ? [code`input: ${input}`] : []),
      ...(headers.length > 0
        ? [code`headers: ${z}.object(${block(headers.map((one) => one.code.code))})`]
        : []),
      ...(sources ? [code`inputSources: ${sources}`] : []),
    ],
    middleware,
    isNested: fields.some((one) => one.isNested),
    hasCookies: cookies.length > 0,
    takesFiles: body?.kind === "files",
    extra,
  };
};

const tellBody = (body: BodyCode, fields: readonly ParameterCode[], notes: Notes): void => {
  notes.add("request", ...body.notes);
  if (body.code) notes.addSchema("request", body.code);
  for (const { name, location } of fields.filter((one) => body.names.includes(one.name)))
    for (const place of ["request", `${location} parameter ${name}`])
      notes.add(
        place,
        `The field ${name} is in the body and in another part of the request: rename one.`,
      );
  if (body.isForced) notes.add("request", "The body is required, because some of its fields are.");
};

/** Joins the fields of the parameters with the body. */
const joinInput = (
  fields: readonly ParameterCode[],
  body: BodyCode | undefined,
): { readonly input?: Code; readonly middleware: Code } => {
  const list = block(fields.map((field) => field.code.code));
  const shape = code`${z}.object(${list})`;
  if (!body)
    return fields.length > 0 ? { input: shape, middleware: nothing } : { middleware: nothing };
  const { kind, type, code: written } = body;
  if (kind === "raw" || kind === "value" || !written) {
    const raw = code`${ez}.raw(${list}, { contentMediaType: ${type} })`;
    if (kind === "raw" || !written) return { input: raw, middleware: nothing };
    return {
      input: code`${raw}.transform(${value("parseRaw")}(${finish(written).code}))`,
      middleware: nothing,
    };
  }
  const whole = finish(written).code;
  const wrap = (input: Code): Code => (kind === "form" ? code`${ez}.form(${input})` : input);
  if (fields.length === 0) return { input: wrap(whole), middleware: nothing };
  if (written.isShape && !written.isLate)
    return { input: wrap(code`${whole}.extend(${list})`), middleware: nothing };
  // the fields of a body that is no plain object stay apart
  const middleware = code`.addMiddleware({ input: ${shape}, handler: async ({ input }) => ({ parameters: input }) })`;
  return { input: wrap(whole), middleware };
};

const toSources = (
  method: string,
  body: BodyCode | undefined,
  hasQuery: boolean,
  hasCookies: boolean,
): readonly string[] | undefined => {
  const takesByDefault = bodyMethods.has(method);
  const hasFiles = body?.kind === "files";
  const takesBody = body !== undefined;
  const isDefault = takesByDefault
    ? takesBody && !hasQuery && (!hasFiles || method === "post")
    : !takesBody;
  if (isDefault && !hasCookies) return undefined;
  return [
    ...(hasCookies ? ["cookies"] : []),
    ...(hasQuery ? ["query"] : []),
    ...(takesBody ? ["body"] : []),
    "params",
    ...(hasFiles ? ["files"] : []),
  ];
};
