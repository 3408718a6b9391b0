import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { ContractError } from "../errors.ts";
import type { VerifyOptions } from "./options.ts";

const conventions = ["src/api.ts", "src/api.js", "api.ts", "api.js"];

/** Finds the module that was given, that `sallyport.entry` in package.json names, or that has a conventional name. */
export const findEntry = (given: string | undefined): string => {
  const folder = process.cwd();
  const wanted = given ?? readConfigured(folder);
  const found = wanted ?? conventions.find((name) => existsSync(join(folder, name)));
  if (found === undefined || !existsSync(resolve(folder, found)))
    throw new ContractError(
      `There is no ${found ?? conventions.join(", ")} here. Pass the module that exports \`routing\` and \`config\`, as in \`sallyport verify src/api.ts\`.`,
    );
  return resolve(folder, found);
};

const readConfigured = (folder: string): string | undefined => {
  const path = join(folder, "package.json");
  if (!existsSync(path)) return undefined;
  const { sallyport } = JSON.parse(readFileSync(path, "utf8")) as {
    readonly sallyport?: { readonly entry?: string };
  };
  return sallyport?.entry;
};

const isTypeScript = /\.[cm]?tsx?$/;

/**
 * Lets this process load modules with tsx, if one of them is TypeScript and tsx is installed. A process of its own would
 * outlive a signal to this one.
 */
export const enableTypeScript = async (paths: readonly string[]): Promise<void> => {
  if (!paths.some((path) => isTypeScript.test(path))) return;
  let tsx: string;
  try {
    tsx = createRequire(join(process.cwd(), "package.json")).resolve("tsx");
  } catch {
    if ("typescript" in process.features && process.features.typescript) return;
    throw new ContractError(
      `Node.js ${process.version} cannot load TypeScript. Run: npm install --save-dev tsx. Or use Node.js 22.18 or later.`,
    );
  }
  await import(pathToFileURL(tsx).href);
};

type Loaded = Pick<VerifyOptions, "routing" | "config">;

/** @throws {@link ContractError} when the module cannot be loaded or lacks `routing`. */
export const loadApi = async (path: string): Promise<Loaded> => {
  const { routing, config, default: preset } = await load(path);
  const own = (preset ?? {}) as Readonly<Record<string, unknown>>;
  const found = routing ?? own["routing"];
  if (typeof found !== "object" || found === null)
    throw new ContractError(
      `${path} does not export \`routing\`. Export the routing map and the configuration, as in \`export { routing, config }\`.`,
    );
  return { routing: found, config: config ?? own["config"] ?? {} } as Loaded;
};

/** @throws {@link ContractError} when the module cannot be loaded or has no default export. */
export const loadOptions = async (path: string): Promise<Partial<VerifyOptions>> => {
  const { default: options } = await load(path);
  if (typeof options !== "object" || options === null)
    throw new ContractError(
      `${path} has no default export. Export the options, as in \`export default { login, fixtures }\`.`,
    );
  return options;
};

const load = async (path: string): Promise<Readonly<Record<string, unknown>>> => {
  try {
    return (await import(pathToFileURL(path).href)) as Readonly<Record<string, unknown>>;
  } catch (error) {
    throw new ContractError(
      `${path} cannot be loaded: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
};
