import { z } from "zod";
import { checksOf, listChecks, toLength } from "./checks.ts";
import { accepts, listExamples } from "./examples.ts";
import { contentsOf, toBytes, type MockFiles } from "./generate-content.ts";
import { dates, numbers } from "./generate-number.ts";
import { aWord, ofPattern, strings } from "./generate-string.ts";
import type { Random } from "./random.ts";
import { UngeneratableError } from "./ungeneratable.ts";

type Schema = z.core.$ZodType;

/** Where and with what a value is generated. */
export interface Generation {
  readonly random: Random;
  readonly files: MockFiles;
  /** A value for each schema for which one was found; it is used where no other is. */
  readonly kept: Map<Schema, unknown>;
  /** The media type of content. */
  readonly type?: string | undefined;
  /** Values for the fields of the whole that have these names, where the fields accept them. */
  readonly known?: Readonly<Record<string, unknown>> | undefined;
  readonly path?: string;
  readonly depth?: number;
}

/** Beneath this depth, everything optional is left out, so that recursive schemas end. */
const sparseDepth = 5;
const maxDepth = 16;
const attempts = 20;

/**
 * Returns a value that a schema accepts: one of its examples, or one that follows from the seed.
 *
 * @throws {@link UngeneratableError} when no such value was found.
 */
export const generate = (schema: Schema, given: Generation): unknown => {
  const { random, path = "", depth = 0 } = given;
  if (depth > maxDepth) throw new UngeneratableError(path, "it is nested without end");
  const [first, ...others] = listExamples(schema).values();
  if (first !== undefined) return depth === 0 ? first : random.pick([first, ...others]);
  let failure: UngeneratableError | undefined;
  const found = candidates(schema as z.core.$ZodTypes, { ...given, path, depth }, (error) => {
    failure ??= error;
  });
  for (const value of found) if (!isDoubtful(schema) || accepts(schema, value)) return value;
  throw failure ?? new UngeneratableError(path, describe(schema));
};

/** The types whose values are valid by construction, unless there are checks. */
const certain: ReadonlySet<string> = new Set([
  ...["object", "array", "optional", "nullable", "readonly", "lazy", "boolean", "any", "unknown"],
]);

const isDoubtful = (schema: Schema): boolean =>
  !certain.has(schema._zod.def.type) || listChecks(schema).length > 0;

const describe = (schema: Schema): string => {
  const { type } = schema._zod.def;
  if (type === "custom") return "it is a z.custom() or z.instanceof()";
  if (listChecks(schema).some(({ check }) => check === "custom")) return "it has a .refine()";
  if (checksOf(schema, "string_format").length > 0) return "no string with its format was found";
  return type === "never" ? "it is z.never()" : `no value of its type, ${type}, fits it`;
};

type Place = Generation & { readonly path: string; readonly depth: number };

const isSparse = ({ depth }: Place): boolean => depth >= sparseDepth;

/** Yields values that a schema may accept; reports parts for which there are none. */
function* candidates(
  schema: z.core.$ZodTypes,
  place: Place,
  fail: (error: UngeneratableError) => void,
): Generator {
  const { def } = schema._zod;
  const { random } = place;
  switch (def.type) {
    case "string":
      return yield* strings(schema, random);
    case "number":
      return yield* numbers(schema, random);
    case "bigint":
      for (const value of numbers(schema, random))
        if (Number.isFinite(value)) yield BigInt(Math.trunc(value));
      return;
    case "date":
      return yield* dates(schema, random);
    case "boolean":
      return yield random.int(0, 1) === 1;
    case "null":
      return yield null;
    case "undefined":
    case "void":
      return yield undefined;
    case "nan":
      return yield Number.NaN;
    case "symbol":
      return yield Symbol(aWord(random));
    case "any":
    case "unknown":
      return yield aWord(random);
    case "enum":
      return yield* rotate(Object.values(def.entries), random);
    case "literal":
      return yield* rotate(def.values, random);
    case "template_literal":
      return yield* ofPattern(schema._zod.pattern as RegExp, random);
    case "custom":
      return yield* customs(schema, place, fail);
    case "file": {
      const [[type] = []] = checksOf(schema, "mime_type").map(({ mime }) => mime);
      const bytes = toBytes(type);
      const { min } = toLength(schema);
      const padded = Buffer.concat([bytes, Buffer.alloc(Math.max(0, min - bytes.length), " ")]);
      return yield new File([padded], "mock", type === undefined ? {} : { type });
    }
    case "never":
    case "function":
      return;
    default:
  }
  for (let attempt = 0; attempt < attempts; attempt++)
    try {
      const own = { ...place, random: attempt === 0 ? random : random.fork(`again ${attempt}`) };
      yield* composites(schema, own);
    } catch (error) {
      if (!(error instanceof UngeneratableError)) throw error;
      fail(error);
    }
}

/** Yields all items, from a random one on. */
function* rotate<Item>(items: readonly Item[], random: Random): Generator<Item> {
  const from = random.int(0, Math.max(0, items.length - 1));
  yield* items.slice(from);
  yield* items.slice(0, from);
}

