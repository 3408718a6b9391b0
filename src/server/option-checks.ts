import { loadNodeUtil } from "../http/node-modules.ts";
import { ConfigError, suggest } from "../errors.ts";

/** Returns what an option must be; undefined if the value is valid. */
export type Check = (value: unknown, option: string) => void;

export const refuse = (option: string, value: unknown, expected: string): never => {
  throw new ConfigError(
    "SLP_CONFIG_VALUE",
    `The option \`${option}\` must be ${expected}; got ${loadNodeUtil().inspect(value, { depth: 0, breakLength: Infinity })}.`,
  );
};

export const be =
  (expected: string, isRight: (value: unknown) => boolean): Check =>
  (value, option) => {
    if (!isRight(value)) refuse(option, value, expected);
  };

export const oneOf = (...values: readonly unknown[]): Check =>
  be(`one of ${values.map((value) => loadNodeUtil().inspect(value)).join(", ")}`, (value) =>
    values.includes(value),
  );

export const isFunction = (value: unknown): boolean => typeof value === "function";
export const isObject = (value: unknown): value is object =>
  typeof value === "object" && value !== null && !Array.isArray(value);
export const isBoolean = (value: unknown): boolean => typeof value === "boolean";

export const aFunction = be("a function", isFunction);
export const aBoolean = be("true or false", isBoolean);
/** Checks a group of options, and names unknown ones. */
export const group =
  (checks: Readonly<Record<string, Check>>, required: readonly string[] = []): Check =>
  (value, option) => {
    if (!isObject(value)) {
      refuse(option, value, `an object with ${Object.keys(checks).join(", ")}`);
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

export const checkOptions = (
  options: object,
  checks: Readonly<Record<string, Check>>,
  prefix: string,
): void => {
  for (const [name, value] of Object.entries(options)) {
    const check = Object.hasOwn(checks, name) ? checks[name] : undefined;
    if (!check)
      throw new ConfigError(
        "SLP_CONFIG_UNKNOWN_OPTION",
        `Unknown option \`${prefix}${name}\`.${suggest(name, Object.keys(checks))} The options are ${Object.keys(checks).join(", ")}.`,
      );
    if (value !== undefined) check(value, `${prefix}${name}`);
  }
};

export const timeout = be(
  "a number of milliseconds, 0 for no limit",
  (value) => typeof value === "number" && value >= 0 && value <= 0x7fffffff,
);
