import { constants } from "node:os";
import { inspect } from "node:util";
import { inputSources } from "../endpoint/input-sources.ts";
import { ConfigError, suggest } from "../errors.ts";
import { endpointMethods } from "../http/method.ts";
import { logLevels } from "../logger/console-logger.ts";
import { isLogger } from "../logger/logger.ts";
import { isResultHandler } from "../results/result-handler.ts";
import { toThreshold } from "./compression.ts";
import { sendableEncodings } from "./encoders.ts";

/** Says what an option must be; undefined when the value is right. */
type Check = (value: unknown, option: string) => void;

const refuse = (option: string, value: unknown, expected: string): never => {
  throw new ConfigError(
    "SLP_CONFIG_VALUE",
    `The option \`${option}\` must be ${expected}; got ${inspect(value, { depth: 0, breakLength: Infinity })}.`,
  );
};

const be =
  (expected: string, isRight: (value: unknown) => boolean): Check =>
  (value, option) => {
    if (!isRight(value)) refuse(option, value, expected);
  };

const oneOf = (...values: readonly unknown[]): Check =>
  be(`one of ${values.map((value) => inspect(value)).join(", ")}`, (value) =>
    values.includes(value),
  );

const isFunction = (value: unknown): boolean => typeof value === "function";
const isObject = (value: unknown): value is object =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const isBoolean = (value: unknown): boolean => typeof value === "boolean";
const isPort = (value: unknown): boolean =>
  Number.isInteger(value) && Number(value) >= 0 && Number(value) <= 65_535;

const aFunction = be("a function", isFunction);
const aBoolean = be("true or false", isBoolean);
const listen = be(
  "a port (0 to 65535), the path of a UNIX socket, or listen options such as { port, host }",
  (value) => isPort(value) || (typeof value === "string" && value !== "") || isObject(value),
);

/** Checks the options of a group, names those that do not exist. */
const group =
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

const checkOptions = (
  options: object,
  checks: Readonly<Record<string, Check>>,
  prefix: string,
): void => {
  for (const [name, value] of Object.entries(options)) {
    const check = Object.hasOwn(checks, name) ? checks[name] : undefined;
    if (!check)
      throw new ConfigError(
        "SLP_CONFIG_UNKNOWN_OPTION",
        `There is no option \`${prefix}${name}\`.${suggest(name, Object.keys(checks))} The options are ${Object.keys(checks).join(", ")}.`,
      );
    if (value !== undefined) check(value, `${prefix}${name}`);
  }
};

const sourceList: Check = be(
  `a list of ${inputSources.join(", ")}`,
  (value) =>
    Array.isArray(value) &&
    value.every((source) => (inputSources as readonly unknown[]).includes(source)),
);

const consoleLogger = group({
  level: oneOf(...logLevels),
  color: aBoolean,
  depth: be(
    "a number of levels, or null for no limit",
    (value) => value === null || (typeof value === "number" && value >= 0),
  ),
});

const timeout = be(
  "a number of milliseconds, 0 for no limit",
  (value) => typeof value === "number" && value >= 0 && value <= 0x7fffffff,
);

const wholeNumber = be(
  "a whole number, 0 or more",
  (value) => Number.isSafeInteger(value) && Number(value) >= 0,
);

const cookieOptions = group({
  secret: be("a text, or a list of texts", (value) => {
    const secrets: readonly unknown[] = Array.isArray(value) ? value : [value];
    return secrets.length > 0 && secrets.every((one) => typeof one === "string" && one !== "");
  }),
});

const shutdownOptions = group({
  timeout,
  events: be(
    'a list of signals, such as ["SIGTERM"]',
    (value) =>
      Array.isArray(value) &&
      value.every((one) => typeof one === "string" && one in constants.signals),
  ),
  beforeExit: aFunction,
});

const wholeNumberFrom = (least: number, most: number): Check =>
  be(
    `a whole number from ${least} to ${most}`,
    (value) => Number.isInteger(value) && Number(value) >= least && Number(value) <= most,
  );

