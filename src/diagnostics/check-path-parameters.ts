import type { z } from "zod";
import type { ZodSchema } from "../schemas/schema.ts";
import { readTopLevel } from "../schemas/top-level-keys.ts";
import { listNames, parsePathPattern } from "../routing/path-pattern.ts";
import type { EndpointEntry } from "../routing/walk-routing.ts";
import { listInputs, type RoutingFacts, type Diagnostic } from "./diagnostic.ts";

/** Finds path parameters that an endpoint's input lacks or declares as optional. */
export const checkPathParameters = (
  entries: readonly EndpointEntry[],
  { toSources }: RoutingFacts,
): readonly Diagnostic[] => {
  const warned = new Set<string>();
  return entries
    .filter((entry) => toSources(entry).includes("params"))
    .flatMap((entry) => {
      const { method, path } = entry;
      const missing = listMissing(entry).map((parameter): Diagnostic & { parameter: string } => ({
        parameter,
        code: "SLP_WARN_PATH_PARAMETER",
        text: `the path parameter :${parameter} of ${path} is missing from the endpoint's input schema, so the handler never receives it. Add \`${parameter}\` to \`input\`.`,
        meta: { method, path, parameter },
      }));
      const optional = listOptional(entry, entries).map(
        (parameter): Diagnostic & { parameter: string } => ({
          parameter,
          code: "SLP_WARN_PATH_PARAMETER_OPTIONAL",
          text: `the path parameter :${parameter} of ${path} is optional in the endpoint's input schema, although every path contains it. Make \`${parameter}\` of \`input\` required.`,
          meta: { method, path, parameter },
        }),
      );
      return [...missing, ...optional].filter(({ parameter }) => {
        const place = `${path} ${parameter}`;
        return !warned.has(place) && warned.add(place);
      });
    });
};

const listParameters = ({ path }: EndpointEntry): readonly string[] =>
  parsePathPattern(path).flatMap(listNames);

const listMissing = (entry: EndpointEntry): readonly string[] => {
  const names = listParameters(entry);
  if (names.length === 0) return [];
  const levels = listInputs(entry.endpoint).map(({ schema }) => readTopLevel(schema));
  if (levels.some(({ others }) => others === "keep" || others === "unknown")) return [];
  return names.filter((name) => !levels.some(({ fields }) => fields.has(name)));
};

/**
 * Lists the optional path parameters of a route. They are considered intended if the input also serves a path without
 * them, or if a middleware also declares them.
 */
const listOptional = (
  entry: EndpointEntry,
  entries: readonly EndpointEntry[],
): readonly string[] => {
  const own = entry.endpoint.inputSchema;
  if (!own) return [];
  const declared = entry.endpoint.middlewares.flatMap(({ inputSchema }) => inputSchema ?? []);
  return listParameters(entry).filter(
    (name) =>
      isOptional(own, name) &&
      !declared.some((schema) => readTopLevel(schema).fields.has(name)) &&
      !entries.some(
        (other) => other.endpoint.inputSchema === own && !listParameters(other).includes(name),
      ),
  );
};

/**
 * Checks whether a schema definitely makes a field optional, which is unknown if the schema has alternatives or
 * functions.
 */
const isOptional = (schema: ZodSchema, name: string): boolean => {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  switch (def.type) {
    case "object": {
      const field = Object.hasOwn(def.shape, name) ? def.shape[name] : undefined;
      return field !== undefined && isOptionalField(field);
    }
    case "intersection":
      return [def.left, def.right].every(
        (side) => isOptional(side, name) || !readTopLevel(side).fields.has(name),
      );
    case "pipe":
      return isOptional(def.in, name);
    case "readonly":
      return isOptional(def.innerType, name);
    default:
      return false;
  }
};

const isOptionalField = (field: ZodSchema): boolean => {
  const { def } = (field as z.core.$ZodTypes)._zod;
  if (["optional", "default", "prefault"].includes(def.type)) return true;
  if (def.type === "pipe") return isOptionalField(def.in);
  return (def.type === "nullable" || def.type === "readonly") && isOptionalField(def.innerType);
};
