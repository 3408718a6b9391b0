import { z } from "zod";
import { checksOf, listChecks, toLength } from "./checks.ts";
import { accepts, acceptsSent, listExamples } from "./examples.ts";
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
  const { random } = place;
  try {
    const simple = toSimple(schema, place);
    if (simple) yield* simple;
    else
      for (let attempt = 0; attempt < attempts; attempt++)
        yield* composites(schema, {
          ...place,
          random: attempt === 0 ? random : random.fork(`again ${attempt}`),
        });
  } catch (error) {
    if (!(error instanceof UngeneratableError)) throw error;
    // the part has been tried often enough
    fail(error);
  }
}

/** Returns values of types that consist of no others; undefined for other types. */
const toSimple = (schema: z.core.$ZodTypes, place: Place): Iterable<unknown> | undefined => {
  const { def } = schema._zod;
  const { random } = place;
  switch (def.type) {
    case "string":
      return strings(schema, random);
    case "number":
      return numbers(schema, random);
    case "bigint":
      return [...numbers(schema, random)]
        .filter((value) => Number.isFinite(value))
        .map((value) => BigInt(Math.trunc(value)));
    case "date":
      return dates(schema, random);
    case "boolean":
      return [random.int(0, 1) === 1];
    case "null":
      return [null];
    case "undefined":
    case "void":
      return [undefined];
    case "nan":
      return [Number.NaN];
    case "symbol":
      return [Symbol(aWord(random))];
    case "any":
    case "unknown":
    case "transform":
      return [aWord(random)];
    case "enum":
      return rotate(Object.values(def.entries), random);
    case "literal":
      return rotate(def.values, random);
    case "template_literal":
      return ofPattern(schema._zod.pattern as RegExp, random);
    case "custom":
      return customs(schema, place);
    case "file":
      return [toFile(schema)];
    case "never":
    case "function":
      return [];
    default:
      return undefined;
  }
};

const toFile = (schema: Schema): File => {
  const [[type] = []] = checksOf(schema, "mime_type").map(({ mime }) => mime);
  const bytes = toBytes(type);
  const padding = " ".repeat(Math.max(0, toLength(schema).min - bytes.length));
  return new File([bytes, padding], "mock", type === undefined ? {} : { type });
};

/** The types that may contain themselves. */
const nesting: ReadonlySet<string> = new Set([
  ...["object", "array", "tuple", "record", "map", "set", "union", "intersection", "lazy"],
]);

const isNesting = ({ _zod: { def } }: Schema): boolean => nesting.has(def.type);

/** Returns all items, from a random one on. */
const rotate = <Item>(items: readonly Item[], random: Random): readonly Item[] => {
  const from = random.int(0, Math.max(0, items.length - 1));
  return [...items.slice(from), ...items.slice(0, from)];
};

/** Returns values of types that consist of others. */
const composites = (schema: z.core.$ZodTypes, place: Place): Iterable<unknown> => {
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
      return [toObject(def, place, inner)];
    case "array":
      return [many().map((name) => inner(def.element, name))];
    case "set":
      return [new Set(many().map((name) => inner(def.valueType, name)))];
    case "map":
      return [
        new Map(
          many().map((name) => [inner(def.keyType, `${name}.key`), inner(def.valueType, name)]),
        ),
      ];
    case "record":
      return [toRecord(def, many(), inner)];
    case "tuple": {
      const { rest } = def;
      const items = def.items.map((item, index) => inner(item, `[${index}]`));
      return [[...items, ...(rest ? many(".rest").map((name) => inner(rest, name)) : [])]];
    }
    case "union":
      return ofUnion(rotate(def.options, random), place, same);
    case "intersection":
      return [merge(same(def.left), same(def.right))];
    case "optional":
    case "nullable":
      return orNothing(def, place, same);
    case "pipe":
      return ofPipe(def, same);
    case "lazy":
      return [inner(def.getter())];
    case "promise":
      return [Promise.resolve(same(def.innerType))];
    default:
      // a wrapper, such as that of `.default()`
      return "innerType" in def ? [same(def.innerType)] : [];
  }
};

type Same = (part: Schema) => unknown;

function* ofUnion(options: readonly Schema[], place: Place, same: Same): Generator {
  let failure: Error | undefined;
  const ordered = isSparse(place)
    ? options.toSorted((one, other) => Number(isNesting(one)) - Number(isNesting(other)))
    : options;
  for (const option of ordered)
    try {
      yield same(option);
    } catch (error) {
      failure ??= error as Error;
    }
  if (failure) throw failure;
}

function* orNothing(
  { type, innerType }: z.core.$ZodOptionalDef | z.core.$ZodNullableDef,
  place: Place,
  same: Same,
): Generator {
  if (!isSparse(place) && place.random.int(0, 4) > 0)
    try {
      yield same(innerType);
    } catch (error) {
      if (!(error instanceof UngeneratableError)) throw error;
    }
  yield type === "optional" ? undefined : null;
}

/** What is sent may also be what a transformation accepts, as with `z.preprocess()`. */
function* ofPipe({ in: source, out }: z.core.$ZodPipeDef, same: Same): Generator {
  if (source._zod.def.type !== "transform") yield same(source);
  const sent = same(out);
  yield sent;
  yield String(sent);
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
      Object.hasOwn(known, name) && known[name] !== undefined && acceptsSent(field, known[name]);
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

/** Returns what `z.custom()` and the schemas of content accept. */
const customs = (schema: Schema, place: Place): Iterable<unknown> => {
  // what `ez.encode()` reverses is a part of its definition; the handler returns what that schema returns
  const { encoded } = schema._zod.def as { readonly encoded?: z.core.$ZodTypes };
  if (!encoded) return contentsOf(place.type, place.files);
  const source = readCursorValue(encoded) ?? encoded;
  return [z.safeParse(source, generate(source, place)).data];
};

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
