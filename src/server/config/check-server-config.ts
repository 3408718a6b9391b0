import { constants } from "node:os";
import { ConfigError } from "../../errors.ts";
import { assertOwnOptions, commonChecks, toOptions } from "./check-config.ts";
import {
  aBoolean,
  aDelay,
  aFunction,
  be,
  booleanOrGroup,
  checkConfig,
  group,
  isFunction,
  isObject,
  isText,
  oneOf,
  aTimeout,
  type Check,
  type Checks,
} from "../../messages/option-checks.ts";

const isIntegerUpTo = (value: unknown, most: number): boolean =>
  Number.isInteger(value) && Number(value) >= 0 && Number(value) <= most;
/** Checks whether a value has one of the listen options that name an address. */
const hasAddress = (value: unknown): boolean =>
  isObject(value) &&
  ["port", "path", "fd", "handle"].some((name) => Reflect.get(value, name) !== undefined);
const isListen = (value: unknown): boolean =>
  isIntegerUpTo(value, 65_535) || isText(value) || hasAddress(value);
const listen = be(
  "a port (0 to 65535), the path of a UNIX socket, or listen options such as { port, host }",
  isListen,
);

const isSignal = (one: unknown): boolean => typeof one === "string" && one in constants.signals;

const signalList = be(
  'an array of signals, such as ["SIGTERM"]',
  (value) => Array.isArray(value) && value.every(isSignal),
);

const signals: Check = (value, option, wording) => {
  signalList(value, option, wording);
  const fatal = (value as string[]).find((one) => one === "SIGKILL" || one === "SIGSTOP");
  if (fatal !== undefined)
    throw new ConfigError(
      "SLP_CONFIG_VALUE",
      `The option \`${option}\` has ${fatal}, which no process can handle; omit it.`,
    );
};

const shutdownOptions = booleanOrGroup({
  timeout: aDelay,
  drain: aDelay,
  events: signals,
  beforeExit: aFunction,
});

const compressionOptions = booleanOrGroup({
  threshold: be('a number of bytes, or a string such as "1kb"', (value) =>
    typeof value === "number"
      ? value >= 0
      : typeof value === "string" && /^\d+(?:\.\d+)? ?(?:b|kb|mb|gb)?$/i.test(value),
  ),
  level: be("an integer from 0 to 9", (value) => isIntegerUpTo(value, 9)),
  brotli: be("an object with options of brotli, such as `params`", isObject),
  filter: aFunction,
});

const serverChecks: Checks = {
  ...commonChecks,
  http: group({ listen, options: be("an object with Node's server options", isObject) }, [
    "listen",
  ]),
  https: group({ listen, options: be("an object with `cert` and `key`", isObject) }, [
    "listen",
    "options",
  ]),
  beforeRouting: aFunction,
  afterRouting: aFunction,
  queryParser: be(
    '"simple", "extended", or a function',
    (value) => value === "simple" || value === "extended" || isFunction(value),
  ),
  compression: compressionOptions,
  gracefulShutdown: shutdownOptions,
  responseIdleTimeout: aTimeout,
  etag: oneOf(true, false, "weak", "strong"),
  shortcuts: aBoolean,
};

/** @throws {@link ConfigError} when an option of a server is invalid, or when the routing is given first. */
export const checkServerConfig = (config: unknown, routing?: unknown): void => {
  const options = toOptions(config);
  if (isConfig(routing) && !isConfig(options))
    throw new ConfigError(
      "SLP_CONFIG_VALUE",
      "The arguments of createServer are swapped; pass the configuration first and the routing second.",
    );
  assertOwnOptions(options, ["app"], "createServer", "attachRouting");
  checkConfig(options, serverChecks);
};

/** Checks whether a value has an option that no routing map can have. */
const isConfig = (value: unknown): boolean => {
  if (!isObject(value)) return false;
  const { cors, http, https } = value as Readonly<Record<string, unknown>>;
  return (
    typeof cors === "boolean" ||
    typeof cors === "function" ||
    [http, https].some((server) => isObject(server) && isListen(Reflect.get(server, "listen")))
  );
};
