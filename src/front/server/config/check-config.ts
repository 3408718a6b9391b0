import { isError } from "../../../basics/http/is-error.ts";
import { documentChecks } from "../../../describe/api/document-checks.ts";
import { aBodyLimit, someUploadLimits } from "../../../define/endpoint/body-limits.ts";
import { anEndpointsFactory } from "../../../define/endpoint/check-definition.ts";
import { sourcesByMethod } from "../../../define/endpoint/input-sources.ts";
import { aPublicAccess } from "../../../define/endpoint/security.ts";
import { ConfigError } from "../../../basics/errors.ts";
import { aLogger } from "../../../basics/logger/a-logger.ts";
import {
  aBoolean,
  aFunction,
  anything,
  aDelay,
  aPositiveTimeout,
  aTimeout,
  be,
  booleanOrGroup,
  checkConfig,
  group,
  isBoolean,
  isFunction,
  isObject,
  isPositiveInteger,
  isText,
  oneOf,
  refuseConfig,
  type Check,
  type Checks,
} from "../../../basics/messages/option-checks.ts";
import { show } from "../../../basics/messages/show.ts";
import { assertZod } from "../../../basics/schemas/parser.ts";
import { isResultHandler } from "../../../define/results/result-handler.ts";
import type { Resource } from "./resource.ts";

/** Header fields that cannot contain a request id, because other parties read them. */
const reservedFields =
  /^(?:connection|content-.*|cookie|date|host|keep-alive|set-cookie|te|trailer|transfer-encoding|upgrade)$/i;

/** Prefixes are compared with paths as they are sent, so they consist of characters that are never encoded. */
const isPrefix = (text: string): boolean => /^(?:\/|(?:\/[\w.~-]+)+)$/.test(text);

const aHealthPath = be(
  "a path without parameters, such as /livez",
  (value) => typeof value === "string" && value !== "/" && isPrefix(value),
);

const healthCheck = group(
  { check: aFunction, critical: aBoolean, timeout: aPositiveTimeout, cache: aDelay },
  ["check"],
  isFunction,
  (anObject) => `a function, or ${anObject}`,
);

const docsChecks: Checks = {
  ...documentChecks,
  path: be("a path, such as /docs", isText),
  ui: oneOf("scalar", "swagger"),
  factory: anEndpointsFactory,
  access: aPublicAccess,
  production: aBoolean,
};

const aResultHandler = be("a result handler, made with `new ResultHandler`", isResultHandler);

