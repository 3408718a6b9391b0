import type { ZodSchema } from "./schema.ts";
import { someSchema } from "./some-schema.ts";
import { hasDefault } from "./user-code.ts";

type Context = Parameters<ZodSchema["_zod"]["run"]>[1];

/** What Zod sets in the context of a parse when the compiled form has refused the value, and its own run begins. */
const fallback = Symbol.for("zod.compile.fallback");

/** Reads a default: by a getter of Zod's, which calls the application's function where there is one. */
type Read = () => unknown;

/** What one default has given during a parse by a compiled schema, and how much of it Zod's own run has taken. */
interface Given {
  readonly values: unknown[];
  taken: number;
}

/** One parse by a compiled schema. */
class Attempt {
  readonly #context: Context;
  #given: Map<object, Given> | undefined;

  constructor(context: Context) {
    this.#context = context;
  }

  read(def: object, read: Read): unknown {
    this.#given ??= new Map();
    let given = this.#given.get(def);
    if (!given) this.#given.set(def, (given = { values: [], taken: 0 }));
    const isRepeated = Reflect.get(this.#context, fallback) === true;
    if (isRepeated && given.taken < given.values.length) return given.values[given.taken++];
    const value = read();
    if (!isRepeated) given.values.push(value);
    return value;
  }
}

let attempt: Attempt | undefined;

const known = new WeakSet();

/**
 * Sees to it that functions of `.default()` and `.prefault()` run once for each value that they replace, also where a compiled schema
 * refuses a value: Zod then parses it a second time, which takes the defaults from the first time.
 *
 * @returns whether the schema has defaults, so that it must be parsed by {@link readDefaultsOnce}
 */
export const keepDefaults = (schema: ZodSchema): boolean => {
  let isKept = false;
  someSchema(schema, (inner) => {
    if (hasDefault(inner)) isKept = keepDefault(inner._zod.def) || isKept;
    return false;
  });
  return isKept;
};

const keepDefault = (def: object): boolean => {
  if (known.has(def)) return true;
  const property = Object.getOwnPropertyDescriptor(def, "defaultValue");
  const read = property?.get?.bind(def) as Read | undefined;
  // what is no getter is a constant
  if (!read || property?.configurable !== true) return false;
  Object.defineProperty(def, "defaultValue", {
    ...property,
    get: () => (attempt ? attempt.read(def, read) : read()),
  });
  known.add(def);
  return true;
};

/** Parses by a compiled schema with defaults. */
export const readDefaultsOnce = <Result>(context: Context, parse: () => Result): Result => {
  const around = attempt;
  attempt = new Attempt(context);
  try {
    return parse();
  } finally {
    attempt = around;
  }
};
