import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { defaults } from "../src/basics/defaults.ts";
import { methodFacts } from "../src/basics/http/method.ts";

const root = fileURLToPath(new URL("../", import.meta.url));
const read = (file: string): string => readFileSync(join(root, file), "utf8");

const { overhead, ...upload } = defaults.upload;
const total = upload.files * upload.fileSize + upload.fieldsSize + overhead;
const { levelInProduction, ...logger } = defaults.logger;
const { check, ...health } = defaults.health;
const { openapi, ...docs } = defaults.docs;
const { bodyLimit, bodyIdleTimeout, forms, wrongMethodBehavior } = defaults;
const { responseIdleTimeout, queryParser, shortcuts, startupLogo } = defaults;
const { caseSensitive, methodLikeRouteBehavior } = defaults;
const { drainInCluster, ...gracefulShutdown } = defaults.gracefulShutdown;
const inputSources = Object.fromEntries(
  Object.entries(methodFacts).map(([method, { sources }]) => [method, sources]),
);

/** The defaults by the type that declares the option, and the page whose table lists the options. */
const options: Readonly<Record<string, readonly [group: object, page?: string]>> = {
  ConsoleLoggerOptions: [logger],
  BodyLimits: [bodyLimit],
  CommonConfig: [{ bodyLimit, bodyIdleTimeout, forms, wrongMethodBehavior }, "configuration"],
  ServerConfig: [{ responseIdleTimeout, queryParser, shortcuts, startupLogo }, "configuration"],
  WalkOptions: [{ caseSensitive, methodLikeRouteBehavior }, "configuration"],
  CookieOptions: [defaults.cookies],
  UploadLimits: [{ ...upload, total: `files * fileSize + fieldsSize + ${overhead} (${total})` }],
  ShutdownOptions: [{ ...gracefulShutdown, drain: 0 }, "production"],
  HealthOptions: [health, "health"],
  HealthCheck: [check, "health"],
  DocsOptions: [docs, "openapi"],
  OpenApiOptions: [{ openapi }, "openapi"],
  Webhook: [defaults.webhook],
  ApiResponse: [defaults.apiResponse],
  PaginatedOptions: [defaults.paginated, "pagination"],
  EventStreamOptions: [defaults.eventStream, "streams"],
  ChannelOptions: [defaults.channel, "channels"],
  RateLimitOptions: [defaults.rateLimit, "rate-limits"],
  IdempotencyOptions: [defaults.idempotency, "idempotency"],
  TransactionOptions: [defaults.transaction],
  ClusterOptions: [defaults.cluster, "cluster"],
};

/** Writes a value as the types and the documentation do, without quotes. */
const show = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(show).join(", ")}]`;
  if (typeof value !== "object" || value === null) return String(value);
  const members = Object.entries(value).map(([name, part]) => `${name}: ${show(part)}`);
  return `{ ${members.join(", ")} }`;
};

const unquote = (text: string): string => text.replaceAll(/[`"]|(?<=\d)_(?=\d)/g, "");

/** Checks whether a text tells a default, after which it may go on. */
const tells = (text: string | undefined, value: unknown): boolean =>
  text !== undefined && /^(?:$|[,;] )/.test(unquote(text).replace(show(value), ""));

/** Checks whether a text is a value, other than one that turns something off. */
const isValue = (text: string): boolean =>
  /^`?(?:\d|["[{]|true`?$)/.test(text) && !/^`?(?:0|\[\]|\{\})`?$/.test(text);

/** The texts of the types, by type and option; the client has its own defaults, as part of its bundle. */
const told = new Map(
  readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts") && !/^\w+\/(?:client|testing)\b|\.test/.test(file))
    .flatMap((file) => {
      const text = read(join("src", file));
      return [...text.matchAll(/@default (.*?)(?: \*\/|\n)[^;]*? readonly (\w+)/g)].map(
        ({ index, 1: value = "", 2: name = "" }): [string, string] => {
          const [type] =
            text.slice(0, index).match(/(?<=interface )\w+(?![\s\S]*interface )/) ?? [];
          return [`${type}.${name}`, value];
        },
      );
    }),
);

