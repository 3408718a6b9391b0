import { show } from "./show.ts";
import { describeUnknown } from "./unknown-names.ts";
import { ConfigError, DefinitionError } from "../errors.ts";

/** How the errors about options are worded. */
export interface Wording {
  /** The function whose argument is checked, named at the beginning of each message; undefined for the configuration. */
  readonly where?: string;
  /** What the members of the checked object are called. */
  readonly kind: string;
  /** @param isUnknown whether an option is unknown; otherwise, its value is invalid */
  readonly toError: (text: string, isUnknown?: boolean) => Error;
}

export const toConfigError: Wording["toError"] = (text, isUnknown) =>
  new ConfigError(isUnknown ? "SLP_CONFIG_UNKNOWN_OPTION" : "SLP_CONFIG_VALUE", text);

const ofConfig: Wording = { kind: "option", toError: toConfigError };

const toDefinitionError: Wording["toError"] = (text, isUnknown) =>
  new DefinitionError(isUnknown ? "SLP_DEFINITION_UNKNOWN_KEY" : "SLP_DEFINITION_VALUE", text);

const ofArgument = (where: string): Wording => ({ where, kind: "key", toError: toDefinitionError });

/** Names an option at the beginning of a message. */
export const toLabel = ({ where }: Wording, name: string): string =>
  where === undefined ? `The \`${name}\` option` : `${where}: \`${name}\``;

export type Check = (value: unknown, name: string, wording: Wording) => void;

export type Checks = Readonly<Record<string, Check>>;

const refuse = (got: string, name: string, expected: string, wording: Wording): never => {
  throw wording.toError(`${toLabel(wording, name)} must be ${expected}; got ${got}.`);
};

export const be =
  (expected: string, isRight: (value: unknown) => boolean, toText = show): Check =>
  (value, name, wording) => {
    if (!isRight(value)) refuse(toText(value), name, expected, wording);
  };

export const oneOf = (...values: readonly unknown[]): Check =>
  be(`one of ${values.map(show).join(", ")}`, (value) => values.includes(value));

export const isFunction = (value: unknown): boolean => typeof value === "function";
export const isObject = (value: unknown): value is object =>
  typeof value === "object" && value !== null && !Array.isArray(value);
export const isBoolean = (value: unknown): boolean => typeof value === "boolean";
export const isText = (value: unknown): boolean => typeof value === "string" && value !== "";
export const isPositiveInteger = (value: unknown): boolean =>
  Number.isSafeInteger(value) && Number(value) > 0;
/** Checks whether a value is a number of milliseconds that a timer accepts. */
export const isDelay = (value: unknown): boolean =>
  typeof value === "number" && value >= 0 && value <= 0x7fffffff;

export const anything: Check = () => undefined;
export const anyObject: Check = be("an object", isObject);
export const aFunction: Check = be("a function", isFunction);
export const aBoolean: Check = be("true or false", isBoolean);
export const aString: Check = be("a string", (value) => typeof value === "string");
export const aText: Check = be("a non-empty string", isText);
export const aPositiveInteger: Check = be("a positive integer", isPositiveInteger);
export const aWholeNumber: Check = be(
  "an integer, 0 or more",
  (value) => value === 0 || isPositiveInteger(value),
);
export const aDelay: Check = be("a number of milliseconds from 0 (at once) to 2147483647", isDelay);
export const aTimeout: Check = be(
  "a number of milliseconds from 0 (no limit) to 2147483647",
  isDelay,
);
export const aPositiveTimeout: Check = be(
  "a positive number of milliseconds up to 2147483647",
  (value) => isDelay(value) && value !== 0,
);

const listOptions = (checks: Checks): string => `an object with ${Object.keys(checks).join(", ")}`;

/**
 * Creates the check for a group of options.
 *
 * @param isOther whether a value may take the place of the group
 * @param toExpected receives "an object with ..." and returns everything that the option may be
 */
export const group =
  (
    checks: Checks,
    required: readonly string[] = [],
    isOther: (value: unknown) => boolean = () => false,
    toExpected: (anObject: string) => string = (anObject) => anObject,
  ): Check =>
  (value, name, wording) => {
    if (isOther(value)) return;
    if (!isObject(value)) {
      refuse(show(value), name, toExpected(listOptions(checks)), wording);
      return;
    }
    checkGroup(value, checks, name, wording);
    for (const key of required)
      if (Reflect.get(value, key) === undefined)
        throw new ConfigError(
          "SLP_CONFIG_MISSING",
          `The \`${name}.${key}\` option is missing; \`${name}\` needs ${required.join(" and ")}.`,
        );
  };

export const booleanOrGroup = (checks: Checks, required?: readonly string[]): Check =>
  group(checks, required, isBoolean, (anObject) => `true, false, or ${anObject}`);

const checkGroup = (options: object, checks: Checks, name: string, wording: Wording): void => {
  const { where, kind, toError } = wording;
  const known = Object.keys(checks);
  const unknown = Object.keys(options).find((key) => !known.includes(key));
  if (unknown !== undefined) {
    const place =
      where === undefined
        ? { prefix: name && `${name}.` }
        : { where: name ? toLabel(wording, name) : where };
    throw toError(describeUnknown(kind, unknown, known, place), true);
  }
  for (const [key, check] of Object.entries(checks)) {
    const value: unknown = Reflect.get(options, key);
    if (value !== undefined) check(value, name === "" ? key : `${name}.${key}`, wording);
  }
};

/** @throws {@link ConfigError} when the configuration is not an object, or when an option is unknown or invalid. */
export const checkConfig = (config: object, checks: Checks): void =>
  checkGroup(config, checks, "", ofConfig);

export const refuseConfig = (config: unknown): never =>
  refuse(show(config), "config", "an object, made with `createConfig`", ofConfig);

/** @throws {@link DefinitionError} when a definition has an unknown key, such as a misspelt one, or an invalid value. */
export const checkDefinition = (where: string, definition: object, checks: Checks): void =>
  checkGroup(definition, checks, "", ofArgument(where));

/** @throws an error, by default a {@link DefinitionError}, when the options are no object, or one is unknown or invalid. */
export const checkOptions = (
  where: string,
  options: unknown,
  checks: Checks,
  toError = toDefinitionError,
): void => {
  const wording = { where, kind: "option", toError };
  if (!isObject(options)) refuse(show(options), "options", listOptions(checks), wording);
  else checkGroup(options, checks, "", wording);
};

export const refuseValue = (where: string, name: string, expected: string, value: unknown): never =>
  refuse(show(value), name, expected, ofArgument(where));
