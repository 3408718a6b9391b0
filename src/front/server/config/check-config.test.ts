import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { ConfigError } from "../../../basics/errors.ts";
import { defaultResultHandler } from "../../../define/results/default-result-handler.ts";
import { checkAppConfig, checkServerConfig } from "./check-config.ts";

const run = (): void => undefined;
const most = 0x7fffffff;

const toHandlers = (prefix: string): object => ({ [prefix]: defaultResultHandler });

/** The accepted and the rejected values of each option, including those at the boundaries. */
const options: readonly (readonly [
  name: string,
  right: readonly unknown[],
  wrong: readonly unknown[],
])[] = [
  ["cors", [true, false, run], ["*", null, {}, (_request: unknown, _response: unknown) => run()]],
  ["logger.level", ["silent", "error", "warn", "info", "debug"], ["all", "", true]],
  ["logger.color", [true, false], [0, "auto"]],
  ["logger.depth", [null, 0, 1, Infinity], [-1, "2", Number.NaN]],
  ["childLoggerProvider", [run], [{}, null]],
  ["accessLogger", [run, null], [false, {}]],
  ["logFaults", [run, false, { input: run }], [true, null]],
  ["logFaults.input", [run], [1]],
  ["inputSources.get", [[], ["query", "params", "headers"]], ["query", ["form"], [1]]],
  [
    "errorHandler",
    [defaultResultHandler, ...["/", "/v1", "/v1/a.b-c~_"].map(toHandlers)],
    [run, {}, null, ...["v1", "/v1/", "//v1", "/:id", "/é", "/a%20b", ""].map(toHandlers)],
  ],
  ["errorHandler./v1", [defaultResultHandler], [run, null]],
  ["bodyLimit", [1, Number.MAX_SAFE_INTEGER, {}, { bytes: 1, values: 1 }], [0, 1.5, 2 ** 53, "1"]],
  ["bodyIdleTimeout", [0.5, most], [0, most + 1, "1", Number.NaN]],
  ["responseIdleTimeout", [0, most], [-1, most + 1, "1"]],
  ["cookies", [true, false, {}], ["on", null]],
  ["cookies.secret", ["a", ["a", "b"]], ["", [], ["a", ""], 1, [1]]],
  ["cookies.nameBinding", ["transition", "required", "off"], ["on", true]],
  ["requestId", [true, false, { header: "X-Id" }], ["on", null]],
  ["requestId.header", ["X-Id", "id_1"], ["", "a b", 1, null, "Content-Length", "host"]],
  ["upload", [true, false, {}], ["on", null]],
  ...["fileSize", "files", "fields", "parts", "fieldSize", "memory"].map(
    (name) => [`upload.limits.${name}`, [0, 1], [-1, 1.5, "1", Infinity]] as const,
  ),
  ["upload.tempFileDir", ["/tmp"], ["", 1]],
  ["upload.beforeUpload", [run], [{}]],
  ["upload.limitError", [new Error("x")], ["x", {}]],
  ["wrongMethodBehavior", [404, 405], [400, "404"]],
  ["caseSensitive", [true, false], [0]],
  ["methodLikeRouteBehavior", ["method", "path"], ["get", true]],
  ["startupLogo", [true, false], [0]],
  [
    "http.listen",
    [0, 65_535, "8090", "/a.sock", "./a.sock", { port: 1 }, { path: "/a.sock" }, { fd: 3 }],
    [-1, 65_536, 1.5, "", "localhost:8090", "80x", "65536", null, [], run, {}, { prot: 1 }],
  ],
  ["http.options", [{}], [1, null, []]],
  [
    "trustProxy",
    [false, 0, 1, "loopback", "10.0.0.1, ::1", ["10.0.0.0/8"], [], run],
    [true, -1, 1.5, "1", "", ["10.0.0.1", 1], [""], null, {}],
  ],
  ["resources", [[], [{ name: "a", start: run }], [{ name: "a", stop: run }]], [{}, run, null]],
  ["onStart", [run], [{}]],
  ["onStop", [run], [{}]],
  ["beforeRouting", [run], [{}]],
  ["afterRouting", [run], [{}]],
  ["queryParser", ["simple", "extended", run], ["qs", true]],
  ["compression", [true, false, {}], ["on"]],
  ["compression.threshold", [0, "1kb"], [-1, "a lot", null]],
  ["compression.level", [0, 9], [-1, 10, 1.5, "1"]],
  ["compression.brotli", [{}, { params: {} }], [4, "best", null]],
  ["compression.filter", [() => true], [true, "text"]],
  ["gracefulShutdown", [true, false, {}], ["on"]],
  ["gracefulShutdown.timeout", [0, most], [-1, most + 1]],
  ["gracefulShutdown.events", [[], ["SIGTERM"]], ["SIGTERM", ["SIGNOTHING"], [1]]],
  ["gracefulShutdown.beforeExit", [run], [{}]],
  ["docs.servers", ["/v1", [{ url: "/v1", "x-a": 1 }]], [[{ description: "A" }], 1]],
  ["docs.webhooks", [{}, { paid: { method: "post" } }], [[], "A"]],
  ["docs.webhooks.paid.method", ["post"], ["POST"]],
  ["docs.override.schema", [run], [{}]],
  ["docs.info", [{ title: "A", version: "1" }], [{ title: "A" }, { version: "1" }, "A"]],
  ["etag", [true, false, "weak", "strong"], ["soft", 1]],
];

