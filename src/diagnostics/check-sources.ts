import type { ZodSchema } from "../schemas/schema.ts";
import { takesRawBody } from "../schemas/raw.ts";
import { readTopLevel } from "../schemas/top-level-keys.ts";
import { takesFiles } from "../schemas/upload.ts";
import { listNames, parsePathPattern } from "../routing/path-pattern.ts";
import type { EndpointEntry } from "../routing/walk-routing.ts";
import { listInputs, toPlace, type RoutingFacts, type Diagnostic } from "./diagnostic.ts";

/**
 * Finds fields that no source of their route provides. For example, if the body is raw, all other fields have to come
 * from the query or the path.
 */
export const checkSources = (
  entries: readonly EndpointEntry[],
  facts: RoutingFacts,
): readonly Diagnostic[] => {
  const known = new Set<ZodSchema>();
  const lacking = entries.map((entry) => ({ entry, fields: listLacking(entry, facts) }));
  return lacking.flatMap(({ entry, fields }): Diagnostic[] => {
    const [first] = fields;
    const { inputSchema } = entry.endpoint;
    if (first === undefined || !inputSchema || known.has(inputSchema)) return [];
    // the fields may be for another route that shares the schema
    const isMeantElsewhere = lacking.some(
      (other) => other.entry.endpoint.inputSchema === inputSchema && other.fields.length === 0,
    );
    if (isMeantElsewhere) return [];
    known.add(inputSchema);
    const { method, path } = entry;
    const named = fields.map((field) => `\`input.${field}\``).join(", ");
    const sources = facts.toSources(entry);
    if (sources.includes("headers"))
      return [
        {
          code: "SLP_WARN_INPUT_SOURCE",
          text: `${named} of ${toPlace(entry)} cannot come from a header field, because the names of header fields arrive in lower case. Write ${fields.map((field) => `\`${field.toLowerCase()}\``).join(", ")}.`,
          meta: { method, path, fields },
        },
      ];
    return [
      {
        code: "SLP_WARN_INPUT_SOURCE",
        text: `${named} of ${toPlace(entry)} cannot come from any input source of the route, which has ${sources.join(", ")}${takesRawBody(inputSchema) ? " and a raw body" : ""}. Add "query" to \`inputSources\` of the endpoint, or make it a path parameter.`,
        meta: { method, path, fields },
      },
    ];
  });
};

const listLacking = (
  entry: EndpointEntry,
  { toSources, hasNativeParsers }: RoutingFacts,
): readonly string[] => {
  const { inputSchema, middlewares } = entry.endpoint;
  const sources = toSources(entry);
  // a native middleware may add fields to any source
  if (!inputSchema || hasNativeParsers || middlewares.some(({ isNative }) => isNative)) return [];
  const isRaw = listInputs(entry.endpoint).some(({ schema }) => takesRawBody(schema));
  const others = sources.filter(
    (source) => source !== "params" && source !== "files" && !(source === "body" && isRaw),
  );
  const hasHeaders = others.includes("headers");
  if (others.some((source) => source !== "headers")) return [];
  const parameters = new Set(parsePathPattern(entry.path).flatMap(listNames));
  return [...readTopLevel(inputSchema).fields]
    .filter(
      ([name, field]) =>
        !parameters.has(name) &&
        !(isRaw && name === "raw") &&
        !takesFiles(field) &&
        !(hasHeaders && name === name.toLowerCase()),
    )
    .map(([name]) => name);
};