const commonChecks: Checks = {
  cors: be(
    "true, false, or a function that returns headers",
    (value) => isBoolean(value) || (typeof value === "function" && value.length < 2),
    (value) =>
      isFunction(value)
        ? "a middleware. To use the package `cors`, set `cors: false` and `beforeRouting: ({ app }) => app.use(cors())`; on your own application, call `app.use(cors())` before attachRouting"
        : show(value),
  ),
  logger: aLogger,
  requestId: booleanOrGroup(
    {
      header: be(
        "the name of a header field without another meaning, such as x-request-id",
        (value) =>
          typeof value === "string" && /^[\w-]+$/.test(value) && !reservedFields.test(value),
      ),
    },
    ["header"],
  ),
  childLoggerProvider: aFunction,
  accessLogger: be(
    "a function, or null for no access log",
    (value) => value === null || isFunction(value),
  ),
  logFaults: group(
    { input: aFunction },
    ["input"],
    (value) => value === false || isFunction(value),
    (anObject) => `false, a function, or ${anObject}`,
  ),
  telemetry: be(
    "what `openTelemetry()` of sallyport/opentelemetry returns",
    (value) => isObject(value) && isFunction(Reflect.get(value, "begin")),
  ),
  inputSources: sourcesByMethod,
  errorHandler: (value, name, wording) => {
    if (isResultHandler(value)) return;
    be(
      'a result handler, made with `new ResultHandler`, or an object of them by path prefix, such as "/v2", without parameters and without a slash at the end',
      (given) =>
        isObject(given) && Object.keys(given).length > 0 && Object.keys(given).every(isPrefix),
    )(value, name, wording);
    for (const [prefix, handler] of Object.entries(value as object))
      if (handler !== undefined) aResultHandler(handler, `${name}.${prefix}`, wording);
  },
  onError: group({ errors: anything, handler: aFunction }),
  bodyLimit: aBodyLimit,
  forms: aBoolean,
  bodyIdleTimeout: aPositiveTimeout,
  requestTimeout: aTimeout,
  cookies: booleanOrGroup({
    secret: be(
      "a non-empty string, or an array of such strings",
      (value) => {
        const secrets = [value].flat();
        return secrets.length > 0 && secrets.every(isText);
      },
      // the message must never include the secret itself
      (value) => (Array.isArray(value) ? `an array of length ${value.length}` : show(value)),
    ),
    nameBinding: oneOf("transition", "required", "off"),
  }),
  upload: booleanOrGroup({
    limits: someUploadLimits,
    tempFileDir: be("the path of a directory", isText),
    limitError: be("an Error", isError),
    beforeUpload: aFunction,
  }),
  docs: (docs, name, wording) => {
    const toExpected = (anObject: string): string =>
      `true, false, ${anObject}, or a list of such objects`;
    if (!Array.isArray(docs)) group(docsChecks, [], isBoolean, toExpected)(docs, name, wording);
    else for (const [at, one] of docs.entries()) group(docsChecks)(one, `${name}[${at}]`, wording);
  },
  health: booleanOrGroup({
    live: aHealthPath,
    ready: aHealthPath,
    checks: (value, name, wording) => {
      be("an object with checks by name", isObject)(value, name, wording);
      for (const [key, one] of Object.entries(value as object))
        healthCheck(one, `${name}.${key}`, wording);
    },
    accessLog: aBoolean,
    telemetry: aBoolean,
    access: aPublicAccess,
  }),
  access: be('"explicit"', (value) => value === "explicit"),
  wrongMethodBehavior: oneOf(404, 405),
  methodLikeRouteBehavior: oneOf("method", "path"),
  caseSensitive: aBoolean,
  startupLogo: aBoolean,
};

const isIntegerUpTo = (value: unknown, most: number): boolean =>
  Number.isInteger(value) && Number(value) >= 0 && Number(value) <= most;

const isListen = (value: unknown): boolean =>
  isIntegerUpTo(value, 65_535) ||
  // Node takes any other string than a number for the path of a socket, and `localhost:8090` would be a file
  (typeof value === "string" &&
    (/[/\\\0]/.test(value) || (/^\d+$/.test(value) && Number(value) <= 65_535))) ||
  (isObject(value) &&
    ["port", "path", "fd", "handle"].some((name) => Reflect.get(value, name) !== undefined));

const listen = be(
  "a port (0 to 65535), the path of a UNIX socket, which has a slash, or listen options such as { port, host }",
  isListen,
);

const isSignal = (one: unknown): boolean =>
  typeof one === "string" && one in process.getBuiltinModule("node:os").constants.signals;

const partsOfResource = group(
  { name: be("a non-empty string", isText), start: aFunction, stop: aFunction },
  ["name"],
);

const aResource: Check = (value, name, wording) => {
  partsOfResource(value, name, wording);
  const { start, stop } = value as Resource;
  if (!start && !stop)
    throw new ConfigError(
      "SLP_CONFIG_MISSING",
      `The \`${name}\` option has neither \`start\` nor \`stop\`; it needs one of them.`,
    );
};

