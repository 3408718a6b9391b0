import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import { generate, type Generation } from "./generate.ts";
import { toSeed } from "./make-value.ts";

/** The schemas of a page, as `ez.paginated()` creates them. */
export interface PageSchema {
  /** The name of the items in the page. */
  readonly name: string;
  readonly item: z.core.$ZodType;
  /** The schema of what a handler returns as `nextCursor`; undefined if pages have an offset. */
  readonly cursor: z.core.$ZodType | undefined;
  /** The fields that the API has added. */
  readonly others: Readonly<Record<string, z.core.$ZodType>>;
}

/** The fields of an object schema, of extended ones and of intersections. */
const readFields = (schema: z.core.$ZodType): Readonly<Record<string, z.core.$ZodType>> => {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  if (def.type === "object") return def.shape;
  return def.type === "intersection" ? { ...readFields(def.left), ...readFields(def.right) } : {};
};

/** Returns the schemas of a page; undefined if an output is no page. */
export const readPage = (
  output: z.core.$ZodType,
  input: z.core.$ZodType | undefined,
): PageSchema | undefined => {
  const fields = readFields(output);
  const cursor = fields["nextCursor"] as z.core.$ZodTypes | undefined;
  const isPage = (name: string): boolean => Object.hasOwn(fields, name);
  if (!isPage("limit") || !(cursor || ["total", "offset"].every(isPage))) return undefined;
  for (const [name, field] of Object.entries(fields)) {
    const { def } = (field as z.core.$ZodTypes)._zod;
    if (def.type !== "array") continue;
    const own = new Set([name, "limit", "offset", "total", "nextCursor"]);
    return {
      name,
      item: def.element,
      others: Object.fromEntries(Object.entries(fields).filter(([one]) => !own.has(one))),
      cursor: cursor && (readCursorValue(input) ?? withoutWrappers(cursor)),
    };
  }
  return undefined;
};

const withoutWrappers = (schema: z.core.$ZodType): z.core.$ZodType => {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  return def.type === "nullable" || def.type === "optional"
    ? withoutWrappers(def.innerType)
    : schema;
};

/** Returns the schema of the values within cursors, if they are those of `ez.cursor()` or another codec. */
const readCursorValue = (input: z.core.$ZodType | undefined): z.core.$ZodType | undefined => {
  const field = input && readFields(input)["cursor"];
  const codec = field && withoutWrappers(field);
  const told = codec && z.globalRegistry.get(codec as z.ZodType)?.["output"];
  return (
    (told as z.core.$ZodType | undefined) ?? (codec instanceof z.ZodPipe ? codec.out : undefined)
  );
};

/** How often a new cursor is generated if another position has the same. */
const attempts = 20;

const paging = ["limit", "offset", "cursor"] as const;
type Paging = Readonly<Partial<Record<(typeof paging)[number], unknown>>>;

/** Separates the part of an input that says which page is wanted; all pages of a list have the same rest. */
export const splitInput = (input: Readonly<Record<string, unknown>>) => ({
  paging: Object.fromEntries(paging.map((name) => [name, input[name]])) as Paging,
  rest: Object.fromEntries(
    Object.entries(input).filter(([name]) => !(paging as readonly string[]).includes(name)),
  ),
});

/** Returns the fields of a page of a list whose length and items follow from the seed. */
export const generatePage = (
  { name, item, cursor, others }: PageSchema,
  { limit: wanted, offset: skipped, cursor: given }: Paging,
  generation: Generation,
): Readonly<Record<string, unknown>> => {
  const list = `${generation.seed}\nlist`;
  const total = 23 + ((toSeed(list) >>> 0) % 23);
  const limit = typeof wanted === "number" ? wanted : 10;
  const part = (schema: z.core.$ZodType, seed: string): unknown =>
    generate(schema, { ...generation, known: undefined, seed: `${list}\n${seed}` });
  const more = Object.fromEntries(
    Object.entries(others).map(([field, schema]) => [field, part(schema, field)]),
  );
  const toItem = (at: number): unknown => {
    try {
      const value = part(item, `item ${at}`);
      if (!generation.kept.has(item)) generation.kept.set(item, value);
      return value;
    } catch (error) {
      // what the schema rejects by chance is replaced by what it has accepted
      if (!generation.kept.has(item)) throw error;
      return generation.kept.get(item);
    }
  };
  const slice = (start: number): readonly unknown[] =>
    Array.from({ length: Math.max(0, Math.min(limit, total - start)) }, (_, index) =>
      toItem(start + index),
    );
  if (!cursor) {
    const offset = typeof skipped === "number" ? skipped : 0;
    return { ...more, [name]: slice(offset), total, limit, offset };
  }
  // a cursor says nothing of its position, so it is the one that is generated for the position
  const cursors: unknown[] = [];
  for (let at = 1; at < total; at++) {
    const isNew = (one: unknown): boolean =>
      !cursors.some((other) => isDeepStrictEqual(one, other));
    const generated = Array.from(
      { length: attempts },
      (_, attempt) => () => z.parse(cursor, part(cursor, `cursor ${at} ${attempt}`)),
    );
    const next = generated.find((one) => isNew(one()));
    // too few cursors are possible, so the list ends here
    if (!next) break;
    cursors.push(next());
  }
  const found = cursors.findIndex((one) => isDeepStrictEqual(one, given));
  // an unknown cursor is that of the end
  const start = given === undefined ? 0 : found < 0 ? total : found + 1;
  return { ...more, [name]: slice(start), limit, nextCursor: cursors[start + limit - 1] ?? null };
};