const encodings: Check = (value, option) => {
  const known: readonly unknown[] = ["zstd", "br", "gzip", "deflate"];
  if (!Array.isArray(value) || value.length === 0 || !value.every((one) => known.includes(one)))
    refuse(option, value, `a list of one or more of ${known.join(", ")}`);
  const lacking = (value as string[]).find((one) => !sendableEncodings.includes(one));
  if (lacking !== undefined)
    throw new ConfigError(
      "SLP_CONFIG_VALUE",
      `The option \`${option}\` has ${lacking}, which Node.js ${process.versions.node} lacks; leave it out, or run Node.js 22.15 or later.`,
    );
};

const compressionOptions = group({
  encodings,
  threshold: be(
    'a number of bytes, or a text such as "1kb"',
    (value) => toThreshold(value) !== undefined,
  ),
  level: wholeNumberFrom(0, 9),
  memLevel: wholeNumberFrom(1, 9),
  strategy: wholeNumberFrom(0, 4),
  chunkSize: wholeNumberFrom(64, 0x7fffffff),
});

const uploadOptions = group({
  limits: group({
    fileSize: wholeNumber,
    files: wholeNumber,
    fields: wholeNumber,
    parts: wholeNumber,
    fieldSize: wholeNumber,
    memory: wholeNumber,
  }),
  tempFileDir: be("the path of a directory", (value) => typeof value === "string" && value !== ""),
  beforeUpload: aFunction,
});

const commonChecks: Readonly<Record<string, Check>> = {
  cors: be(
    "true, false, or a function that returns headers",
    (value) => isBoolean(value) || isFunction(value),
  ),
  logger: (value, option) => {
    if (!isLogger(value)) consoleLogger(value, option);
  },
  childLoggerProvider: aFunction,
  accessLogger: be(
    "a function, or null for no access log",
    (value) => value === null || isFunction(value),
  ),
  inputSources: group(Object.fromEntries(endpointMethods.map((method) => [method, sourceList]))),
  errorHandler: be("a result handler, made with `new ResultHandler`", isResultHandler),
  bodyLimit: be(
    "a positive whole number of bytes",
    (value) => Number.isSafeInteger(value) && Number(value) > 0,
  ),
  bodyIdleTimeout: be(
    "a positive number of milliseconds",
    (value) => typeof value === "number" && value > 0 && value <= 0x7fffffff,
  ),
  handlerTimeout: timeout,
  cookies: (value, option) => {
    if (!isBoolean(value)) cookieOptions(value, option);
  },
  upload: (value, option) => {
    if (!isBoolean(value)) uploadOptions(value, option);
  },
  wrongMethodBehavior: oneOf(404, 405),
  methodLikeRouteBehavior: oneOf("method", "path"),
  startupLogo: aBoolean,
};

const serverChecks: Readonly<Record<string, Check>> = {
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
  compression: (value, option) => {
    if (!isBoolean(value)) compressionOptions(value, option);
  },
  gracefulShutdown: (value, option) => {
    if (!isBoolean(value)) shutdownOptions(value, option);
  },
  responseIdleTimeout: timeout,
  etag: oneOf(true, false, "weak", "strong"),
};

const appChecks: Readonly<Record<string, Check>> = {
  ...commonChecks,
  app: be("an Express application or router", isFunction),
};

const assertObject = (config: unknown): object =>
  isObject(config) ? config : refuse("config", config, "an object, made with `createConfig`");

/** @throws {@link ConfigError} naming the option, its value and the fix. */
export const checkServerConfig = (config: unknown): void =>
  checkOptions(assertObject(config), serverChecks, "");

/** @throws {@link ConfigError} naming the option, its value and the fix. */
export const checkAppConfig = (config: unknown): void => {
  const options = assertObject(config);
  if (Reflect.get(options, "app") === undefined)
    throw new ConfigError(
      "SLP_CONFIG_MISSING",
      "The option `app` is missing; attachRouting needs the Express application or router that the API joins. To start a server, use createServer.",
    );
  checkOptions(options, appChecks, "");
};
