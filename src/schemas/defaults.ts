import type { ZodSchema } from "./schema.ts";
import { someSchema } from "./some-schema.ts";
import { hasDefault } from "./user-code.ts";
import { exchangeDefault } from "./zod-internals.ts";

/** A default that a compiled schema has read. */
interface Read {
  readonly def: object;
  readonly value: unknown;
  readonly before: Read | undefined;
}

/** Whether a compiled schema is currently parsing a value. */
let isTrying = false;
/** The defaults that the compiled schema has read, most recent first. */
let last: Read | undefined;
/**
 * The defaults that the compiled schema had read when it rejected the value: for each definition, the most recent
 * first.
 */
let left: Map<object, unknown[]> | undefined;

/** Parses with a compiled schema, and records the defaults that the schema reads, in case it rejects the value. */
export const readDefaultsOnce = <Result>(
  parse: (value: unknown) => Result,
  value: unknown,
): Result => {
  const around = { isTrying, last, left };
  isTrying = true;
  last = undefined;
  left = undefined;
  try {
    return parse(value);
  } finally {
    ({ isTrying, last, left } = around);
  }
};

/** Makes definitions return the defaults that the compiled schema has already read, instead of new ones. */
export const repeatDefaults = (): void => {
  if (!isTrying) return;
  isTrying = false;
  if (!last) return;
  left = new Map();
  for (let read: Read | undefined = last; read; read = read.before) {
    const values = left.get(read.def);
    if (values) values.push(read.value);
    else left.set(read.def, [read.value]);
  }
};

const kept = new WeakSet();

/**
 * Makes functions of `.default()` and `.prefault()` run once for each value that they replace, even if a compiled
 * schema rejects a value and Zod parses it again. Zod reads defaults through a getter, which does not distinguish
 * functions from constants.
 *
 * @returns whether the schema has defaults, in which case it must be parsed with {@link readDefaultsOnce}
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
  if (kept.has(def)) return true;
  const isKept = exchangeDefault(def, (read) => () => {
    if (!isTrying) {
      const values = left?.get(def);
      return values && values.length > 0 ? values.pop() : read();
    }
    const value = read();
    last = { def, value, before: last };
    return value;
  });
  if (isKept) kept.add(def);
  return isKept;
};
