import type { JsonObject } from "sallyport/openapi";
import fc from "fast-check";
import type { Random } from "./random.ts";

/** Valid strings for formats that are too complex to generate. */
const samples: Readonly<Record<string, readonly string[]>> = {
  date: ["2026-11-21", "2024-02-29"],
  "date-time": ["2026-11-21T10:30:00Z", "1999-12-31T23:59:59.999Z"],
  duration: ["P1D", "PT5M", "P3W"],
  email: ["ada@example.com", "a+b@c.example.org"],
  uuid: ["7d444840-9dc0-41d3-b0c6-8f0d2c1ad1b9", "00000000-0000-0000-0000-000000000000"],
  uri: ["https://example.com/a?b=c", "mailto:a@b.c"],
  ipv4: ["127.0.0.1", "255.255.255.255"],
  base64: ["", "aGk=", "aGlo"],
};

const texts = ["", "a", "abc", "x y", "äöü", "0", "true", "null", "😀", "a/b?c=d&e", "%41", "__"];

/** Generates values that fit the schemas of a document. */
export class Values {
  readonly #document: JsonObject;
  readonly #random: Random;
  #ids: readonly string[] = [];

  constructor(document: JsonObject, random: Random) {
    this.#document = document;
    this.#random = random;
  }

  /** Keeps the last ids that a server has returned, so that requests can refer to existing objects. */
  learn(text: string): void {
    const ids = text.match(/\b[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}\b/g) ?? [];
    this.#ids = [...ids, ...this.#ids].slice(0, 5);
  }

  /** Returns the schema that a reference points to, or the schema itself if it is not a reference. */
  resolve(schema: JsonObject): JsonObject {
    const { $ref: reference } = schema;
    if (typeof reference !== "string") return schema;
    let target: unknown = this.#document;
    for (const key of reference.slice(2).split("/")) target = (target as JsonObject)[key];
    return this.resolve(target as JsonObject);
  }

  make(given: unknown, depth = 0): unknown {
    const random = this.#random;
    if (given === true || given === undefined) return random.pick([1, "a", null, { b: [] }]);
    const schema = this.resolve(given as JsonObject);
    const { enum: values, anyOf, oneOf, allOf, type } = schema;
    if ("const" in schema) return schema["const"];
    if (Array.isArray(values)) return random.pick(values);
    const options = (anyOf ?? oneOf) as readonly JsonObject[] | undefined;
    if (options)
      return this.make(depth > 3 ? this.#shallow(options) : random.pick(options), depth + 1);
    if (Array.isArray(allOf))
      return Object.assign({}, ...allOf.map((part) => this.make(part, depth + 1)));
    switch (Array.isArray(type) ? random.pick(type) : type) {
      case "string":
        return this.#text(schema);
      case "integer":
      case "number":
        return this.#number(schema, type !== "number");
      case "boolean":
        return random.chance(0.5);
      case "null":
        return null;
      case "array":
        return this.#array(schema, depth);
      case "object":
        return this.#object(schema, depth);
      default:
        return random.pick<unknown>([1, "a", null, true, { b: [] }]);
    }
  }

  #shallow(options: readonly JsonObject[]): JsonObject {
    const leaf = options.find((option) => {
      const { type } = this.resolve(option);
      return typeof type === "string" && type !== "array" && type !== "object";
    });
    return leaf ?? this.#random.pick(options);
  }

  #text({ format, pattern, minLength = 0, maxLength = 40 }: JsonObject): string {
    const random = this.#random;
    if (format === "uuid" && this.#ids.length > 0 && random.chance(0.7))
      return random.pick(this.#ids);
    if (format === "email" && random.chance(0.5)) return `a${random.integer(0, 1e6)}@example.com`;
    const known = typeof format === "string" ? samples[format] : undefined;
    if (known) return random.pick(known);
    const regexp = typeof pattern === "string" ? new RegExp(pattern) : undefined;
    const [minimum, maximum] = [Number(minLength), Number(maxLength)];
    // JSON Schema counts characters, not UTF-16 code units
    const fits = (text: string): boolean =>
      (regexp?.test(text) ?? true) && count(text) >= minimum && count(text) <= maximum;
    const given = [...texts, ...Object.values(samples).flat(), "10:30", "10:30:15.5"].filter(fits);
    if (given.length > 3 || (regexp && given.length > 0)) return random.pick(given);
    if (regexp) {
      const seed = random.integer(0, 1e9);
      return fc.sample(fc.stringMatching(regexp), { seed, numRuns: 1 })[0] as string;
    }
    return "x".repeat(random.integer(minimum, maximum));
  }

  #number(schema: JsonObject, isInteger: boolean): number {
    const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema as Record<
      string,
      number | undefined
    >;
    const low = minimum ?? exclusiveMinimum ?? -1000;
    const high = maximum ?? exclusiveMaximum ?? low + 2000;
    if (multipleOf) return multipleOf * this.#random.integer(-9, 9);
    if (isInteger) return this.#random.integer(low, high);
    return low + (high - low) * (0.1 + 0.8 * this.#random.next());
  }

  #array({ items, prefixItems, minItems = 0, maxItems = 4 }: JsonObject, depth: number): unknown[] {
    const first = ((prefixItems ?? []) as unknown[]).map((item) => this.make(item, depth + 1));
    if (items === false) return first;
    const minimum = Number(minItems);
    const most = depth > 3 ? minimum : Math.max(minimum, Math.min(Number(maxItems), minimum + 2));
    const count = this.#random.integer(minimum, most) - first.length;
    return [
      ...first,
      ...Array.from({ length: Math.max(0, count) }, () => this.make(items, depth + 1)),
    ];
  }

  #object(schema: JsonObject, depth: number): JsonObject {
    const { properties = {}, required = [], additionalProperties, propertyNames } = schema;
    const own = Object.entries(properties as JsonObject).filter(
      ([name]) => (required as string[]).includes(name) || (depth < 4 && this.#random.chance(0.6)),
    );
    const object = Object.fromEntries(
      own.map(([name, field]) => [name, this.make(field, depth + 1)]),
    );
    const isOpen = typeof additionalProperties === "object" && depth < 4;
    const needed = (required as string[]).filter((name) => !(name in object));
    for (const name of needed) object[name] = this.make(additionalProperties, depth + 1);
    if (isOpen && this.#random.chance(0.5))
      object[propertyNames ? String(this.make(propertyNames, depth + 1)) : "extra"] = this.make(
        additionalProperties,
        depth + 1,
      );
    return object;
  }
}

const count = (text: string): number => Array.from(text).length;
