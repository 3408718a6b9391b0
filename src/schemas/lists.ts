import type { ZodSchema } from "./schema.ts";
import { listInnerSchemas, someSchema } from "./some-schema.ts";
import { readValues } from "./zod-internals.ts";

/** The schemas that a list schema consists of. */
export interface ListParts {
  /** The schema of each element; for a map, the schema of the keys. */
  readonly element: ZodSchema;
  /** The schema of a map's values. */
  readonly otherElement: ZodSchema | undefined;
  /** The schema of a record's keys, if a wrong key makes the record fail. */
  readonly key: ZodSchema | undefined;
  /**
   * The number of fixed tuple items or object fields that are parsed with the same schema as the elements after them.
   */
  readonly fixed: number;
}

/** The parts of a schema that may occur any number of times in a value. */
export interface Lists {
  /** The schema itself and all schemas inside it. */
  readonly all: readonly ZodSchema[];
  /** Arrays, sets, maps, records, and tuples and objects with any number of further elements. */
  readonly lists: ReadonlyMap<ZodSchema, ListParts>;
  /** The schemas with which lists parse their elements, their keys, and other values that contain elements. */
  readonly parts: ReadonlySet<ZodSchema>;
  /** All schemas inside elements, including the elements' own. */
  readonly repeated: ReadonlySet<ZodSchema>;
  /** Whether the outcome of a wrong list depends on the severity of its issues. */
  readonly weighsIssues: boolean;
  /** Whether functions of the application can see lists with wrong elements. */
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

/** Finds the lists of a schema, at any depth; returns undefined if there are none. */
export const findLists = (root: ZodSchema): Lists | undefined => {
  const all = listAll(root);
  // an intersection drops issues about keys that only one side rejects, even in the elements of a set
  const pardons = all.some((schema) => toDefinition(schema).type === "intersection");
  const lists = new Map<ZodSchema, ListParts>();
  for (const schema of all) {
    const parts = readParts(schema, pardons);
    if (parts) lists.set(schema, parts);
  }
  if (lists.size === 0) return undefined;
  const hasList = (schema: ZodSchema): boolean => someSchema(schema, (one) => lists.has(one));
  return {
    all,
    lists,
    parts: new Set([...lists].flatMap(([schema, list]) => listParts(schema, list))),
    repeated: new Set([...lists.values()].flatMap(listElements).flatMap(listAll)),
    weighsIssues: all.some((schema) => weighsIssues(schema) && hasList(schema)),
    showsWrongLists: all.some((schema) => toDefinition(schema).checks?.some(hasWhen)),
  };
};

const listAll = (schema: ZodSchema): ZodSchema[] => {
  const all = new Set<ZodSchema>();
  someSchema(schema, () => false, all);
  return [...all];
};

const readParts = (schema: ZodSchema, pardons: boolean): ListParts | undefined => {
  const def = toDefinition(schema);
  switch (def.type) {
    case "array":
      return toParts(def.element);
    case "set":
      return pardons ? undefined : toParts(def.valueType);
    case "map":
      return toParts(def.keyType, { otherElement: def.valueType });
    case "record": {
      // keys and values parsed with the same schema cannot be told apart
      if (def.keyType === def.valueType) return undefined;
      // other records pass wrong keys on, or collect them in one issue
      const refusesKeys =
        def.mode !== "loose" && !(def.keyType && readValues(def.keyType)) && !pardons;
      return toParts(def.valueType, { key: refusesKeys ? def.keyType : undefined });
    }
    case "tuple":
      return toParts(def.rest ?? undefined, { before: def.rest ? def.items : [] });
    case "object": {
      const further = def.catchall?._zod.def.type === "never" ? undefined : def.catchall;
      return toParts(further, { before: Object.entries(def.shape ?? {}).flatMap(toField) });
    }
    default:
      return undefined;
  }
};

interface MoreParts {
  readonly otherElement?: ZodSchema | undefined;
  readonly key?: ZodSchema | undefined;
  readonly before?: readonly ZodSchema[] | undefined;
}

const toParts = (
  element: ZodSchema | undefined,
  { otherElement, key, before = [] }: MoreParts = {},
): ListParts | undefined =>
  element && {
    element,
    otherElement,
    key,
    fixed: before.filter((one) => one === element).length,
  };

/** Returns an array with the schema of a field; it is empty for `__proto__`, which Zod never parses. */
const toField = ([name, field]: [string, ZodSchema]): ZodSchema[] =>
  name === "__proto__" ? [] : [field];

const listElements = ({ element, otherElement }: ListParts): ZodSchema[] => [
  element,
  ...(otherElement ? [otherElement] : []),
];

const listParts = (schema: ZodSchema, list: ListParts): ZodSchema[] => {
  const own = new Set(listElements(list));
  if (list.key) own.add(list.key);
  const others = listInnerSchemas(schema).filter((inner) =>
    someSchema(inner, (one) => own.has(one)),
  );
  return [...own, ...others];
};

const weighsIssues = (schema: ZodSchema): boolean => {
  const { type, checks, discriminator, unionFallback } = toDefinition(schema);
  if (type === "union") return discriminator === undefined || unionFallback === true;
  return (
    type === "intersection" || type === "pipe" || checks?.some((check) => !isOfSize(check)) === true
  );
};

/**
 * Checks whether a check concerns only the size. Such a check ignores the elements, and also runs on a list with wrong
 * elements.
 */
const isOfSize = (check: Check): boolean => /_(?:length|size)$|_equals$/.test(check._zod.def.check);

const hasWhen = (check: Check): boolean => check._zod.def.when !== undefined && !isOfSize(check);
