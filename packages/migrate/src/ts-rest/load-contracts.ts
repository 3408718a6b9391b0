import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import { UsageError } from "../usage-error.ts";

/** A route of a contract, as ts-rest has it at run time. */
export interface Route {
  readonly method: string;
  readonly path: string;
  readonly responses: Readonly<Record<string, unknown>>;
  readonly pathParams?: unknown;
  readonly query?: unknown;
  readonly body?: unknown;
  readonly headers?: unknown;
  readonly contentType?: unknown;
  readonly summary?: unknown;
  readonly description?: unknown;
  readonly deprecated?: unknown;
  readonly metadata?: unknown;
}

/** A route, and the names that lead to it from the module. */
export interface FoundRoute {
  readonly names: readonly [exported: string, ...rest: string[]];
  readonly route: Route;
}

export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const isRoute = (value: Readonly<Record<string, unknown>>): boolean =>
  typeof value["method"] === "string" &&
  typeof value["path"] === "string" &&
  isObject(value["responses"]);

/** Whether a value of a router may hold routes: a class, such as a schema, does not. */
const isPlain = (value: unknown): value is Readonly<Record<string, unknown>> =>
  isObject(value) && [Object.prototype, null].includes(Object.getPrototypeOf(value) as object);

const walk = (value: unknown, names: FoundRoute["names"]): readonly FoundRoute[] => {
  if (!isPlain(value)) return [];
  if (isRoute(value)) return [{ names, route: value as unknown as Route }];
  return Object.entries(value).flatMap(([name, inner]) => walk(inner, [...names, name]));
};

/** Lists the routes of all contracts that a module exports by name, each once. */
export const listRoutes = (module: unknown): readonly FoundRoute[] => {
  const known = new Set<string>();
  return Object.entries(isObject(module) ? module : {})
    .flatMap(([name, value]) => walk(value, [name]))
    .filter(({ route: { method, path } }) => {
      const name = `${method} ${path}`;
      return !known.has(name) && known.add(name);
    });
};

/** Lets this process load TypeScript with the tsx of the application, if it has one. */
const enableTypeScript = async (file: string): Promise<void> => {
  if (!/\.[cm]?tsx?$/.test(file)) return;
  let tsx: string;
  try {
    tsx = createRequire(file).resolve("tsx");
  } catch {
    return;
  }
  await import(pathToFileURL(tsx).href);
};

/** @throws {@link UsageError} when the module cannot be loaded, or exports no contract. */
export const loadContracts = async (file: string): Promise<readonly FoundRoute[]> => {
  if (!existsSync(file)) throw new UsageError(`${file} does not exist.`);
  await enableTypeScript(file);
  let module: unknown;
  try {
    module = await import(pathToFileURL(file).href);
  } catch (error) {
    const [text] = String(error instanceof Error ? error.message : error).split("\n");
    throw new UsageError(
      `${file} cannot be loaded: ${text}. TypeScript needs Node.js 22.18, or tsx in the project.`,
    );
  }
  const routes = listRoutes(module);
  if (routes.length > 0) return routes;
  throw new UsageError(
    `${file} exports no contract. Export one by name, as in \`export const contract = c.router({ … })\`.`,
  );
};
