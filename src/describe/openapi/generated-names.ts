import { z } from "zod";
import { toFreeName } from "../api/operation-ids.ts";
import { capitalise, toWords } from "../api/words.ts";
import type { ZodSchema } from "../../basics/schemas/schema.ts";
import { listInnerSchemas } from "../../basics/schemas/some-schema.ts";
import type { WritePlace } from "./node-writer.ts";
import { isAnyJson, readDiscriminator } from "./unions.ts";

/** Marks generated names, which may be the same as names that the application gave. */
export const generated = "generated:";

/** Names schemas that must be referred to and have no id: recursive ones, and the options of discriminated unions. */
export class SchemaNames {
  /** Checks whether two schemas are written in the same way, and may thus have one name. */
  readonly areTwins: (one: ZodSchema, other: ZodSchema, place: WritePlace) => boolean;
  readonly #names = new Map<ZodSchema, string>();
  readonly #owners = new Map<string, ZodSchema>();
  readonly #searched = new Set<ZodSchema>();

  constructor(areTwins: SchemaNames["areTwins"]) {
    this.areTwins = areTwins;
  }

  /** Returns the id of a schema, or its generated name with a mark. */
  find(schema: ZodSchema, id: string | undefined): string | undefined {
    const name = this.#names.get(schema);
    return name === undefined ? id : generated + name;
  }

  /** Names the schemas inside a schema after the component around them. */
  add(root: ZodSchema, place: WritePlace): void {
    const above = new Map<ZodSchema, string>();
    const visit = (schema: ZodSchema, outer: string, wanted: string): void => {
      const known = above.get(schema);
      if (known !== undefined) this.#name(schema, known, place);
      if (known !== undefined || this.#searched.has(schema) || isAnyJson(schema)) return;
      above.set(schema, wanted);
      const own = readId(schema) ?? this.#names.get(schema);
      const around = own ?? outer;
      for (const { schema: option, values } of readDiscriminator(schema)?.options ?? [])
        this.#name(option, toInnerName(around, values[0]), place);
      const fields = around === place.name ? undefined : listFieldNames(schema);
      for (const inner of listInnerSchemas(schema)) {
        const field = fields?.get(inner);
        visit(inner, around, field === undefined ? (own ?? wanted) : toInnerName(around, field));
      }
      above.delete(schema);
      this.#searched.add(schema);
    };
    visit(root, place.name, place.name);
  }

  #name(schema: ZodSchema, wanted: string, place: WritePlace): void {
    if (readId(schema) !== undefined || this.#names.has(schema)) return;
    const name = toFreeName(wanted, (one) => {
      const owner = this.#owners.get(one);
      return owner !== undefined && !this.areTwins(owner, schema, place);
    });
    this.#owners.set(name, schema);
    this.#names.set(schema, name);
  }
}

const readId = (schema: ZodSchema): string | undefined =>
  z.globalRegistry.get(schema as z.ZodType)?.["id"];

/** Names a schema after what is around it, and its field or the value that selects it: `ShapeCircle`. */
const toInnerName = (around: string, name = ""): string =>
  [around, ...toWords(name)].map(capitalise).join("");

const listFieldNames = (schema: ZodSchema): ReadonlyMap<unknown, string> | undefined => {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  if (def.type !== "object") return undefined;
  return new Map(Object.entries(def.shape).map(([name, field]) => [field, name]));
};