/** Yields values of types that consist of others. */
function* composites(schema: z.core.$ZodTypes, place: Place): Generator {
  const { def } = schema._zod;
  const { random } = place;
  const inner = (part: Schema, name = "", own: Partial<Place> = {}): unknown =>
    generate(part, {
      ...{ ...place, known: undefined, depth: place.depth + 1 },
      path: `${place.path}${name}`,
      random: random.fork(name),
      ...own,
    });
  /** Generates a part that is nothing else than the whole. */
  const same = (part: Schema): unknown =>
    inner(part, "", { depth: place.depth, known: place.known, random });
  const many = (name = ""): string[] => {
    const { min, max } = toLength(schema);
    const usual = isSparse(place) ? 0 : random.int(2, 3);
    const length = Math.max(min, Math.min(max, usual));
    return Array.from({ length }, (_, index) => `${name}[${index}]`);
  };
  switch (def.type) {
    case "object":
      return yield toObject(def, place, inner);
    case "array":
      return yield many().map((name) => inner(def.element, name));
    case "set":
      return yield new Set(many().map((name) => inner(def.valueType, name)));
    case "map":
      return yield new Map(
        many().map((name) => [inner(def.keyType, `${name}.key`), inner(def.valueType, name)]),
      );
    case "record":
      return yield toRecord(def, many(), inner);
    case "tuple":
      return yield [
        ...def.items.map((item, index) => inner(item, `[${index}]`)),
        ...(def.rest ? many(".rest").map((name) => inner(def.rest as Schema, name)) : []),
      ];
    case "union": {
      const options = [...rotate(def.options, random)];
      let failure: unknown;
      for (const option of options)
        try {
          yield same(option);
        } catch (error) {
          failure ??= error;
        }
      if (failure) throw failure;
      return;
    }
    case "intersection":
      return yield merge(same(def.left), same(def.right));
    case "optional":
    case "nullable": {
      const nothing = def.type === "optional" ? undefined : null;
      if (!isSparse(place) && random.int(0, 4) > 0)
        try {
          yield same(def.innerType);
        } catch (error) {
          if (!(error instanceof UngeneratableError)) throw error;
        }
      return yield nothing;
    }
    case "pipe": {
      // what is sent may also be what the transformation accepts, as with z.preprocess
      if (def.in._zod.def.type !== "transform") yield same(def.in);
      const out = same(def.out);
      yield out;
      return yield String(out);
    }
    case "lazy":
      return yield inner(def.getter());
    case "promise":
      return yield Promise.resolve(same(def.innerType));
    case "transform":
      return yield aWord(random);
    default:
      // a wrapper, such as that of `.default()`
      if ("innerType" in def) yield same(def.innerType);
  }
}

type Inner = (part: Schema, name: string) => unknown;

const toObject = (
  { shape, catchall }: z.core.$ZodObjectDef,
  { known = {} }: Place,
  inner: Inner,
): object => {
  const object: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(shape)) {
    const isKnown =
      Object.hasOwn(known, name) && known[name] !== undefined && accepts(field, known[name]);
    const value = isKnown ? known[name] : inner(field, `.${name}`);
    if (value !== undefined || field._zod.optin === undefined)
      Object.defineProperty(object, name, {
        ...{ value, enumerable: true, configurable: true, writable: true },
      });
  }
  const { type } = catchall?._zod.def ?? { type: "never" };
  if (catchall && type !== "never" && type !== "unknown" && !("extra" in object))
    object["extra"] = inner(catchall, ".extra");
  return object;
};

const toRecord = (
  { keyType, valueType }: z.core.$ZodRecordDef,
  names: readonly string[],
  inner: Inner,
): object => {
  const keys = keyType._zod.values ?? names.map((name) => inner(keyType, `${name}.key`));
  return Object.fromEntries(
    [...keys].map((key) => [key, inner(valueType, `.${String(key)}`)] as const),
  );
};

/** Yields what `z.custom()` and the schemas of content accept. */
function* customs(
  schema: Schema,
  place: Place,
  fail: (error: UngeneratableError) => void,
): Generator {
  // what `ez.encode()` reverses is a part of its definition; the handler returns what that schema returns
  const { encoded } = schema._zod.def as { readonly encoded?: z.core.$ZodTypes };
  if (!encoded) return yield* contentsOf(place.type, place.files);
  const source = readCursorValue(encoded) ?? encoded;
  try {
    const { data } = z.safeParse(source, generate(source, place));
    yield data;
  } catch (error) {
    if (!(error instanceof UngeneratableError)) throw error;
    fail(error);
  }
}

/** Returns the schema of the values in the cursors of `ez.cursor()`; undefined for other schemas. */
const readCursorValue = ({ _zod: { def } }: z.core.$ZodTypes): Schema | undefined => {
  if (def.type !== "pipe" || !def.transform) return undefined;
  return (def.transform as { readonly "sallyport/cursor"?: Schema })["sallyport/cursor"];
};

const isPlain = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" &&
  value !== null &&
  [Object.prototype, null].includes(Object.getPrototypeOf(value) as object | null);

/** Merges plain objects at all depths; other values of the second replace those of the first. */
export const merge = (first: unknown, second: unknown): unknown => {
  if (second === undefined) return first;
  if (!isPlain(first) || !isPlain(second)) return second;
  const merged = { ...first };
  for (const [name, value] of Object.entries(second)) merged[name] = merge(first[name], value);
  return merged;
};
