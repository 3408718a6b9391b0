import type { AnyEndpoint } from "../endpoint/endpoint.ts";
import type { InputSource } from "../endpoint/input-sources.ts";
import type { Logger } from "../logger/logger.ts";
import { readTopLevel } from "../schemas/top-level-keys.ts";
import { listNames, parsePathPattern } from "./path-pattern.ts";
import type { EndpointEntry } from "./walk-routing.ts";

/** Warns of what is legal in a routing map but hardly meant; for development. */
export const checkRouting = (
  entries: readonly EndpointEntry[],
  toSources: (entry: EndpointEntry) => readonly InputSource[],
  logger: Logger,
): void => {
  const warned = new Set<string>();
  for (const entry of entries) {
    if (!toSources(entry).includes("params")) continue;
    for (const parameter of listMissingParameters(entry)) {
      const place = `${entry.path} ${parameter}`;
      if (warned.has(place)) continue;
      warned.add(place);
      logger.warn(
        `SLP_WARN_PATH_PARAMETER: the path parameter :${parameter} of ${entry.path} is missing in the endpoint's input schema, so its handler never sees it. Add \`${parameter}\` to \`input\`.`,
        { method: entry.method, path: entry.path, parameter },
      );
    }
  }
};

const listMissingParameters = ({ path, endpoint }: EndpointEntry): readonly string[] => {
  const names = parsePathPattern(path).flatMap(listNames);
  if (names.length === 0) return [];
  const levels = listSchemas(endpoint).map((schema) => readTopLevel(schema));
  if (levels.some(({ others }) => others === "keep" || others === "unknown")) return [];
  return names.filter((name) => !levels.some(({ fields }) => fields.has(name)));
};

const listSchemas = (endpoint: AnyEndpoint) =>
  [endpoint, ...endpoint.middlewares].flatMap(({ inputSchema }) => inputSchema ?? []);
