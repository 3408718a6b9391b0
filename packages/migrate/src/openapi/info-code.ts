import { toList, toObject, toText, type Json, type JsonObject } from "@sallyport/document";
import { block, code, imported, join, key, nothing, todo, type Code } from "./code.ts";
import type { ApiDocument } from "./document.ts";
import { note, type Note } from "./notes.ts";
import { finish } from "./primitive-code.ts";
import type { SchemaWriter } from "./schema-code.ts";

const methods = ["get", "post", "put", "patch", "delete", "query"];

/** Writes the module with what documents say about the whole API. */
export const writeInfo = (
  document: ApiDocument,
  writer: SchemaWriter,
  extras: readonly Code[],
  told: Map<string, readonly Note[]>,
): Code => {
  const { root } = document;
  const notes: string[] = [];
  const version = toText(root["openapi"]).slice(0, 3);
  const servers = toList(root["servers"]).map((server) =>
    pick(toObject(server), ["url", "description", "variables"], notes, "server"),
  );
  const tags = toList(root["tags"]).flatMap((given) => {
    const tag = toObject(given);
    const { url } = toObject(tag["externalDocs"]);
    const description =
      textOf(tag["description"]) ?? textOf(toObject(tag["externalDocs"])["description"]) ?? "";
    const name = toText(tag["name"]);
    if (description === "" && url === undefined) return [];
    return [code`${key(name)}: ${{ description, ...(typeof url === "string" && { url }) }}`];
  });
  for (const name of [
    "externalDocs",
    ...Object.keys(root).filter(
      (one) => one.startsWith("x-") && one !== "x-parts" && one !== "x-webhooks",
    ),
  ])
    if (root[name] !== undefined) notes.push(`\`${name}\` of the document is not written.`);
  const info = readInfo(toObject(root["info"]), notes);
  const webhooks = writeWebhooks(document, writer, notes, told);
  if (notes.length > 0)
    told.set(
      "The document",
      notes.map((text) => note("*", text)),
    );
  const members = [
    code`openapi: ${version}`,
    code`info: ${info}`,
    ...(servers.length > 0 ? [code`servers: ${servers}`] : []),
    ...(tags.length > 0 ? [code`tags: ${block(tags)}`] : []),
    ...(webhooks.length > 0 ? [code`webhooks: ${block(webhooks)}`] : []),
    ...(extras.length > 0
      ? [code`override: ${imported("createOverride", "./override")}(extras)`]
      : []),
  ];
  const table =
    extras.length > 0
      ? code`/** What only the document says, by method and path. */
const extras = ${block(extras)};

`
      : nothing;
  return code`${table}${join(notes.map(todo), nothing)}/** What the document says about the whole API: \`generateOpenApi({ routing, config, ...description })\`. */
export const description = ${block(members)} as const;`;
};

const textOf = (value: Json | undefined): string | undefined =>
  typeof value === "string" && value !== "" ? value : undefined;

const pick = (
  object: JsonObject,
  names: readonly string[],
  notes: string[],
  where: string,
): JsonObject => {
  for (const name of Object.keys(object))
    if (!names.includes(name)) notes.push(`\`${name}\` of the ${where} is not written.`);
  return Object.fromEntries(
    names.flatMap((name) =>
      object[name] === undefined || object[name] === null ? [] : [[name, object[name]]],
    ),
  );
};

const readInfo = (info: JsonObject, notes: string[]): JsonObject => {
  const own = pick(
    info,
    ["title", "version", "description", "summary", "termsOfService", "contact", "license"],
    notes,
    "info",
  );
  return {
    ...own,
    title: textOf(own["title"]) ?? "API",
    version: toText(own["version"] ?? "1.0.0"),
    ...(own["contact"] !== undefined && {
      contact: pick(toObject(own["contact"]), ["name", "url", "email"], notes, "contact"),
    }),
    ...(own["license"] !== undefined && {
      license: {
        name: "",
        ...pick(toObject(own["license"]), ["name", "url", "identifier"], notes, "license"),
      },
    }),
  };
};

const writeWebhooks = (
  document: ApiDocument,
  writer: SchemaWriter,
  all: string[],
  told: Map<string, readonly Note[]>,
): readonly Code[] =>
  Object.entries(toObject(document.root["webhooks"] ?? document.root["x-webhooks"])).flatMap(
    ([name, given]) => {
      const item = document.resolve(given);
      const found = methods.filter((method) => item[method] !== undefined);
      const [method, ...others] = found;
      if (method === undefined) return [];
      const notes: string[] = [];
      for (const other of others)
        notes.push(`The webhook ${name} is written for ${method}, not for ${other}.`);
      const operation = document.resolve(item[method]);
      const body = document.resolve(operation["requestBody"]);
      const media = toObject(toObject(body["content"])["application/json"]);
      if (body["content"] !== undefined && media["schema"] === undefined)
        notes.push(`The body of the webhook ${name} is not written.`);
      for (const part of ["parameters", "security", "callbacks"])
        if (operation[part] !== undefined)
          notes.push(`The ${part} of the webhook ${name} are not written.`);
      notes.push(`The responses to the webhook ${name} are described as 2XX.`);
      const input =
        media["schema"] === undefined
          ? []
          : [
              code`input: ${finish(writer.writeBare(media["schema"], { direction: "request", wire: "json" })).code}`,
            ];
      const tags = toList(operation["tags"]).map(toText);
      const text = (option: Code, value: Json | undefined): readonly Code[] =>
        textOf(value) === undefined ? [] : [code`${option}: ${value}`];
      const members = [
        code`method: ${method}`,
        ...input,
        ...text(code`shortDescription`, operation["summary"]),
        ...text(code`description`, operation["description"]),
        ...text(code`operationId`, operation["operationId"]),
        ...(tags.length > 0 ? [code`tag: ${tags}`] : []),
      ];
      all.push(...notes);
      for (const one of found)
        told.set(
          `${one.toUpperCase()} webhook ${name}`,
          notes.map((text) => note("*", text)),
        );
      return [code`${key(name)}: ${block(members)}`];
    },
  );