const serverChecks: Checks = {
  http: group({ listen, options: be("an object with Node's server options", isObject) }, [
    "listen",
  ]),
  https: group({ listen, options: be("an object with `cert` and `key`", isObject) }, [
    "listen",
    "options",
  ]),
  trustProxy: be(
    "the number of your proxies, their addresses or subnets, or a function",
    (value) =>
      value === false ||
      value === 0 ||
      isPositiveInteger(value) ||
      isFunction(value) ||
      // Express takes the text of a number for an address
      [value].flat().every((one) => isText(one) && !/^\d+$/.test(String(one))),
    (value) => (value === true ? "true, with which clients choose their address" : show(value)),
  ),
  resources: (value, name, wording) => {
    be("an array of objects with name, start and stop", Array.isArray)(value, name, wording);
    for (const [at, one] of (value as unknown[]).entries())
      aResource(one, `${name}[${at}]`, wording);
  },
  onStart: aFunction,
  onStop: aFunction,
  beforeRouting: aFunction,
  afterRouting: aFunction,
  queryParser: be(
    '"simple", "extended", or a function',
    (value) => value === "simple" || value === "extended" || isFunction(value),
  ),
  compression: booleanOrGroup({
    threshold: be('a number of bytes, or a string such as "1kb"', (value) =>
      typeof value === "number"
        ? value >= 0
        : typeof value === "string" && /^\d+(?:\.\d+)? ?(?:b|kb|mb|gb)?$/i.test(value),
    ),
    level: be("an integer from 0 to 9", (value) => isIntegerUpTo(value, 9)),
    brotli: be("an object with options of brotli, such as `params`", isObject),
    filter: aFunction,
  }),
  gracefulShutdown: booleanOrGroup({
    timeout: aDelay,
    drain: aDelay,
    events: (value, option, wording) => {
      be(
        'an array of signals, such as ["SIGTERM"]',
        (list) => Array.isArray(list) && list.every(isSignal),
      )(value, option, wording);
      const fatal = (value as string[]).find((one) => one === "SIGKILL" || one === "SIGSTOP");
      if (fatal !== undefined)
        throw new ConfigError(
          "SLP_CONFIG_VALUE",
          `The \`${option}\` option has ${fatal}, which no process can handle; omit it.`,
        );
    },
    beforeExit: aFunction,
  }),
  responseIdleTimeout: aTimeout,
  etag: oneOf(true, false, "weak", "strong"),
  shortcuts: aBoolean,
};

const appChecks: Checks = { app: be("an Express application or router", isFunction) };

const ownChecks = { createServer: serverChecks, attachRouting: appChecks };

const check = (config: object, own: keyof typeof ownChecks, other: keyof typeof ownChecks) => {
  assertZod();
  const foreign = Object.keys(config).find((name) => Object.hasOwn(ownChecks[other], name));
  if (foreign !== undefined)
    throw new ConfigError(
      "SLP_CONFIG_UNKNOWN_OPTION",
      `There is no option \`${foreign}\` of ${own}; it is an option of ${other}.`,
    );
  checkConfig(config, { ...commonChecks, ...ownChecks[own] });
};

export const checkAppConfig = (config: unknown): void => {
  if (!isObject(config)) return refuseConfig(config);
  if (Reflect.get(config, "app") === undefined)
    throw new ConfigError(
      "SLP_CONFIG_MISSING",
      "The `app` option is missing; attachRouting needs an Express application or router. To start a server, use createServer.",
    );
  check(config, "attachRouting", "createServer");
};

export const checkServerConfig = (config: unknown, routing?: unknown): void => {
  if (!isObject(config)) return refuseConfig(config);
  if (isConfig(routing) && !isConfig(config))
    throw new ConfigError(
      "SLP_CONFIG_VALUE",
      "The arguments of createServer are swapped; pass the configuration first and the routing second.",
    );
  check(config, "createServer", "attachRouting");
};

/** Checks whether a value has an option that no routing map can have. */
const isConfig = (value: unknown): boolean => {
  if (!isObject(value)) return false;
  const { cors, http, https } = value as Readonly<Record<string, unknown>>;
  return (
    isBoolean(cors) ||
    isFunction(cors) ||
    [http, https].some((one) => isObject(one) && isListen(Reflect.get(one, "listen")))
  );
};
