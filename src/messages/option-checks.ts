import { show } from "./show.ts";
import { describeUnknownKey } from "./unknown-names.ts";
import { ConfigError } from "../errors.ts";

/** Checks the value of an option. */
export type Check = (value: unknown, option: string) => void;

export const refuse = (
  option: string,
  value: unknown,
  expected: string,
  toText: (value: unknown) => string = show,
): never => {
  throw new ConfigError(
    "SLP_CONFIG_VALUE",
    `The option \`${option}\` must be ${expected}; got ${toText(value)}.`,
  );
};

export const be =
  (
    expected: string,
    isRight: (value: unknown) => boolean,
    toText?: (value: unknown) => string,
  ): Check =>
  (value, option) => {
    if (!isRight(value)) refuse(option, value, expected, toText);
  };

export const oneOf = (...values: readonly unknown[]): Check =>
  be(`one of ${values.map(show).join(", ")}`, (value) => values.includes(value));

export const isFunction = (value: unknown): boolean => typeof value === "function";
export const isObject = (value: unknown): value is object =>
  typeof value === "object" && value !== null && !Array.isArray(value);
export const isBoolean = (value: unknown): boolean => typeof value === "boolean";

export const aFunction = be("a function", isFunction);
export const aBoolean = be("true or false", isBoolean);
/**
 * Creates the check for a group of options; its errors name unknown options.
 *
 * @param toExpected receives "an object with ..." and returns everything that the option may be
 */
export const group =
  (
    checks: Readonly<Record<string, Check>>,
    required: readonly string[] = [],
    toExpected: (anObject: string) => string = (anObject) => anObject,
  ): Check =>
  (value, option) => {
    if (!isObject(value)) {
      refuse(option, value, toExpected(`an object with ${Object.keys(checks).join(", ")}`));
      return;
    }
    checkOptions(value, checks, `${option}.`);
    for (const name of required)
      if (Reflect.get(value, name) === undefined)
        throw new ConfigError(
          "SLP_CONFIG_MISSING",
          `The option \`${option}.${name}\` is missing; \`${option}\` needs ${required.join(" and ")}.`,
        );
  };

/** Creates the check for an option that is true, false or a group of options. */
export const booleanOrGroup = (
  checks: Readonly<Record<string, Check>>,
  required?: readonly string[],
): Check => {
  const check = group(checks, required, (anObject) => `true, false, or ${anObject}`);
  return (value, option) => {
    if (!isBoolean(value)) check(value, option);
  };
};

export const checkOptions = (
  options: object,
  checks: Readonly<Record<string, Check>>,
  prefix: string,
): void => {
  const unknown = describeUnknownKey("option", options, Object.keys(checks), { prefix });
  if (unknown !== undefined) throw new ConfigError("SLP_CONFIG_UNKNOWN_OPTION", unknown);
  for (const [name, value] of Object.entries(options))
    if (value !== undefined) checks[name]?.(value, `${prefix}${name}`);
};

/** Checks whether a value is a number of milliseconds that a timer accepts. */
export const isDelay = (value: unknown): boolean =>
  typeof value === "number" && value >= 0 && value <= 0x7fffffff;

export const timeout = be("a number of milliseconds from 0 (no limit) to 2147483647", isDelay);
