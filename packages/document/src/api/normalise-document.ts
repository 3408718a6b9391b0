import { DocumentError } from "../errors.ts";
import {
  compact,
  isObject,
  toList,
  toObject,
  toText,
  type Json,
  type JsonObject,
} from "../json.ts";
import type { Source } from "../read/read-source.ts";
import { Resolver } from "../read/resolver.ts";
import { toLifecycle } from "../schema/lifecycle.ts";
import { isEmpty, toCurrent } from "../schema/raw-schema.ts";
import { SchemaNormaliser } from "../schema/normalise-schema.ts";
import { sortEntries } from "../schema/schema.ts";
import type {
  ApiDescription,
  Body,
  Content,
  Credentials,
  Examples,
  Media,
  Operation,
  Parameter,
  Response,
  SecurityScheme,
} from "./api-description.ts";

const methods = ["get", "put", "post", "delete", "options", "head", "patch", "trace", "query"];

/** Header fields whose description in a document has no effect. */
const ignoredFields: ReadonlySet<string> = new Set(["accept", "authorization", "content-type"]);

/**
 * Converts an OpenAPI document, of version 3.0 to 3.2, to normal form.
 *
 * @throws {@link DocumentError} when this is no such document, or a reference in it leads nowhere.
 */
export const normalise = (source: Source): ApiDescription => {
  const { document, file } = source;
  const version = isObject(document) ? toText(document["openapi"]) : "";
  if (!isObject(document) || !/^3\.[012](?:\.|$)/.test(version))
    throw new DocumentError(
      isObject(document) && document["swagger"] !== undefined
        ? `${file} is a document of Swagger ${toText(
            document["swagger"],
          )}. Convert it to OpenAPI 3, such as with \`npx swagger2openapi\`.`
        : `${file} is no OpenAPI document of version 3.0, 3.1 or 3.2.`,
    );
  return new DocumentNormaliser(document, source).convert();
};

type Located = readonly [value: JsonObject, file: string];

class DocumentNormaliser {
  readonly #document: JsonObject;
  readonly #file: string;
  readonly #resolver: Resolver;
  readonly #schemas: SchemaNormaliser;

  constructor(document: JsonObject, source: Source) {
    this.#document = document;
    this.#file = source.file;
    this.#resolver = new Resolver(source);
    this.#schemas = new SchemaNormaliser(this.#resolver);
  }

  convert(): ApiDescription {
    const { paths, servers } = this.#document;
    // before 3.1, sallyport and others describe webhooks in an extension
    const webhooks = this.#document["webhooks"] ?? this.#document["x-webhooks"];
    const api: ApiDescription = {
      servers: readUrls(servers),
      operations: this.#readItems(paths, (method, path) => `${method} ${path}`, anonymise),
      webhooks: this.#readItems(webhooks, (method, name) => `${method} webhook ${name}`),
    };
    this.#schemas.finish();
    return api;
  }