test("the types tell the defaults", () => {
  const expected = Object.entries({
    ...options,
    CommonConfig: [{ ...options["CommonConfig"]?.[0], inputSources }] as const,
  }).flatMap(([type, [group]]) =>
    Object.entries(group).map(([name, value]): [string, unknown] => [`${type}.${name}`, value]),
  );
  expect(expected.filter(([name, value]) => !tells(told.get(name), value))).toEqual([]);
  expect(told.get("ShutdownOptions.drain")).toContain(`${drainInCluster} in a worker`);
  const names = new Set(expected.map(([name]) => name));
  const others = [...told].filter(([name, text]) => isValue(text) && !names.has(name));
  expect(others.map(([name]) => name).toSorted()).toEqual([
    // the success and the error differ
    "ApiResponse.statusCode",
    // the package's own
    ...["brotli", "level", "threshold"].map((name) => `CompressionOptions.${name}`),
  ]);
});

/** Lists the names and the default of the options in the tables of a page. */
const listRows = (page: string): [names: string, told: string][] => {
  let columns: string[] = [];
  return read(`docs/${page}.md`)
    .split("\n")
    .flatMap((line, at, lines): [string, string][] => {
      if (!line.startsWith("|")) return [];
      const cells = line.split(/ *(?<!\\)\| */).slice(1, -1);
      if (!lines[at - 1]?.startsWith("|")) columns = cells;
      const index = columns.indexOf("Default");
      const option = columns.findIndex((name) => name.startsWith("Option"));
      return index < 0 || option < 0 ? [] : [[cells[option] ?? "", cells[index] ?? ""]];
    });
};

test.each([...new Set(Object.values(options).flatMap(([, page]) => page ?? []))])(
  "the tables of the page %s tell the defaults",
  (page) => {
    const expected = Object.values(options)
      .filter(([, own]) => own === page)
      .flatMap(([group]) => Object.entries(group) as [string, unknown][]);
    const rows = new Map(listRows(page).map(([name, text]) => [unquote(name), text]));
    expect(expected.filter(([name, value]) => !tells(rows.get(name), value))).toEqual([]);
    const names = new Set(expected.map(([name]) => name));
    expect([...rows].filter(([name, text]) => isValue(text) && !names.has(name))).toEqual([]);
  },
);

const toSeconds = (milliseconds: number): string => `${milliseconds / 1000} s`;
const toSize = (bytes: number): string => `${bytes / 2 ** 20} MiB`;
const toCount = (number: number): string => number.toLocaleString("en");

test("the table of reliability.md tells the defaults", () => {
  const { http, eventStream } = defaults;
  const { fileSize, files, parts, fieldSize, fieldsSize, memory } = upload;
  const rows = Object.fromEntries(listRows("internals/reliability"));
  expect(rows).toMatchObject({
    "`http.options.headersTimeout`": toSeconds(http.headersTimeout),
    "`http.options.requestTimeout`": toSeconds(http.requestTimeout),
    "`http.options.keepAliveTimeout`": toSeconds(http.keepAliveTimeout),
    "`http.options.connectionsCheckingInterval`": toSeconds(http.connectionsCheckingInterval),
    "`bodyIdleTimeout`": toSeconds(bodyIdleTimeout),
    "`responseIdleTimeout`": toSeconds(responseIdleTimeout),
    "`bodyLimit`, or `bodyLimit.bytes`": toSize(bodyLimit.bytes),
    "`bodyLimit.values`": toCount(bodyLimit.values),
    "`upload.limits`": [
      toSize(fileSize),
      ...[files, parts].map(toCount),
      ...[fieldSize, memory].map(toSize),
    ].join(", "),
    "`upload.limits.fieldsSize`, `upload.limits.total`": `${toSize(fieldsSize)}, ${toSize(total)}`,
    "`heartbeat`, `maxBuffered` of its factory": `${toSeconds(eventStream.heartbeat)}, ${toSize(eventStream.maxBuffered)}`,
    "`history`": `${toCount(defaults.channel.history.events)}, ${toSize(defaults.channel.history.bytes)}`,
    "`gracefulShutdown.timeout`": toSeconds(gracefulShutdown.timeout),
  });
});

test.each([
  ["configuration", `level \`${logger.level}\`, \`${levelInProduction}\` in production`],
  [
    "files-and-uploads",
    `${toSize(upload.fileSize)} per file, ${upload.files} files, ${toCount(upload.parts)} parts and ${toSize(upload.fieldSize)} per field`,
  ],
  ["input", `${toCount(bodyLimit.values)} by default`],
  ["production", `${toSeconds(defaults.http.keepAliveTimeout)} by default`],
  ["deploy", `${toSeconds(defaults.http.keepAliveTimeout)} of Node's \`keepAliveTimeout\``],
])("the page %s says: %s", (page, text) => {
  expect(read(`docs/${page}.md`).replaceAll("\n", " ")).toContain(text);
});
