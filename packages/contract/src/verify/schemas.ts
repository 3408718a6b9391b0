import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import {
  isObject,
  toNormaliser,
  type Json,
  type JsonObject,
  type Schema,
} from "@sallyport/document";

/** The schemas of a document: resolves their references and checks values against them. */
export class Schemas {
  readonly #document: JsonObject;
  readonly #ajv = new Ajv2020({ strict: false, allErrors: false, logger: false });
  readonly #validators = new Map<string, ValidateFunction>();
  readonly #known = new WeakMap<JsonObject, ValidateFunction>();

  /** Returns the normal form of a schema. */
  readonly normalise: (schema: JsonObject) => Schema;

  constructor(document: JsonObject) {
    this.#document = document;
    this.normalise = toNormaliser(document, "the document");
    // ajv-formats is a CommonJS module whose function is also its default export
    (addFormats as unknown as (ajv: Ajv2020) => void)(this.#ajv);
    for (const name of ["binary", "byte", "password"]) this.#ajv.addFormat(name, true);
    const { components = {} } = document;
    this.#ajv.addSchema({ $id: "api", components: toAbsolute(components) });
  }

  /** Returns what is wrong with a value, or undefined. */
  explain(schema: JsonObject, value: unknown): string | undefined {
    const validate = this.#known.get(schema) ?? this.#compile(schema);
    this.#known.set(schema, validate);
    if (validate(value)) return undefined;
    const [error] = validate.errors ?? [];
    return `${error?.instancePath || "the value"} ${error?.message ?? "does not fit"}`;
  }

  isValid(schema: JsonObject, value: unknown): boolean {
    return this.explain(schema, value) === undefined;
  }

  /** Follows a reference to its end. */
  resolve(schema: Json | undefined): JsonObject {
    let found: Json | undefined = schema;
    for (let step = 0; step < 50 && isObject(found) && typeof found["$ref"] === "string"; step++)
      found = this.#find(found["$ref"]);
    return isObject(found) ? found : {};
  }

  /** Resolves a schema, and merges the parts of `allOf`. */
  flatten(schema: Json | undefined): JsonObject {
    const { allOf, ...own } = this.resolve(schema);
    if (!Array.isArray(allOf)) return own;
    return (allOf as readonly Json[])
      .map((part) => this.flatten(part))
      .reduce((one, other) => merge(one, other), own);
  }

  /** Lists the fields of a value that no schema declares, as paths. */
  listUndeclared(schemas: readonly JsonObject[], value: unknown, path = ""): readonly string[] {
    const all = schemas.flatMap((schema) => this.#listParts(schema));
    if (Array.isArray(value)) {
      const items = all.flatMap(({ items: one, prefixItems }) =>
        [one ?? [], prefixItems ?? []].flat().filter(isObject),
      );
      if (items.length === 0) return [];
      return value.flatMap((one, at) => this.listUndeclared(items, one, `${path}/${at}`));
    }
    if (typeof value !== "object" || value === null) return [];
    const objects = all.filter((one) => isObject(one["properties"]));
    const isOpen = all.some(
      ({ additionalProperties: others, patternProperties, properties, type, ...rest }) =>
        patternProperties !== undefined ||
        (others !== undefined && others !== false) ||
        (properties === undefined &&
          (type === "object" || (type === undefined && isUntyped(rest)))),
    );
    return Object.entries(value).flatMap(([name, one]) => {
      const own = objects.flatMap(({ properties }) => {
        const found = (properties as JsonObject)[name];
        return Object.hasOwn(properties as object, name) && isObject(found) ? [found] : [];
      });
      if (own.length === 0) return isOpen ? [] : [`${path}/${name}`];
      // another arm of a union may take the name as one of its further ones
      const others = all.flatMap(({ properties, additionalProperties: one }) =>
        isObject(one) && !Object.hasOwn(Object(properties), name) ? [one] : [],
      );
      return this.listUndeclared([...own, ...others], one, `${path}/${name}`);
    });
  }

  /** Lists a schema with everything that it consists of or allows. */
  #listParts(schema: JsonObject, depth = 0): readonly JsonObject[] {
    const found = this.resolve(schema);
    const parts = [found["allOf"] ?? [], found["anyOf"] ?? [], found["oneOf"] ?? []].flat();
    if (depth > 20 || parts.length === 0) return [found];
    const { allOf: _all, anyOf: _any, oneOf: _one, ...own } = found;
    return [
      ...(Object.keys(own).length > 0 ? [{ type: "none", ...own }] : []),
      ...parts.filter(isObject).flatMap((part) => this.#listParts(part, depth + 1)),
    ];
  }

  #compile(schema: JsonObject): ValidateFunction {
    // equal schemas are written more than once
    const key = JSON.stringify(schema);
    const validate = this.#validators.get(key) ?? this.#ajv.compile(toAbsolute(schema) as object);
    this.#validators.set(key, validate);
    return validate;
  }

  #find(reference: string): Json | undefined {
    let found: Json | undefined = this.#document;
    for (const part of reference.replace(/^#\//, "").split("/")) {
      const name = decodeURIComponent(part).replaceAll("~1", "/").replaceAll("~0", "~");
      found = isObject(found) ? found[name] : undefined;
    }
    return found;
  }
}

const keywords = ["const", "enum", "items", "prefixItems"];
const isUntyped = (schema: object): boolean => !keywords.some((name) => name in schema);

const merge = (one: JsonObject, other: JsonObject): JsonObject => {
  const both = { ...one, ...other };
  const { properties: ownFields = {}, required: ownNames = [] } = one;
  const { properties = {}, required = [] } = other;
  const fields = { ...(ownFields as JsonObject), ...(properties as JsonObject) };
  const names = [...new Set([ownNames, required].flat())];
  return {
    ...both,
    ...(Object.keys(fields).length > 0 && { properties: fields }),
    ...(names.length > 0 && { required: names }),
  };
};

/** Makes references lead to the document, because ajv compiles each schema apart from it. */
const toAbsolute = (value: Json): Json => {
  if (Array.isArray(value)) return (value as readonly Json[]).map(toAbsolute);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => [
      key,
      key === "$ref" && typeof one === "string" && one.startsWith("#/")
        ? `api${one}`
        : toAbsolute(one),
    ]),
  );
};
