import { z } from "zod";
import { toFreeName } from "../api/operation-ids.ts";
import { OpenApiError } from "../errors.ts";
import { toStatusText } from "../http/status.ts";
import type { ZodSchema } from "../schemas/schema.ts";
import { readMadeName } from "../schemas/zod-internals.ts";
import {
  compact,
  isSame,
  mapReferences,
  omitReferences,
  inlineClosed,
  nonEmpty,
  toSorted,
  listReferences,
} from "./json.ts";
import type { Direction, JsonObject, OpenApiOverride } from "./options.ts";
import { writeNode, type WritePlace } from "./node-writer.ts";
import { generated, SchemaNames } from "./generated-names.ts";

interface Component {
  /** The name that the application gave the schema, or the preferred one for a schema without a name. */
  readonly name: string;
  /** The name without ambiguity: a generated name may be the same as one that the application gave. */
  readonly stem: string;
  readonly isGiven: boolean;
  readonly direction: Direction;
  readonly schema: ZodSchema | undefined;
  json: JsonObject;
  readonly place: WritePlace;
}

const prefix = "#/components/schemas/";
const definitions = "#/$defs/";
const validName = /^[\w.-]+$/;

/** Writes schemas, and stores named ones as components, which get their final names at the end. */
export class Components {
  readonly #override: OpenApiOverride["schema"];
  /** The components by direction and name; references use these keys until the end. */
  readonly #components = new Map<string, Component>();
  readonly #written = {
    input: new Map<ZodSchema, JsonObject>(),
    output: new Map<ZodSchema, JsonObject>(),
  };
  readonly #isTwin = (one: ZodSchema, other: ZodSchema, place: WritePlace): boolean =>
    // a trial that started others might never end
    !this.#isTrial && this.#writeAlone(one, place) === this.#writeAlone(other, place);
  readonly #isTrial: boolean;
  readonly #names = new SchemaNames(this.#isTwin);
  readonly #shared = new Map<JsonObject | string, string>();

  readonly #responses = new Map<string, JsonObject>();
  readonly #responseNames = new Map<string, string>();

  /** @param isTrial whether one schema is written, for comparison only */
  constructor(override: OpenApiOverride["schema"], isTrial = false) {
    this.#override = override;
    this.#isTrial = isTrial;
  }

  write(schema: ZodSchema, direction: Direction, place: WritePlace): JsonObject {
    const known = this.#written[direction].get(schema);
    if (known) return known;
    this.#names.add(schema, place);
    const named = new Map<string, { readonly schema: ZodSchema; readonly stem: string }>();
    const metadata = {
      get: (inner: ZodSchema): JsonObject | undefined => {
        const meta: JsonObject | undefined = z.globalRegistry.get(inner as z.ZodType);
        const stem = this.#names.find(inner, meta?.["id"] as string | undefined);
        if (stem === undefined) return meta;
        // Zod cannot convert two schemas with the same id, even if they are alike
        const id = toFreeName(stem, (one) => (named.get(one)?.schema ?? inner) !== inner, ":");
        named.set(id, { schema: inner, stem });
        return { ...meta, id };
      },
    };
    const toStem = (key: string): string => named.get(key)?.stem ?? generated + toName(key, place);
    const node = {
      place,
      write: (inner: ZodSchema, other: Direction) => this.write(inner, other, place),
    };
    const {
      $schema: _dialect,
      $defs = {},
      ...json
    } = z.toJSONSchema(schema, {
      io: direction,
      unrepresentable: "any",
      metadata: metadata as never,
      override: ({ zodSchema, jsonSchema, path }) =>
        writeNode(zodSchema, jsonSchema, direction, { ...node, path }, this.#override),
    }) as JsonObject;
    const all = Object.entries($defs as Record<string, JsonObject>);
    const empty = new Set<unknown>();
    const closed = new Map<unknown, JsonObject>();
    for (const [key, definition] of all) {
      if (readMadeName(key) !== undefined && isSame(definition, {})) empty.add(definitions + key);
      if (definition["additionalProperties"] === false) closed.set(definitions + key, definition);
    }
    const refer = (value: JsonObject): JsonObject => {
      const own = inlineClosed(omitReferences(value, empty), closed);
      return toReferences(own, (key) => `${direction}/${toStem(key)}`) as JsonObject;
    };
    for (const [key, definition] of all)
      this.#keep(toStem(key), named.get(key)?.schema, refer(definition), direction, place);
    const written = all.length > 0 ? refer(json) : json;
    this.#written[direction].set(schema, written);
    return written;
  }

  /** Gives a name chosen by the framework to a schema that many places share. */
  share(json: JsonObject, name: string, place: WritePlace): JsonObject {
    if (json["$ref"] !== undefined) return json;
    // a schema is written only once, so its JSON Schema is usually the same object and needs no comparison
    const known = this.#shared.get(json);
    if (known !== undefined) return { $ref: prefix + known };
    const text = JSON.stringify(json);
    const key = this.#shared.get(text) ?? `shared/${name}${this.#shared.size}`;
    this.#shared.set(json, key).set(text, key);
    const component = { name, stem: key, isGiven: false, direction: "output" } as const;
    this.#components.set(key, { ...component, schema: undefined, json, place });
    return { $ref: prefix + key };
  }

  /** Gives a response that many operations have a name, such as `BadRequest`, and returns a reference to it. */
  shareResponse(status: number, response: JsonObject): JsonObject {
    const text = JSON.stringify([status, response]);
    const wanted = toStatusText(status).replaceAll(/[^A-Za-z]/g, "");
    const name =
      this.#responseNames.get(text) ?? toFreeName(wanted, (one) => this.#responses.has(one));
    this.#responseNames.set(text, name);
    this.#responses.set(name, response);
    return { $ref: `#/components/responses/${name}` };
  }

  /** Returns the schema that a JSON Schema refers to, or the JSON Schema itself if it is not a reference. */
  resolve(json: JsonObject): JsonObject {
    const { $ref: reference, ...more } = json;
    if (typeof reference !== "string") return json;
    const component = this.#components.get(reference.slice(prefix.length));
    if (!component) return json;
    const { description: _description, ...own } = this.resolve(component.json);
    return Object.keys(more).length > 0 ? { ...own, ...more } : this.resolve(component.json);
  }

  /** Adds the components to a document. */
  finish(given: JsonObject): JsonObject {
    const responses = nonEmpty(toSorted(this.#responses));
    const parts = compact({ responses, ...(given["components"] as object) });
    const document = compact({ ...given, components: nonEmpty(parts) });
    const used = this.#findUsed(document);
    const names = this.#toNames(used);
    const rename = (value: unknown): unknown =>
      mapReferences(value, (reference) => {
        const name = names.get(toKey(reference) ?? "");
        return name && prefix + name;
      });
    const schemas = new Map(
      used.map(([key, { json }]) => [names.get(key) ?? key, rename(json)] as const),
    );
    const renamed = rename(document) as JsonObject;
    if (schemas.size === 0) return renamed;
    const components = { schemas: toSorted(schemas), ...(renamed["components"] as object) };
    return { ...renamed, components };
  }

  #keep(
    stem: string,
    schema: ZodSchema | undefined,
    json: JsonObject,
    direction: Direction,
    place: WritePlace,
  ): void {
    const isGiven = !stem.startsWith(generated);
    const name = isGiven ? stem : stem.slice(generated.length);
    const key = `${direction}/${stem}`;
    const known = this.#components.get(key);
    const other = direction === "input" ? "output" : "input";
    const isSameAs = (one: Component): boolean =>
      one.schema === schema ||
      isSame(neutralise(one.json), neutralise(json)) ||
      (one.schema !== undefined && schema !== undefined && this.#isTwin(one.schema, schema, place));
    for (const one of [known, this.#components.get(`${other}/${stem}`)])
      if (one && !isSameAs(one))
        throw new OpenApiError(
          "SLP_OPENAPI_COMPONENT",
          `Two different schemas have the id ${JSON.stringify(name)}: one in ${toText(one.place)}, the other in ${toText(place)}. Give one of them a different .meta({ id }).`,
          place,
        );
    if (!known) {
      if (isGiven && !validName.test(name))
        throw new OpenApiError(
          "SLP_OPENAPI_COMPONENT",
          `The id ${JSON.stringify(name)} of a schema, at ${place.at}, cannot be a component name: use only letters, digits, and the characters . _ - in its .meta({ id }).`,
          place,
        );
      this.#components.set(key, { name, stem, isGiven, direction, schema, json, place });
    }
  }

  #writeAlone(schema: ZodSchema, place: WritePlace): string {
    const documents = (["input", "output"] as const).map((direction) => {
      const trial = new Components(this.#override, true);
      try {
        return trial.finish({ schema: trial.write(schema, direction, place) });
      } catch (error) {
        return String(error);
      }
    });
    return JSON.stringify(documents);
  }

  #findUsed(document: JsonObject): readonly (readonly [key: string, component: Component])[] {
    const used = new Map<string, Component>();
    const search = (value: unknown): void => {
      for (const reference of listReferences(value)) {
        const key = toKey(reference) ?? "";
        const component = this.#components.get(key);
        if (!component || used.has(key)) continue;
        used.set(key, component);
        search(component.json);
      }
    };
    search(document);
    return [...used];
  }

  /** Chooses the final names: one for both directions of a schema if all that they contain is identical. */
  #toNames(used: readonly (readonly [string, Component])[]): ReadonlyMap<string, string> {
    const byKey = new Map(used);
    const differing = new Set<string>();
    const neutral = (json: unknown): string =>
      JSON.stringify(
        mapReferences(json, (reference) => {
          const stem = toKey(reference)?.replace(/^(?:input|output)\//, "");
          return stem === undefined || differing.has(stem) ? undefined : prefix + stem;
        }),
      );
    for (let before = -1; before < differing.size;) {
      before = differing.size;
      for (const [key, { stem, json }] of used) {
        const output = key === `input/${stem}` ? byKey.get(`output/${stem}`) : undefined;
        if (output && neutral(json) !== neutral(output.json)) differing.add(stem);
      }
    }
    const names = new Map<string, string>();
    const owners = new Map<string, Component>();
    // names chosen by the application come first, so that generated names never collide with them
    for (const [key, component] of used.toSorted(
      ([, one], [, other]) => Number(other.isGiven) - Number(one.isGiven),
    )) {
      const isInputOfTwo = component.direction === "input" && differing.has(component.stem);
      const wanted = isInputOfTwo ? `${component.name}Input` : component.name;
      let name = wanted;
      for (let number = 2; isTaken(owners.get(name), component); number++) {
        if (component.isGiven) {
          const split = [owners.get(name), component].find((one) => one?.name !== name);
          throw new OpenApiError(
            "SLP_OPENAPI_COMPONENT",
            `Two schemas would become the component ${JSON.stringify(name)}: the one with this id, and the input of the one with the id ${JSON.stringify(split?.name)}, whose input and output differ. Give one of them a different .meta({ id }).`,
            component.place,
          );
        }
        name = `${wanted}${number}`;
      }
      owners.set(name, component);
      names.set(key, name);
    }
    return names;
  }
}

/** Checks whether a name belongs to another component; the two directions of a schema may share a name. */
const isTaken = (owner: Component | undefined, { stem, schema }: Component): boolean =>
  owner !== undefined &&
  (schema === undefined || owner.schema === undefined || owner.stem !== stem);

const toKey = (reference: string): string | undefined =>
  reference.startsWith(prefix) ? reference.slice(prefix.length) : undefined;

/** Removes the direction from references, so that both directions can be compared. */
const neutralise = (json: unknown): unknown =>
  mapReferences(json, (reference) => reference.replace(/\/(?:input|output)\//, "/"));

const toText = ({ path, at }: WritePlace): string => `the ${path} of ${at}`;

const toReferences = (json: unknown, toComponent: (name: string) => string): unknown =>
  mapReferences(json, (reference) => {
    if (!reference.startsWith(definitions)) return undefined;
    const name = reference.slice(definitions.length).replaceAll("~1", "/").replaceAll("~0", "~");
    return prefix + toComponent(name);
  });

const toName = (key: string, place: WritePlace): string => {
  const made = readMadeName(key);
  return made === undefined ? key : `${place.name}${made}`;
};
