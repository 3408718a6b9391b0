import { z } from "zod";
import { toFreeName } from "../api/operation-ids.ts";
import { OpenApiError } from "../../basics/errors.ts";
import { toStatusText } from "../../basics/http/status.ts";
import type { ZodSchema } from "../../basics/schemas/schema.ts";
import {
  compact,
  mapReferences,
  nonEmpty,
  toSorted,
  listReferences,
  openIntersections,
} from "./map-json.ts";
import type { Direction, JsonObject, OpenApiOverride } from "./options.ts";
import { writeNode, type WritePlace } from "./node-writer.ts";
import { generated, SchemaNames } from "./generated-names.ts";

interface Component {
  /** The name that the application gave the schema, or the preferred one for a schema without a name. */
  readonly name: string;
  /** The name without ambiguity: a generated name may be the same as one that the application gave. */
  readonly stem: string;
  readonly schema: ZodSchema | undefined;
  readonly json: JsonObject;
  readonly place: WritePlace;
}

type WrittenJson = JsonObject & { readonly $defs?: Readonly<Record<string, JsonObject>> };

const prefix = "#/components/schemas/";
const definitions = "#/$defs/";

/** Writes schemas, and stores named ones as components, which get their final names at the end. */
export class Components {
  readonly #override: OpenApiOverride["schema"];
  /** The components by direction and name; references use these keys until the end. */
  readonly #components = new Map<string, Component>();
  readonly #written = {
    input: new Map<ZodSchema, JsonObject>(),
    output: new Map<ZodSchema, JsonObject>(),
  };
  readonly #names: SchemaNames;
  readonly #shared = new Map<JsonObject | string, string>();
  readonly #responses = new Map<string, JsonObject>();
  readonly #responseNames = new Map<string, string>();
  #hasIntersections = false;

  constructor(override: OpenApiOverride["schema"], areTwins = toComparison(override)) {
    this.#override = override;
    this.#names = new SchemaNames(areTwins);
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
    const write = (inner: ZodSchema, other: Direction): JsonObject =>
      this.write(inner, other, place);
    const written = z.toJSONSchema(schema, {
      io: direction,
      unrepresentable: "any",
      metadata: metadata as never,
      override: ({ zodSchema, jsonSchema, path }) => {
        this.#hasIntersections ||= zodSchema._zod.def.type === "intersection";
        const node = { schema: zodSchema, json: jsonSchema, direction };
        writeNode({ ...node, place, path, write }, this.#override);
      },
    });
    const { $schema: _dialect, $defs = {}, ...json } = written as WrittenJson;
    const refer = (value: JsonObject, outer: readonly JsonObject[] = []): JsonObject => {
      const copy = mapReferences(value, (reference) => {
        const key = readDefinitionKey(reference) ?? "";
        const component = named.get(key);
        if (component) return `${prefix}${direction}/${component.stem}`;
        // what contains itself has a name, or a part with a name, except `z.json()`, which accepts anything
        const unnamed = reference === "#" ? json : $defs[key];
        // a reference that the application wrote may refer to what contains it
        return unnamed && !outer.includes(unnamed)
          ? refer(unnamed, [...outer, unnamed])
          : undefined;
      });
      return copy as JsonObject;
    };
    for (const [key, { schema: inner, stem }] of named) {
      const definition = $defs[key];
      if (!definition) continue;
      const name = stem.startsWith(generated) ? stem.slice(generated.length) : stem;
      this.#keep({ name, stem, schema: inner, json: refer(definition), place }, direction);
    }
    const own = Object.keys($defs).length > 0 ? refer(json) : json;
    this.#written[direction].set(schema, own);
    return own;
  }

  /** Describes the objects that fit all of several schemas. */
  intersect(schemas: readonly JsonObject[]): JsonObject {
    this.#hasIntersections = true;
    return { allOf: schemas };
  }

  /** Gives the body of errors that many operations have a name, and returns a reference to it. */
  shareError(json: JsonObject, name: string, place: WritePlace): JsonObject {
    // a schema is written only once, so its JSON Schema is usually the same object and needs no comparison
    const known = this.#shared.get(json);
    if (known !== undefined) return { $ref: prefix + known };
    const text = JSON.stringify(json);
    const key = this.#shared.get(text) ?? `shared/${this.#shared.size}`;
    this.#shared.set(json, key).set(text, key);
    this.#components.set(key, { name, stem: key, schema: undefined, json, place });
    return { $ref: prefix + key };
  }

  /**
   * Gives a response that many operations have a name, such as `BadRequest`, and returns a reference to it.
   *
   * @param complete returns the response with what only the document needs, such as examples
   */
  shareResponse(status: number, response: JsonObject, complete: () => JsonObject): JsonObject {
    const text = JSON.stringify([status, response]);
    const known = this.#responseNames.get(text);
    const name =
      known ?? toFreeName(toResponseName(status, response), (one) => this.#responses.has(one));
    if (known === undefined) {
      this.#responseNames.set(text, name);
      this.#responses.set(name, complete());
    }
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

  finish(given: JsonObject): JsonObject {
    const open = (value: JsonObject): JsonObject =>
      this.#hasIntersections ? openIntersections(value, (json) => this.resolve(json)) : value;
    // inner components come first, because they may become parts of outer ones
    for (const [key, component] of [...this.#components].toReversed())
      this.#components.set(key, { ...component, json: open(component.json) });
    const { components: others, ...rest } = open(given);
    const parts = { responses: nonEmpty(toSorted(this.#responses)), ...(others as object) };
    const used = this.#findUsed([rest, parts]);
    const names = this.#toNames(used);
    const schemas = new Map(used.map(([key, { json }]) => [names.get(key) ?? key, json]));
    const components = nonEmpty(compact({ schemas: nonEmpty(toSorted(schemas)), ...parts }));
    const document = mapReferences(compact({ ...rest, components }), (reference) => {
      const name = names.get(toKey(reference) ?? "");
      return name && prefix + name;
    });
    return document as JsonObject;
  }

  #keep(component: Component & { readonly schema: ZodSchema }, direction: Direction): void {
    const { name, stem, schema, json, place } = component;
    const key = `${direction}/${stem}`;
    const isSameAs = (one: Component): boolean =>
      one.schema === schema ||
      toNeutral(one.json) === toNeutral(json) ||
      (one.schema !== undefined && this.#names.areTwins(one.schema, schema, place));
    const other = direction === "input" ? "output" : "input";
    for (const known of [key, `${other}/${stem}`]) {
      const one = this.#components.get(known);
      if (one && !isSameAs(one))
        throw new OpenApiError(
          "SLP_OPENAPI_COMPONENT",
          `Two different schemas have the id ${JSON.stringify(name)}: one in ${toText(one.place)}, the other in ${toText(place)}. Give one of them a different .meta({ id }).`,
          place,
        );
    }
    if (this.#components.has(key)) return;
    if (isGiven(component) && !/^[\w.-]+$/.test(name))
      throw new OpenApiError(
        "SLP_OPENAPI_COMPONENT",
        `The id ${JSON.stringify(name)} of a schema, at ${place.at}, cannot be a component name: use only letters, digits, and the characters . _ - in its .meta({ id }).`,
        place,
      );
    this.#components.set(key, component);
  }

  #findUsed(
    document: readonly JsonObject[],
  ): readonly (readonly [key: string, component: Component])[] {
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
    for (let before = -1; before < differing.size;) {
      before = differing.size;
      for (const [key, { stem, json }] of used) {
        const output = key === `input/${stem}` ? byKey.get(`output/${stem}`) : undefined;
        if (output && toNeutral(json, differing) !== toNeutral(output.json, differing))
          differing.add(stem);
      }
    }
    const names = new Map<string, string>();
    const owners = new Map<string, Component>();
    // names chosen by the application come first, so that generated names never collide with them
    for (const [key, component] of used.toSorted(
      ([, one], [, other]) => Number(isGiven(other)) - Number(isGiven(one)),
    )) {
      const isInputOfTwo = key.startsWith("input/") && differing.has(component.stem);
      const wanted = isInputOfTwo ? `${component.name}Input` : component.name;
      const name = toFreeName(wanted, (one) => isTaken(owners.get(one), component));
      if (isGiven(component) && name !== wanted) {
        const split = [owners.get(wanted), component].find((one) => one?.name !== wanted);
        throw new OpenApiError(
          "SLP_OPENAPI_COMPONENT",
          `Two schemas would become the component ${JSON.stringify(wanted)}: the one with this id, and the input of the one with the id ${JSON.stringify(split?.name)}, whose input and output differ. Give one of them a different .meta({ id }).`,
          component.place,
        );
      }
      owners.set(name, component);
      names.set(key, name);
    }
    return names;
  }
}

const toLetters = (text: string): string => text.replaceAll(/[^A-Za-z]/g, "");

/** Names a response after its status, its media type and its header fields, as in `BadRequestProblemWithRateLimit`. */
const toResponseName = (status: number, { content = {}, headers = {} }: JsonObject): string => {
  const [type = "", other] = Object.keys(content as object);
  const kind = type.includes("problem") ? "Problem" : type.startsWith("text/") ? "Text" : "";
  const names = Object.keys(headers as object);
  const fields = names.filter((name) => !names.some((one) => name.startsWith(`${one}-`)));
  return [
    toLetters(toStatusText(status)),
    other === undefined ? kind : "",
    fields.length > 0 ? `With${fields.map(toLetters).join("And")}` : "",
  ].join("");
};

const toComparison = (override: OpenApiOverride["schema"]) => {
  const writeAlone = (schema: ZodSchema, place: WritePlace): string => {
    const documents = (["input", "output"] as const).map((direction) => {
      // a comparison that started others might never end
      const trial = new Components(override, () => false);
      try {
        return trial.finish({ schema: trial.write(schema, direction, place) });
      } catch (error) {
        return String(error);
      }
    });
    return JSON.stringify(documents);
  };
  return (one: ZodSchema, other: ZodSchema, place: WritePlace): boolean =>
    writeAlone(one, place) === writeAlone(other, place);
};

const isGiven = ({ name, stem }: Component): boolean => name === stem;

/** Checks whether a name belongs to another component; the two directions of a schema may share a name. */
const isTaken = (owner: Component | undefined, { stem, schema }: Component): boolean =>
  owner !== undefined &&
  (schema === undefined || owner.schema === undefined || owner.stem !== stem);

const toKey = (reference: string): string | undefined =>
  reference.startsWith(prefix) ? reference.slice(prefix.length) : undefined;

/** Writes a JSON Schema as text, in which only references to certain components tell the direction. */
const toNeutral = (json: JsonObject, differing: ReadonlySet<string> = new Set()): string =>
  JSON.stringify(
    mapReferences(json, (reference) => {
      const stem = toKey(reference)?.replace(/^(?:input|output)\//, "");
      return stem === undefined || differing.has(stem) ? undefined : prefix + stem;
    }),
  );

const toText = ({ path, at }: WritePlace): string => `the ${path} of ${at}`;

const readDefinitionKey = (reference: string): string | undefined =>
  reference.startsWith(definitions)
    ? reference.slice(definitions.length).replaceAll("~1", "/").replaceAll("~0", "~")
    : undefined;