  #locate(value: Json | undefined, file: string): Located {
    if (!isObject(value)) return [{}, file];
    const [found, place] = this.#resolver.resolve(value, file);
    return [toObject(found), place];
  }

  #entries(value: Json | undefined, file: string): readonly (readonly [string, ...Located])[] {
    return sortEntries(Object.entries(toObject(value))).map(
      ([key, one]) => [key, ...this.#locate(one, file)] as const,
    );
  }

  /** @param toKey converts a path to what it is compared by */
  #readItems(
    items: Json | undefined,
    toName: (method: string, path: string) => string,
    toKey = (path: string): string => path,
    file = this.#file,
  ): Readonly<Record<string, Operation>> {
    const found = this.#entries(withoutExtensions(items), file).flatMap(([path, item, place]) => {
      const others = Object.entries(toObject(item["additionalOperations"]));
      // operations may stand beside the reference to others
      const beside = toObject(toObject(items)[path]);
      const own = methods.flatMap((method) => {
        // before 3.2, the method QUERY has a name of an extension
        const operation = item[method] ?? (method === "query" ? item["x-query"] : beside[method]);
        return isObject(operation) ? [[method.toUpperCase(), operation] as const] : [];
      });
      return [...own, ...others].map(([method, given]) => {
        const isBeside = given === beside[method.toLowerCase()];
        const [operation, from] = this.#locate(given, isBeside ? file : place);
        const call = { name: toName(method, path), method, path };
        return [
          toName(method, toKey(path)),
          this.#readOperation(call, operation, from, item, place),
        ] as const;
      });
    });
    refuseTwice(found);
    return Object.fromEntries(sortEntries(found));
  }

  #readOperation(
    { name, method, path }: Pick<Operation, "name" | "method" | "path">,
    raw: JsonObject,
    file: string,
    item: JsonObject,
    itemFile: string,
  ): Operation {
    const readParameters = (given: Json | undefined, from: string) =>
      toList(given).flatMap((one) => {
        const [parameter, place] = this.#locate(one, from);
        return this.#readParameter(parameter, place, path);
      });
    const parameters = [
      ...readParameters(item["parameters"], itemFile),
      ...readParameters(raw["parameters"], file),
    ];
    const body =
      raw["requestBody"] === undefined ? undefined : this.#readBody(raw["requestBody"], file);
    const responses = this.#entries(withoutExtensions(raw["responses"]), file).map(
      ([status, response, place]) =>
        [
          status.toUpperCase().replace("DEFAULT", "default"),
          this.#readResponse(response, place),
        ] as const,
    );
    const callbacks = this.#entries(raw["callbacks"], file).flatMap(([callback, items, place]) =>
      Object.entries(
        this.#readItems(
          items,
          (method, url) => `${name} callback ${callback} ${method} ${url}`,
          undefined,
          place,
        ),
      ),
    );
    const servers = raw["servers"] ?? item["servers"];
    return compact<Operation>({
      ...{ name, method, path },
      servers: servers === undefined ? undefined : readUrls(servers),
      operationId: typeof raw["operationId"] === "string" ? raw["operationId"] : undefined,
      tags: [...new Set(toList(raw["tags"]).map(toText))].toSorted(),
      ...toLifecycle(raw),
      security: this.#readSecurity(raw["security"] ?? this.#document["security"]),
      parameters: Object.fromEntries(sortEntries(parameters)),
      body,
      responses: Object.fromEntries(responses),
      callbacks: Object.fromEntries(sortEntries(callbacks)),
    });
  }

  #readParameter(
    raw: JsonObject,
    file: string,
    path: string,
  ): readonly (readonly [string, Parameter])[] {
    const place = toText(raw["in"]);
    const name = toText(raw["name"]);
    if (place === "header" && ignoredFields.has(name.toLowerCase())) return [];
    const parameter = this.#readField(name, raw, file, place);
    if (place !== "path")
      return [[`${place} ${place === "header" ? name.toLowerCase() : name}`, parameter]];
    // a parameter of the path is known by its position
    const at = [...path.matchAll(placeholder)].findIndex(([, found]) => found === name);
    return [[`path ${at < 0 ? name : at + 1}`, { ...parameter, required: true }]];
  }

  /** Reads a parameter or a header of a response. */
  #readField(name: string, raw: JsonObject, file: string, place: string): Parameter {
    const [content] = this.#entries(raw["content"], file);
    const isForm = place === "query" || place === "cookie";
    const style = typeof raw["style"] === "string" ? raw["style"] : isForm ? "form" : "simple";
    const schema = content ? content[1]["schema"] : raw["schema"];
    return compact<Parameter>({
      ...{ name, in: place },
      required: raw["required"] === true || undefined,
      ...toLifecycle(raw),
      style,
      explode: typeof raw["explode"] === "boolean" ? raw["explode"] : style === "form",
      allowReserved: raw["allowReserved"] === true || undefined,
      allowEmptyValue: raw["allowEmptyValue"] === true || undefined,
      mediaType: content?.[0],
      schema:
        schema === undefined ? undefined : this.#schemas.convert(schema, content?.[2] ?? file),
      examples: this.#readExamples(content?.[1] ?? raw, content?.[2] ?? file),
    });
  }

  #readExamples(raw: JsonObject, file: string): Examples | undefined {
    const named = this.#entries(raw["examples"], file).flatMap(([name, one]) => {
      const value = one["value"] ?? one["dataValue"];
      return value === undefined ? [] : [[name, value] as const];
    });
    const examples = {
      ...(raw["example"] !== undefined && { 0: raw["example"] }),
      ...Object.fromEntries(named),
    };
    return Object.keys(examples).length > 0 ? examples : undefined;
  }

  #readBody(given: Json, file: string): Body {
    const [raw, place] = this.#locate(given, file);
    return compact<Body>({
      required: raw["required"] === true || undefined,
      content: this.#readContent(raw["content"], place),
    });
  }

  #readContent(content: Json | undefined, file: string): Content {
    return Object.fromEntries(
      this.#entries(content, file).map(([type, raw, place]) => {
        const { encoding } = raw;
        // before 3.2, sallyport describes the items of a stream of text in an extension
        const isExtended = raw["itemSchema"] === undefined && raw["x-itemSchema"] !== undefined;
        const itemSchema = raw["itemSchema"] ?? raw["x-itemSchema"];
        const areBytes = isBytes(this.#locate(raw["schema"], place)[0], type);
        const schema = isExtended || areBytes ? undefined : raw["schema"];
        const media = compact<Media>({
          examples: this.#readExamples(raw, place),
          schema: schema === undefined ? undefined : this.#schemas.convert(schema, place),
          itemSchema:
            itemSchema === undefined ? undefined : this.#schemas.convert(itemSchema, place),
          encoding: Object.fromEntries(
            this.#entries(encoding, place).map(([name, one]) => [
              name,
              [one["contentType"], one["style"], one["explode"]].map(toText).join(" ").trim(),
            ]),
          ),
        });
        return [toMediaType(type), media];
      }),
    );
  }

  /** Reads the alternatives of credentials; none are needed if one of the alternatives is empty. */
  #readSecurity(given: Json | undefined): readonly Credentials[] {
    const schemes = toObject(toObject(this.#document["components"])["securitySchemes"]);
    const alternatives = toList(given).map((one) =>
      Object.entries(toObject(one)).map(([name, scopes]) => ({
        name,
        scheme: toScheme(this.#locate(schemes[name], this.#file)[0]),
        scopes: toList(scopes).map(toText),
      })),
    );
    return alternatives.some((one) => one.length === 0) ? [] : alternatives;
  }

  #readResponse(raw: JsonObject, file: string): Response {
    const headers = this.#entries(raw["headers"], file).flatMap(([name, header, place]) =>
      ignoredFields.has(name.toLowerCase())
        ? []
        : [[name.toLowerCase(), this.#readField(name, header, place, "header")] as const],
    );
    return {
      content: this.#readContent(raw["content"], file),
      headers: Object.fromEntries(sortEntries(headers)),
    };
  }
}

/** Only some objects of OpenAPI may be extended; elsewhere, such as among headers, `x-` is the beginning of a name. */
const withoutExtensions = (value: Json | undefined): JsonObject =>
  Object.fromEntries(Object.entries(toObject(value)).filter(([key]) => !key.startsWith("x-")));

/** @throws {@link DocumentError} when two paths differ in the names of their parameters alone: either may be meant. */
const refuseTwice = (operations: readonly (readonly [key: string, one: Operation])[]): void => {
  const names = new Map<string, string>();
  for (const [key, { name }] of operations) {
    const other = names.get(key);
    if (other !== undefined && other !== name)
      throw new DocumentError(`${other} and ${name} are the same operation. Remove one of them.`);
    names.set(key, name);
  }
};

const readUrls = (servers: Json | undefined): readonly string[] =>
  toList(servers)
    .map((server) => toText(toObject(server)["url"]))
    .toSorted();

const placeholder = /\{([^}]*)\}/g;