const toConfig = (name: string, value: unknown): object => {
  const nested = name.split(".").reduceRight<unknown>((inner, key) => ({ [key]: inner }), value);
  const { http } = nested as { readonly http?: object };
  return http ? { http: { listen: 0, ...http } } : (nested as object);
};

describe.each(options)("the option %s", (name, right, wrong) => {
  test.each(right.map((value) => [value]))("accepts %o", (value) => {
    expect(() => checkServerConfig(toConfig(name, value))).not.toThrow();
  });

  test.each(wrong.map((value) => [value]))(
    "rejects %o with an error that names the option",
    (value) => {
      const check = () => checkServerConfig(toConfig(name, value));
      expect(check).toThrow(ConfigError);
      expect(check).toThrow(new RegExp(`^The \`${name}\` option must be [^;]+; got `));
    },
  );

  // these options are required
  test.skipIf(["http.listen", "requestId.header", "logFaults.input"].includes(name))(
    "accepts undefined",
    () => {
      expect(() => checkServerConfig(toConfig(name, undefined))).not.toThrow();
    },
  );
});

test("an error shows a wrong value on one line, without nested values", () => {
  const wrong = { a: { secret: { b: 1 } }, c: [1, 2] };
  expect(() => checkServerConfig(toConfig("cors", wrong))).toThrow(/got an object with a, c\.$/);
});

test("the header of `requestId` is required", () => {
  expect(() => checkServerConfig({ requestId: {} })).toThrow(
    "The `requestId.header` option is missing; `requestId` needs header.",
  );
});

test("an error names everything that an option may be", () => {
  expect(() => checkServerConfig({ requestId: "x" })).toThrow(
    'The `requestId` option must be true, false, or an object with header; got "x".',
  );
  expect(() => checkServerConfig({ logger: false })).toThrow(
    'The `logger` option must be a logger with debug, info, warn and error, or an object with level, color, depth, such as { level: "silent" }; got false.',
  );
});

test("an error names the function that has the option, and swapped arguments", () => {
  expect(() => checkServerConfig({ app: run, cors: false })).toThrow(
    "There is no option `app` of createServer; it is an option of attachRouting.",
  );
  const swapped = "The arguments of createServer are swapped";
  expect(() => checkServerConfig({ v1: {} }, { cors: false })).toThrow(swapped);
  expect(() => checkServerConfig({ v1: {} }, { http: { listen: 80 } })).toThrow(swapped);
  expect(() => checkServerConfig({ cors: false }, { http: {}, cors: {} })).not.toThrow();
});

