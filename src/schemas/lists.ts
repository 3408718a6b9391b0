import type { ZodSchema } from "./schema.ts";
import { listInnerSchemas, someSchema } from "./some-schema.ts";

/** What a list is made of. */
export interface ListParts {
  /** What each element is parsed by. */
  readonly elements: readonly ZodSchema[];
  /** What the keys of a record are parsed by, where a wrong one fails the record. */
  readonly key: ZodSchema | undefined;
  /** What keys are parsed by where a wrong one is passed on, or collected. */
  readonly foreignKey: ZodSchema | undefined;
  /** How many items of a tuple and fields of an object are parsed by the same schema as the elements after them. */
  readonly fixed: number;
}

/** The parts of a schema of which a value may have any number. */
export interface Lists {
  /** Every schema in it, itself included. */
  readonly all: readonly ZodSchema[];
  /** Arrays, sets, maps, records, and tuples and objects with any further elements. */
  readonly lists: ReadonlyMap<ZodSchema, ListParts>;
  readonly elements: ReadonlySet<ZodSchema>;
  readonly keys: ReadonlySet<ZodSchema>;
  /** What lists parse beside their elements, where elements run inside of it. */
  readonly asides: ReadonlySet<ZodSchema>;
  /** All that is inside of elements, themselves included. */
  readonly repeated: ReadonlySet<ZodSchema>;
  /** Whether what becomes of a wrong list depends on how severe its issues are. */
  readonly weighsIssues: boolean;
  /** Whether functions of the application look at lists with wrong elements. */
  readonly showsWrongLists: boolean;
}

interface Check {
  readonly _zod: { readonly def: { readonly check: string; readonly when?: unknown } };
}

interface Definition {
  readonly type: string;
  readonly checks?: readonly Check[];
  readonly discriminator?: unknown;
  readonly unionFallback?: unknown;
  readonly options?: readonly ZodSchema[];
  readonly element?: ZodSchema;
  readonly keyType?: ZodSchema;
  readonly valueType?: ZodSchema;
  readonly items?: readonly ZodSchema[];
  readonly rest?: ZodSchema | null;
  readonly shape?: Readonly<Record<string, ZodSchema>>;
  readonly catchall?: ZodSchema;
  readonly mode?: string;
}

const toDefinition = (schema: ZodSchema): Definition => schema._zod.def;

/** Finds the lists of a schema, at any depth. */
export const findLists = (root: ZodSchema): Lists => {
  const all = listAll(root);
  // one side of an intersection may pardon what the other refuses: keys, and issues without a path, as those of sets
  const pardons = all.some((schema) => toDefinition(schema).type === "intersection");
  const lists = new Map<ZodSchema, ListParts>();
  for (const schema of all) {
    const parts = readParts(schema, pardons);
    if (parts.elements.length > 0 || parts.key) lists.set(schema, parts);
  }
  const parts = [...lists.values()];
  const keys = new Set(parts.flatMap(({ key }) => key ?? []));
  const elements = new Set(parts.flatMap((list) => list.elements));
  // what is an element here and a key there cannot be told by its runs
  for (const key of parts.flatMap(({ key, foreignKey }) => [key ?? [], foreignKey ?? []].flat()))
    if (elements.delete(key)) keys.delete(key);
  const around = all.filter((schema) =>
    listInnerSchemas(schema).some((inner) => someSchema(inner, (one) => lists.has(one))),
  );
  return {
    all,
    lists,
    elements,
    keys,
    asides: new Set([...lists].flatMap(([schema, own]) => listAsides(schema, own))),
    repeated: new Set([...elements].flatMap(listAll)),
    weighsIssues: [...around, ...lists.keys()].some(weighsIssues),
    showsWrongLists: all.some((schema) => toDefinition(schema).checks?.some(hasWhen)),
  };
};

const listAll = (schema: ZodSchema): ZodSchema[] => {
  const all = new Set<ZodSchema>();
  someSchema(schema, () => false, all);
  return [...all];
};

const readParts = (schema: ZodSchema, pardons: boolean): ListParts => {
  const { type, element, keyType, valueType, rest, catchall, mode, items, shape } =
    toDefinition(schema);
  const further = catchall && toDefinition(catchall).type !== "never" ? catchall : undefined;
  const value = type === "set" && pardons ? undefined : valueType;
  const elements = [
    element,
    value,
    rest ?? undefined,
    further,
    type === "map" ? keyType : undefined,
  ];
  const isOwnKey = mode !== "loose" && !keyType?._zod.values && !pardons;
  const recordKey = type === "record" ? keyType : undefined;
  const found = elements.filter((one) => one !== undefined);
  return {
    elements: found,
    key: isOwnKey ? recordKey : undefined,
    foreignKey: isOwnKey ? undefined : recordKey,
    fixed: [...(items ?? []), ...Object.entries(shape ?? {}).flatMap(toField)].filter((one) =>
      found.includes(one),
    ).length,
  };
};

/** Zod never parses a field of this name. */
const toField = ([name, field]: [string, ZodSchema]): ZodSchema[] =>
  name === "__proto__" ? [] : [field];

/** What a list parses beside its elements, where elements run inside of it. */
const listAsides = (schema: ZodSchema, { elements, key }: ListParts): ZodSchema[] => {
  const own = new Set(elements);
  if (key) own.add(key);
  return listInnerSchemas(schema).filter(
    (inner) => !own.has(inner) && someSchema(inner, (one) => own.has(one)),
  );
};

const weighsIssues = (schema: ZodSchema): boolean => {
  const { type, checks, discriminator, unionFallback } = toDefinition(schema);
  if (type === "union") return discriminator === undefined || unionFallback === true;
  return (
    type === "intersection" || type === "pipe" || checks?.some((check) => !isOfSize(check)) === true
  );
};

/** Checks of size look at no element, and they run on lists with wrong elements, too. */
const isOfSize = (check: Check): boolean => /_(?:length|size)$|_equals$/.test(check._zod.def.check);

const hasWhen = (check: Check): boolean => check._zod.def.when !== undefined && !isOfSize(check);