/** Removes the names of path parameters. */
const anonymise = (path: string): string => path.replaceAll(placeholder, "{}");

const toScheme = ({
  type,
  scheme,
  in: place,
  name,
  flows,
  openIdConnectUrl,
}: JsonObject): SecurityScheme => {
  if (type === "http") return { type, scheme: toText(scheme).toLowerCase() };
  if (type === "apiKey") {
    const key = toText(name);
    return { type, in: toText(place), key: place === "header" ? key.toLowerCase() : key };
  }
  if (type === "mutualTLS") return { type };
  if (type === "openIdConnect")
    return { type, urls: { openIdConnectUrl: toText(openIdConnectUrl) } };
  if (type !== "oauth2") return { type: "unknown" };
  const urls = Object.entries(toObject(flows)).flatMap(([flow, one]) =>
    Object.entries(toObject(one)).flatMap(([key, url]) =>
      key.endsWith("Url") && typeof url === "string" ? [[`${flow} ${key}`, url] as const] : [],
    ),
  );
  return { type, urls: Object.fromEntries(sortEntries(urls)) };
};

/** Writes a media type in lower case; the values of its parameters may depend on the case. */
const toMediaType = (text: string): string => {
  const [type = "", ...parameters] = text.split(";");
  const own = parameters
    .map((one) => one.trim().replace(/^[^=]*/, (name) => name.toLowerCase()))
    .map((one) => (one.startsWith("charset=") ? one.toLowerCase().replaceAll('"', "") : one))
    // JSON has no other, and it is the default of most that name it
    .filter((one) => one !== "" && one !== "charset=utf-8");
  return [type.trim().toLowerCase(), ...own].join("; ");
};

/** Whether a schema only says that a body consists of bytes, which 3.1 says by having none. */
const isBytes = (schema: JsonObject, type: string): boolean => {
  const { type: one, format, ...words } = toCurrent(schema);
  const isBinary = one === "string" && format === "binary" && isEmpty(words);
  return isBinary && !/^(?:text|multipart)\/|json|xml|urlencoded/i.test(type);
};
