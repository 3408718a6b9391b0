import { show } from "../messages/show.ts";
import { describeUnknownKey } from "../messages/unknown-names.ts";
import { DefinitionError } from "../errors.ts";
import { endpointMethods, isMethod, type Method } from "../http/method.ts";
import { toSchema } from "../schemas/assert-schema.ts";
import { isOtherKind } from "../schemas/schema.ts";

/** @throws {@link DefinitionError} when a definition has an unknown key, such as a misspelt one. */
export const assertKeys = (
  where: string,
  definition: object,
  known: readonly string[],
  kind = "key",
): void => {
  const unknown = describeUnknownKey(kind, definition, known, { where });
  if (unknown !== undefined) throw new DefinitionError("SLP_DEFINITION_UNKNOWN_KEY", unknown);
};

/** What a value must be, and the function that checks whether it is. */
export type ValueCheck = readonly [expected: string, isRight: (value: unknown) => boolean];

export const aFunction: ValueCheck = ["a function", (value) => typeof value === "function"];
export const aBoolean: ValueCheck = ["true or false", (value) => typeof value === "boolean"];
export const aString: ValueCheck = ["a string", (value) => typeof value === "string"];

/** @throws {@link DefinitionError} when a value that is set is invalid. */
export const assertValues = (
  where: string,
  values: object,
  checks: Readonly<Record<string, ValueCheck>>,
): void => {
  for (const [name, [expected, isRight]] of Object.entries(checks)) {
    const value: unknown = Reflect.get(values, name);
    if (value !== undefined && !isRight(value)) failValue(where, name, expected, value);
  }
};

/** @throws {@link DefinitionError} always. */
export const failValue = (where: string, name: string, expected: string, value: unknown): never => {
  throw new DefinitionError(
    "SLP_DEFINITION_VALUE",
    `${where}: \`${name}\` must be ${expected}; got ${show(value)}.`,
  );
};

/** @throws {@link DefinitionError} when the options are not an object, or when one is unknown or invalid. */
export const assertOptions = (
  where: string,
  options: unknown,
  checks: Readonly<Record<string, ValueCheck>>,
): void => {
  if (options === undefined) return;
  if (typeof options !== "object" || options === null || Array.isArray(options))
    failValue(where, "options", `an object with ${Object.keys(checks).join(", ")}`, options);
  assertKeys(where, options as object, Object.keys(checks), "option");
  assertValues(where, options as object, checks);
};

/** @throws {@link DefinitionError} when the value is not a Zod 4 schema, or when the schema never returns an object. */
export const assertSchema = (where: string, name: string, schema: unknown): void => {
  if (schema === undefined) return;
  const { type } = toSchema(`${where}: \`${name}\``, schema)._zod.def;
  if (!isOtherKind(type)) return;
  throw new DefinitionError(
    "SLP_DEFINITION_SCHEMA",
    `${where}: \`${name}\` must be an object schema; got a schema of kind ${type}. Wrap it, as in z.object({ items: z.array(...) }).`,
  );
};

/** Returns labels as a new array; a single label is wrapped. */
export const toList = (labels: string | readonly string[] | undefined): readonly string[] =>
  labels === undefined ? [] : typeof labels === "string" ? [labels] : [...labels];

/**
 * Returns the declared methods without duplicates.
 *
 * @throws {@link DefinitionError} when a method is unknown, or the array of methods is empty.
 */
export const toMethods = (where: string, declared: unknown): readonly Method[] | undefined => {
  if (declared === undefined) return undefined;
  const methods: readonly unknown[] = Array.isArray(declared) ? declared : [declared];
  const wrong = methods.find((method) => typeof method !== "string" || !isMethod(method));
  if (methods.length > 0 && wrong === undefined) return [...new Set(methods as Method[])];
  throw new DefinitionError(
    "SLP_DEFINITION_METHOD",
    `${where}: \`method\` must be one or more of ${endpointMethods.join(", ")}, in lower case; got ${show(wrong ?? declared)}.`,
  );
};

/** @throws {@link DefinitionError} when `timeout` is not a positive number, or is too large for a timer. */
export const assertTimeout = (where: string, timeout: unknown): void => {
  if (timeout === undefined) return;
  if (typeof timeout === "number" && timeout > 0 && timeout <= 0x7fffffff) return;
  throw new DefinitionError(
    "SLP_DEFINITION_VALUE",
    `${where}: \`timeout\` must be a positive number of milliseconds up to 2147483647; got ${show(timeout)}.`,
  );
};