test.each([
  [run, "The `resources[1]` option must be an object with name, start, stop; got a function."],
  [{ start: run }, "The `resources[1].name` option is missing; `resources[1]` needs name."],
  [{ name: "" }, 'The `resources[1].name` option must be a non-empty string; got "".'],
  [{ name: "b", stop: {} }, "The `resources[1].stop` option must be a function; got "],
  [{ name: "b", begin: run }, "There is no option `resources[1].begin`."],
  [
    { name: "b" },
    "The `resources[1]` option has neither `start` nor `stop`; it needs one of them.",
  ],
])("an error tells what is wrong with a resource: %j", (resource, message) => {
  const resources = [{ name: "a", start: run }, resource];
  expect(() => checkServerConfig({ resources })).toThrow(message);
});

test("an error does not reveal a secret", () => {
  expect(() => checkServerConfig(toConfig("cookies.secret", ["hunter2", 5]))).toThrow(
    /got an array of length 2\.$/,
  );
});

test.each(["SIGKILL", "SIGSTOP"])("rejects the signal %s, which cannot be handled", (signal) => {
  expect(() => checkServerConfig(toConfig("gracefulShutdown.events", ["SIGTERM", signal]))).toThrow(
    `The \`gracefulShutdown.events\` option has ${signal}, which no process can handle; omit it.`,
  );
});

test.each([null, undefined, "x", [], run])(
  "rejects a configuration that is not an object: %o",
  (config) => {
    for (const check of [checkServerConfig, checkAppConfig])
      expect(() => check(config)).toThrow("The `config` option must be an object");
  },
);

/** Returns the known options, which the error for an unknown one lists. */
const listOptions = (check: (config: unknown) => void, config: object): readonly string[] => {
  let message = "";
  try {
    check({ ...config, none: 1 });
  } catch (error) {
    ({ message } = error as Error);
  }
  return /The options are (.*)\.$/.exec(message)?.[1]?.split(", ") ?? [];
};

/** Returns the names in the first column of the first table on a page of the documentation. */
const readNames = (name: string): readonly string[] => {
  const page = readFileSync(new URL(`../../../../docs/${name}`, import.meta.url), "utf8");
  const [table = ""] = /\|[^]*?\n\n/.exec(page) ?? [];
  return table.split("\n").flatMap((row) => {
    const [, names = ""] = row.split(" | ", 1)[0]?.match(/^\| (`.*)/) ?? [];
    return [...names.matchAll(/`(\w+)`/g)].map(([, name = ""]) => name);
  });
};

describe("the documentation", () => {
  const server = listOptions(checkServerConfig, {});
  const attached = listOptions(checkAppConfig, { app: run });

  test("has all options in one table", () => {
    const all = [...new Set([...server, ...attached])];
    expect(readNames("configuration.md").toSorted()).toEqual(all.toSorted());
  });

  test("names the options that `attachRouting` lacks", () => {
    const lacking = server.filter((name) => !attached.includes(name));
    // accepted, but without effect
    const documented = readNames("routing.md").filter((name) => name !== "startupLogo");
    expect(documented.toSorted()).toEqual(lacking.toSorted());
  });
});

describe("the configuration for `attachRouting`", () => {
  test("requires `app`", () => {
    expect(() => checkAppConfig({ cors: false })).toThrow("The `app` option is missing");
    expect(() => checkAppConfig({ app: {} })).toThrow("The `app` option must be an Express");
    expect(() => checkAppConfig({ app: run, cors: false })).not.toThrow();
  });

  test("rejects the options of a server, and unknown ones", () => {
    expect(() => checkAppConfig({ app: run, http: {} })).toThrow(
      "There is no option `http` of attachRouting; it is an option of createServer.",
    );
    expect(() => checkAppConfig({ app: run, bodyLimits: 1 })).toThrow(
      "There is no option `bodyLimits`. Did you mean `bodyLimit`? The options are ",
    );
  });
});

test("a middleware as `cors` is refused with an error that says where it belongs", () => {
  const cors = (_request: unknown, _response: unknown, next: () => void) => next();
  expect(() => checkServerConfig({ cors })).toThrow(
    /^The `cors` option must be .*; got a middleware\. .* `beforeRouting: \(\{ app \}\) => app\.use\(cors\(\)\)`/,
  );
});
