import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { Server } from "node:net";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { channels, type Starting } from "../../define/endpoint/build-hook.ts";
import type { DocsOptions } from "../../describe/docs-page/docs-options.ts";
import type { DocumentedConfig } from "../../describe/api/operation.ts";
import type { HealthOptions } from "../../parts/health/health-options.ts";
import { getMessageFromError, readSafely } from "../../wire/reply/http-error.ts";
import type { Routing } from "../../define/routing/routing.ts";
import { checkAppConfig, checkServerConfig } from "../server/config/check-config.ts";
import { CliError } from "./command.ts";

/** The exports of an API's module that the commands use. */
export interface Entry {
  readonly routing: Routing;
  readonly config: DocumentedConfig & {
    readonly docs?: boolean | DocsOptions | readonly DocsOptions[] | undefined;
    readonly health?: boolean | HealthOptions | undefined;
  };
}

/** Loads the module of an API, and returns what `use` makes of it. */
export const useEntry = async <Result>(
  given: string | undefined,
  use: (entry: Entry) => Promise<Result>,
): Promise<Result> => {
  const path = findEntry(given);
  return use(await loadEntry(path, await enableTypeScript(path)));
};

/** Loads another module of the application, such as one with options, as the entry is loaded. */
export const loadModule = async (given: string): Promise<unknown> => {
  const path = resolve(given);
  if (!existsSync(path)) throw toEntryError(`There is no file ${given}.`);
  return importSafely(path, await enableTypeScript(path));
};

const conventions = ["src/api", "src/routing", "src/app", "api", "routing"].flatMap((name) =>
  ["ts", "js"].map((extension) => `${name}.${extension}`),
);

const isTypeScript = /\.[cm]?tsx?$/;

const toEntryError = (message: string): CliError => new CliError("SLP_CLI_ENTRY", message);

/** Finds the module that was given, that `sallyport.entry` in package.json names, or that has a conventional name. */
const findEntry = (given: string | undefined): string => {
  const folder = process.cwd();
  const wanted = given ?? readConfigured(folder);
  if (wanted !== undefined) {
    const path = resolve(folder, wanted);
    if (existsSync(path)) return path;
    throw toEntryError(
      `There is no file ${wanted}${given === undefined ? ", the value of `sallyport.entry` in package.json" : ""}. Pass the module that exports \`routing\` and \`config\`.`,
    );
  }
  const found = conventions.find((name) => existsSync(join(folder, name)));
  if (found !== undefined) return join(folder, found);
  throw toEntryError(
    `None of ${conventions.join(", ")} exists here. Pass the module that exports \`routing\` and \`config\`, as in \`sallyport routes src/main-routing.ts\`; or set "sallyport": { "entry": "..." } in package.json.`,
  );
};

const readConfigured = (folder: string): string | undefined => {
  try {
    const text = readFileSync(join(folder, "package.json"), "utf8");
    const entry = readSafely(readSafely(JSON.parse(text), "sallyport"), "entry");
    return typeof entry === "string" ? entry : undefined;
  } catch {
    return undefined;
  }
};

/**
 * Lets this process load TypeScript with tsx, if the entry needs it; returns a hint for a failure without tsx. A process
 * of its own would need a second one, which a signal to the first one leaves behind.
 */
const enableTypeScript = async (path: string): Promise<string> => {
  if (!isTypeScript.test(path)) return "";
  const tsx = findTsx();
  if (tsx !== undefined) {
    await import(pathToFileURL(tsx).href);
    return "";
  }
  if ("typescript" in process.features && process.features.typescript)
    return ". If Node.js cannot load this TypeScript by itself, run: npm install --save-dev tsx";
  throw toEntryError(
    `${path} is TypeScript, which Node.js ${process.version} cannot load. Run: npm install --save-dev tsx. Or use Node.js 22.18 or later.`,
  );
};

/** Finds tsx in the packages of the application, or else next to this one. */
const findTsx = (): string | undefined => {
  const paths = [process.cwd(), fileURLToPath(new URL(".", import.meta.url))];
  try {
    return createRequire(import.meta.url).resolve("tsx", { paths });
  } catch {
    return undefined;
  }
};

