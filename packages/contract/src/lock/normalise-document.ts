import type { Body, Content, Contract, Media, Operation, Parameter, Response } from "./contract.ts";
import { ContractError } from "../errors.ts";
import { compact, isObject, toList, toObject, type Json, type JsonObject, toText } from "./json.ts";
import { toLifecycle } from "./lifecycle.ts";
import { SchemaNormaliser } from "./normalise-schema.ts";
import { Resolver, type ReadOther } from "./resolver.ts";
import { sortEntries } from "./schema.ts";

const methods = ["get", "put", "post", "delete", "options", "head", "patch", "trace", "query"];

/** Header fields whose description in a document has no effect. */
const ignoredFields: ReadonlySet<string> = new Set(["accept", "authorization", "content-type"]);

/**
 * Converts an OpenAPI document, of version 3.0 to 3.2, to normal form.
 *
 * @param file the name of the document, for messages and for references to other files
 * @throws {@link ContractError} when this is no such document, or a reference in it leads nowhere.
 */
export const normalise = (document: unknown, file: string, readOther?: ReadOther): Contract => {
  if (!isObject(document) || !/^3\.[012](?:\.|$)/.test(toText(document["openapi"])))
    throw new ContractError(`${file} is no OpenAPI document of version 3.0, 3.1 or 3.2.`);
  return new DocumentNormaliser(document, file, readOther).convert();
};

type Located = readonly [value: JsonObject, file: string];

class DocumentNormaliser {
  readonly #document: JsonObject;
  readonly #file: string;
  readonly #resolver: Resolver;
  readonly #schemas: SchemaNormaliser;

  constructor(document: JsonObject, file: string, readOther: ReadOther | undefined) {
    this.#document = document;
    this.#file = file;
    this.#resolver = new Resolver(document, file, readOther);
    this.#schemas = new SchemaNormaliser(this.#resolver);
  }

  convert(): Contract {
    const { paths, webhooks, servers } = this.#document;
    const contract: Contract = {
      servers: toList(servers)
        .map((server) => toText(toObject(server)["url"]))
        .toSorted(),
      operations: this.#readItems(paths, (method, path) => `${method} ${path}`, anonymise),
      webhooks: this.#readItems(webhooks, (method, name) => `${method} webhook ${name}`),
    };
    this.#schemas.finish();
    return contract;
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
      const own = methods.flatMap((method) => {
        const operation = item[method];
        return isObject(operation) ? [[method.toUpperCase(), operation] as const] : [];
      });
      return [...own, ...others].map(([method, operation]) => {
        const name = toName(method, path);
        return [
          toName(method, toKey(path)),
          this.#readOperation(name, path, toObject(operation), item, place),
        ] as const;
      });
    });
    return Object.fromEntries(sortEntries(found));
  }

  #readOperation(
    name: string,
    path: string,
    raw: JsonObject,
    item: JsonObject,
    file: string,
  ): Operation {
    const parameters = [...toList(item["parameters"]), ...toList(raw["parameters"])].flatMap(
      (one) => {
        const [parameter, place] = this.#locate(one, file);
        return this.#readParameter(parameter, place, path);
      },
    );
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
    return compact<Operation>({
      name,
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
    const parameter = this.#readField(name, raw, file, place === "query" || place === "cookie");
    if (place !== "path")
      return [[`${place} ${place === "header" ? name.toLowerCase() : name}`, parameter]];
    // a parameter of the path is known by its position
    const at = [...path.matchAll(placeholder)].findIndex(([, found]) => found === name);
    return [[`path ${at < 0 ? name : at + 1}`, { ...parameter, required: true }]];
  }

  /** Reads a parameter or a header of a response. */
  #readField(name: string, raw: JsonObject, file: string, isForm: boolean): Parameter {
    const [content] = this.#entries(raw["content"], file);
    const style = typeof raw["style"] === "string" ? raw["style"] : isForm ? "form" : "simple";
    const schema = content ? content[1]["schema"] : raw["schema"];
    return compact<Parameter>({
      name,
      required: raw["required"] === true || undefined,
      ...toLifecycle(raw),
      style,
      explode: typeof raw["explode"] === "boolean" ? raw["explode"] : style === "form",
      allowReserved: raw["allowReserved"] === true || undefined,
      allowEmptyValue: raw["allowEmptyValue"] === true || undefined,
      mediaType: content?.[0],
      schema:
        schema === undefined ? undefined : this.#schemas.convert(schema, content?.[2] ?? file),
    });
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
        const schema = isExtended ? undefined : raw["schema"];
        const media = compact<Media>({
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
        return [type.toLowerCase().replaceAll(/\s*;\s*/g, "; "), media];
      }),
    );
  }

  /** Reads the alternatives of credentials; none are needed if one of the alternatives is empty. */
  #readSecurity(given: Json | undefined): readonly (readonly string[])[] {
    const schemes = toObject(toObject(this.#document["components"])["securitySchemes"]);
    const alternatives = toList(given).map((one) =>
      Object.entries(toObject(one))
        .flatMap(([name, scopes]) => {
          const scheme = describeScheme(name, this.#locate(schemes[name], this.#file)[0]);
          return [scheme, ...toList(scopes).map((scope) => `${scheme}:${toText(scope)}`)];
        })
        .toSorted(),
    );
    if (alternatives.some((one) => one.length === 0)) return [];
    return alternatives.toSorted((one, other) => (one.join() < other.join() ? -1 : 1));
  }

  #readResponse(raw: JsonObject, file: string): Response {
    const headers = this.#entries(raw["headers"], file).flatMap(([name, header, place]) =>
      ignoredFields.has(name.toLowerCase())
        ? []
        : [[name.toLowerCase(), this.#readField(name, header, place, false)] as const],
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

const placeholder = /\{([^}]*)\}/g;

/** Removes the names of path parameters. */
const anonymise = (path: string): string => path.replaceAll(placeholder, "{}");

/** Describes a security scheme by what a client sends; its name means nothing. */
const describeScheme = (
  name: string,
  { type, scheme, in: place, name: key, ...rest }: JsonObject,
): string =>
  type === "http"
    ? `http ${toText(scheme).toLowerCase()}`
    : type === "apiKey"
      ? `${toText(place)} ${toText(key)}`
      : type === "openIdConnect"
        ? `openIdConnect ${toText(rest["openIdConnectUrl"])}`
        : typeof type === "string"
          ? type
          : name;