/** @throws {@link CliError} when the module starts a server, cannot be loaded, or lacks `routing`. */
const loadEntry = async (path: string, hint: string): Promise<Entry> => {
  const module = await importSafely(path, hint);
  const exported = (name: string): unknown =>
    readSafely(module, name) ?? readSafely(readSafely(module, "default"), name);
  const routing = exported("routing");
  if (typeof routing !== "object" || routing === null)
    throw toEntryError(
      `${path} does not export \`routing\`. Export the routing map and the configuration, as in \`export { routing, config }\`.`,
    );
  const config = exported("config") ?? {};
  try {
    if (readSafely(config, "app") === undefined) checkServerConfig(config);
    else checkAppConfig(config);
  } catch (error) {
    throw toEntryError(`The \`config\` of ${path} is invalid: ${getMessageFromError(error)}`);
  }
  return { routing: routing as Routing, config };
};

const importSafely = async (path: string, hint: string): Promise<unknown> => {
  const refusal = new CliError(
    "SLP_CLI_STARTS_SERVER",
    `${path} starts a server, or imports a module that does. Move \`routing\` and \`config\` to a module that starts nothing, and pass that module.`,
  );
  let isRefused = false;
  const refuse = (): CliError => {
    isRefused = true;
    return refusal;
  };
  const prototype = Server.prototype as { listen: unknown };
  const { listen } = prototype;
  prototype.listen = (): never => {
    throw refuse();
  };
  const onStarting = (message: unknown): void => {
    (message as Starting).refusal = refuse();
  };
  subscribe(channels.starting, onStarting);
  const onFloating = (): void => undefined;
  process.on("unhandledRejection", onFloating);
  const onExit = (code: number): void => {
    // 13 is Node's code for a promise at the top level that never settles
    if (code !== 0 && code !== 13) return;
    process.exitCode = 1;
    process.stderr.write(
      `sallyport: ${path} ended the process, or waits forever. Pass a module that only exports.\n`,
    );
  };
  process.once("exit", onExit);
  const stdout = process.stdout as { write: unknown };
  const { write } = stdout;
  // standard output is for what the command prints, which a program may read
  stdout.write = process.stderr.write.bind(process.stderr);
  try {
    const module: unknown = await import(pathToFileURL(path).href);
    // code that is not awaited may be about to listen
    await new Promise((settle) => setTimeout(settle, 50));
    if (isRefused) throw refusal;
    return module;
  } catch (error) {
    if (isRefused) throw refusal;
    if (["DefinitionError", "RoutingError"].includes(String(readSafely(error, "name"))))
      throw error;
    const place = findPlace(String(readSafely(error, "stack")));
    throw toEntryError(
      `${path} cannot be loaded: ${getMessageFromError(error)}${place === undefined ? "" : ` (${place})`}${hint}`,
    );
  } finally {
    prototype.listen = listen;
    unsubscribe(channels.starting, onStarting);
    stdout.write = write;
    process.off("unhandledRejection", onFloating).off("exit", onExit);
  }
};

const home = dirname(createRequire(import.meta.url).resolve("sallyport/package.json"));
/** The directory of the build, and the directory that its source maps refer to. */
const own = [`${home}/dist/`, `${home}/src/`];

/** Records where in the application's code each endpoint and middleware is built. */
export const recordBuilds = (): ReadonlyMap<object, string> => {
  const places = new Map<object, string>();
  subscribe(channels.built, (endpoint) => {
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 30;
    const { stack = "" } = new Error("Built");
    Error.stackTraceLimit = stackTraceLimit;
    const place = findPlace(stack);
    if (place !== undefined) places.set(endpoint as object, place);
  });
  return places;
};

const findPlace = (stack: string): string | undefined =>
  stack.split("\n").map(toPlace).find(Boolean);

const toPlace = (frame: string): string | undefined => {
  const [, url, line] = /[( ](file:\/\/.+?|\/.+?):(\d+):\d+\)?$/.exec(frame) ?? [];
  if (url === undefined) return undefined;
  const file = url.startsWith("file:") ? fileURLToPath(url) : url;
  if (own.some((folder) => file.startsWith(folder)) || file.includes("/node_modules/"))
    return undefined;
  return `${relative(process.cwd(), file)}:${line}`;
};
